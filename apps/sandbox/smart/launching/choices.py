"""What can be opened in a launch: the organizations an account knows, the people it sees there, and their visits."""

import json
from dataclasses import dataclass
from typing import Any

from apps.sandbox.models import Account, Resource, Tenant
from apps.sandbox.smart.addresses import HOSTS, Place
from apps.sandbox.smart.authorizing import wording
from apps.sandbox.smart.launching import starting

_MOST_VISITS = 8


@dataclass(frozen=True)
class Organization:
    """One tenant in one FHIR version."""

    tenant: Tenant
    version: str


@dataclass(frozen=True)
class Visit:
    """One Encounter, as shown in a list."""

    id: str
    words: str


@dataclass(frozen=True)
class Person:
    """One Patient the account sees, with their latest visits."""

    id: str
    name: str
    visits: tuple[Visit, ...]


def organizations(account: Account) -> tuple[Organization, ...]:
    """The organizations at which the account sees anybody, by name."""
    tenants = Tenant.objects.filter(pk__in=account.tenant_patients, is_suspended=False).order_by("name")
    return tuple(
        Organization(tenant, version)
        for tenant in tenants
        for version in ("r4", "dstu2")
        if account.patient_ids(version, tenant.pk)
    )


def people(account: Account, tenant: str, version: str) -> tuple[Person, ...]:
    """The people whom the account sees there, their own record first."""
    place = Place(HOSTS[starting.persona_of(account)], version, tenant)
    return tuple(
        Person(patient_id, name, _visits(tenant, version, patient_id))
        for patient_id, name in wording.names(place, account.patient_ids(version, tenant))
    )


def _visits(tenant: str, version: str, patient_id: str) -> tuple[Visit, ...]:
    rows = Resource.objects.filter(
        tenant=tenant, version=version, patient_id=patient_id, resource_type="Encounter"
    ).order_by("-dated_from")[:_MOST_VISITS]
    return tuple(Visit(row.logical_id, _words(_body(row))) for row in rows)


def _words(encounter: dict[str, Any]) -> str:
    day = str(encounter.get("period", {}).get("start", ""))[:10]
    kind = next((kind.get("text", "") for kind in encounter.get("type", []) if kind.get("text")), "")
    return f"{day} {kind}".strip() or str(encounter.get("id", ""))


def _body(row: Resource) -> dict[str, Any]:
    return dict(json.loads(bytes(row.body)))
