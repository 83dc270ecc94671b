"""Start an application: store a launch, and send the browser to the launch URL with iss and launch.

The launch value says what to open. It authenticates nobody: whoever brings it to the authorization endpoint still signs
in there.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.db.models import QuerySet

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import Account, ApplicationStatus, Launch, Persona, Resource, SmartApplication, Tenant
from apps.sandbox.smart.addresses import HOSTS, Place

LIFETIME = timedelta(minutes=5)


class LaunchRefused(Exception):
    """The application cannot be started in this way; the text says why, for whoever fills in the form."""


@dataclass(frozen=True, repr=False)
class Started:
    """A launch: `iss` is the FHIR root, `launch` the value, `address` where the browser goes."""

    iss: str
    launch: str
    address: str


def persona_of(account: Account) -> str:
    """Clinician if the account has a practitioner id, else patient."""
    return Persona.PROVIDER if account.practitioner_id else Persona.PATIENT


def applications(persona: str, version: str) -> QuerySet[SmartApplication]:
    """The applications that can be launched."""
    rows = SmartApplication.objects.filter(persona=persona, status=ApplicationStatus.APPROVED).exclude(launch_url="")
    return rows.filter(versions__contains=version).order_by("name", "pk")


def offered(persona: str, version: str, tenant: Tenant) -> QuerySet[SmartApplication]:
    """Those that a portal shows: the ones its organization has enabled."""
    return applications(persona, version).filter(enabled_tenants__contains=tenant.pk)


def start(
    application: SmartApplication,
    account: Account,
    tenant: Tenant,
    version: str,
    *,
    patient_id: str = "",
    encounter_id: str = "",
    at: datetime,
) -> Started:
    """Store the launch. Raises LaunchRefused if the account does not see the patient, or the application is for another
    persona."""
    persona = persona_of(account)
    if not applications(persona, version).filter(pk=application.pk).exists():
        raise LaunchRefused("This application cannot be started here.")
    seen = account.patient_ids(version, tenant.pk)
    if not seen or (patient_id and patient_id not in seen):
        raise LaunchRefused("This account sees no such person there.")
    if encounter_id and not _is_visit_of(patient_id, encounter_id, tenant.pk, version):
        raise LaunchRefused("This person had no such visit.")
    launch = secrets.token_urlsafe(24)
    place = Place(HOSTS[persona], version, tenant.pk)
    Launch.objects.create(
        sha256=bearer.sha256(launch),
        application=application,
        tenant=tenant,
        host=place.host,
        version=version,
        account=account,
        patient_id=patient_id,
        encounter_id=encounter_id if scenarios.chosen("launch_encounter") == "as-chosen" else "",
        expires_at=at + LIFETIME,
    )
    return Started(place.root, launch, _with(application.launch_url, iss=place.root, launch=launch))


def _is_visit_of(patient_id: str, encounter_id: str, tenant: str, version: str) -> bool:
    rows = Resource.objects.filter(tenant=tenant, version=version, resource_type="Encounter", patient_id=patient_id)
    return rows.filter(logical_id=encounter_id).exists()


def _with(address: str, **added: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, urlencode(added)) if part)))
