"""The sandbox's directory in our own format, `holdfast-directory/1`, which the product imports."""

from typing import Any

from apps.sandbox.people import tenants
from apps.sandbox.people.tenants import Organization
from apps.sandbox.practice.practices import PRACTICES, Practice

_VERSIONS = ("r4", "dstu2")


def directory(origin: str) -> dict[str, Any]:
    """Every practice with its endpoints, at `origin` (scheme, host and port)."""
    return {"format": "holdfast-directory/1", "providers": [_provider(practice, origin) for practice in PRACTICES]}


def _provider(practice: Practice, origin: str) -> dict[str, Any]:
    roots = [
        smart_endpoint(version, one, origin)
        for one in tenants.ORGANIZATIONS
        if one.practice == practice.id
        for version in _VERSIONS
    ]
    return {
        "id": practice.id,
        "name": practice.name,
        "city": practice.city,
        "state": practice.state,
        "kind": practice.kind,
        "website": practice.website,
        "is_sandbox": True,
        "endpoints": [*(endpoint(version, origin) for version in practice.versions), *roots],
    }


def endpoint(version: str, origin: str) -> dict[str, Any]:
    """One FHIR version of interface A: its data base, and its authorization server."""
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


def smart_endpoint(version: str, one: Organization, origin: str) -> dict[str, Any]:
    """One FHIR version of a tenant of interface B, for patients. Its authorization server is found by discovery.

    Directories of such servers write URLs with a trailing slash (interface facts 3.1).
    """
    return {
        "fhir_base_url": f"{origin}/b/myrecord/{version}/{one.tenant_id}/",
        "fhir_version": version,
        "interface": "smart",
        "tenant": one.tenant_id,
        "dialect": "smart",
    }
