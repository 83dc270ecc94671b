"""A directory of invented providers in our own format, one endpoint each: the same number makes the same list."""

import json
import random
from pathlib import Path
from typing import Any

_PLACES = (
    "Riverside",
    "Springfield",
    "Harbor",
    "Mercy",
    "Green Valley",
    "Oak Hill",
    "Lakeview",
    "Saint Anne",
    "Summit",
)
_KINDS = ("Family Practice", "Medical Center", "Pediatrics", "Hospital", "Cardiology", "Women's Health", "Clinic")
_CITIES = (("Portland", "OR"), ("Austin", "TX"), ("Duluth", "MN"), ("Albany", "NY"), ("Tucson", "AZ"), ("Macon", "GA"))


def providers(number: int) -> list[dict[str, Any]]:
    """So many rows of our format's `providers`."""
    chance = random.Random(number)
    return [_provider(chance, place) for place in range(number)]


def write(path: Path, number: int) -> None:
    """A whole file with so many."""
    path.write_text(json.dumps({"format": "holdfast-directory/1", "providers": providers(number)}), encoding="utf-8")


def _provider(chance: random.Random, place: int) -> dict[str, Any]:
    city, state = chance.choice(_CITIES)
    name = f"{chance.choice(_PLACES)} {chance.choice(_KINDS)} {place}"
    origin = f"https://fhir{place}.example.org"
    return {
        "id": f"provider-{place}",
        "name": name,
        "city": city,
        "state": state,
        "kind": "practice",
        "website": f"https://www{place}.example.org",
        "is_sandbox": False,
        "endpoints": [
            {
                "fhir_base_url": f"{origin}/r4",
                "fhir_version": "r4",
                "interface": "patient-access",
                "tenant": "",
                "dialect": "patient-access",
                "authorization_server": {
                    "authorize_url": f"{origin}/authorize",
                    "token_url": f"{origin}/token",
                    "revocation_url": "",
                },
            }
        ],
    }
