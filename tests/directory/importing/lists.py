"""Lists in our own format, and how to import them as the command does."""

import copy
import io
import json
from datetime import datetime
from typing import Any

from apps.audit.recording import Actor
from apps.directory import reaching
from apps.directory.importing.lists import Source, Wishes, import_lists
from apps.directory.importing.reporting import Report
from apps.directory.list_formats.guarding import Guard
from apps.directory.list_formats.terms import Terms
from apps.wire.dialects import FhirVersion, Interface
from tests.directory.conftest import AT

ROW: dict[str, Any] = {
    "id": "harbor",
    "name": "Harbor Family Practice",
    "city": "Portland",
    "state": "OR",
    "kind": "practice",
    "website": "https://www.harbor.example/",
    "is_sandbox": False,
    "endpoints": [
        {
            "fhir_base_url": "https://fhir.harbor.example/r4",
            "fhir_version": "r4",
            "interface": "patient-access",
            "tenant": "",
            "dialect": "patient-access",
            "authorization_server": {
                "authorize_url": "https://auth.harbor.example/r4/authorize",
                "token_url": "https://auth.harbor.example/r4/token",
                "revocation_url": "https://auth.harbor.example/r4/revoke",
            },
        }
    ],
}


def row(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(ROW), **changes}


def endpoint(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(ROW["endpoints"][0]), **changes}


def content_of(*rows: Any) -> bytes:
    """Rows of `providers` as a file of our own format."""
    return json.dumps({"format": "holdfast-directory/1", "providers": rows}).encode()


def import_rows(*rows: Any, **wanted: Any) -> Report:
    """The same, brought in."""
    return import_content(content_of(*rows), **wanted)


def import_json(document: Any, **wanted: Any) -> Report:
    """Any document as a file."""
    return import_content(json.dumps(document).encode(), **wanted)


def import_content(
    *contents: bytes,
    name: str = "ours",
    at: datetime = AT,
    interface: Interface = Interface.SMART,
    fhir_version: FhirVersion | None = None,
    **wishes: bool,
) -> Report:
    """Files of any content, together one directory."""
    terms = Terms(Guard(reaching.address_policy()), interface, fhir_version)
    sources = [Source(f"list {number}", io.BytesIO(content)) for number, content in enumerate(contents, start=1)]
    actor = Actor.system("test")
    return import_lists(sources, terms=terms, wishes=Wishes(directory=name, **wishes), actor=actor, at=at)
