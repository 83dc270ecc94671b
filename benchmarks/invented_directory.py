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
# What surnames are made of: thousands of words, many of them nearly alike, as in real lists.
_SYLLABLES = (
    "al", "ber", "con", "dor", "el", "far", "gan", "hol", "is", "ken", "lan", "mor", "nor", "okon", "per", "quin",
    "ros", "san", "tel", "ulm", "ver", "wen", "yor", "zim",
)  # fmt: skip


def providers(number: int) -> list[dict[str, Any]]:
    """So many rows of our format's `providers`."""
    chance = random.Random(number)
    return [_provider(chance, place) for place in range(number)]


def write(path: Path, number: int) -> None:
    """A whole file with so many, row by row: whoever measures memory wrote it with none."""
    chance = random.Random(number)
    with path.open("w", encoding="utf-8") as file:
        file.write('{"format": "holdfast-directory/1", "providers": [')
        for place in range(number):
            file.write(", " if place else "")
            json.dump(_provider(chance, place), file)
        file.write("]}")


def _provider(chance: random.Random, place: int) -> dict[str, Any]:
    city, state = chance.choice(_CITIES)
    whose = chance.choice(_PLACES) if place % 3 else f"Dr. {''.join(chance.choices(_SYLLABLES, k=3)).capitalize()}"
    name = f"{whose} {chance.choice(_KINDS)} {place}"
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
