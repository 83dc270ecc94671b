"""The sandbox's directory in our own format, `holdfast-directory/1`: what the product imports to know us."""

from typing import Any

from apps.sandbox.practice.practices import PRACTICES, Practice


def directory(origin: str) -> dict[str, Any]:
    """Every practice with its endpoints, at `origin` (scheme, host and port)."""
    return {"format": "holdfast-directory/1", "providers": [_provider(practice, origin) for practice in PRACTICES]}


def _provider(practice: Practice, origin: str) -> dict[str, Any]:
    return {
        "id": practice.id,
        "name": practice.name,
        "city": practice.city,
        "state": practice.state,
        "kind": practice.kind,
        "website": practice.website,
        "is_sandbox": True,
        "endpoints": [endpoint(version, origin) for version in practice.versions],
    }


def endpoint(version: str, origin: str) -> dict[str, Any]:
    """One FHIR version: where its data is, and where access to it is asked for."""
    return {
        "fhir_base_url": f"{origin}/a/{version}/fhir/{version}",
        "fhir_version": version,
        "interface": "patient-access",
        "tenant": "",
        "dialect": "patient-access",
        "authorization_server": {
            "authorize_url": f"{origin}/a/{version}/auth/authorize",
            "token_url": f"{origin}/a/{version}/auth/token",
            "revocation_url": f"{origin}/a/{version}/auth/revoke",
        },
    }
