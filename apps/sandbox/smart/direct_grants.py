"""Grants of interface B made directly: as if that many patients had allowed access, and the codes had
been exchanged.
"""

from datetime import datetime

from django.db import transaction

from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.models import Account, Persona, RefreshAccess, SmartApplication, SmartGrant
from apps.sandbox.smart.addresses import HOSTS, Place
from apps.sandbox.smart.token import issuing


@transaction.atomic
def grant_directly(
    application: SmartApplication, account: Account, *, tenant: str, version: str, number: int, at: datetime
) -> list[tuple[SmartGrant, issuing.Answer]]:
    """That many grants with offline access to the account's own record, each with the response to its code."""
    place = Place(HOSTS["patient"], version, tenant)
    patient_id = account.patient_ids(version, tenant)[0]
    grants = SmartGrant.objects.bulk_create(
        SmartGrant(
            application=application,
            account=account,
            tenant_id=tenant,
            host=place.host,
            version=version,
            persona=Persona.PATIENT,
            aud=place.root,
            scopes=["launch/patient", *_everything(version), "offline_access"],
            patient_id=patient_id,
            fhir_user=f"Patient/{patient_id}",
            access=RefreshAccess.OFFLINE,
            created_at=at,
            last_used_at=at,
        )
        for _number in range(number)
    )
    return [(grant, issuing.first(grant, at=at)) for grant in grants]


def _everything(version: str) -> list[str]:
    """Scopes for every type that is served: the patient's own, and what belongs to the practice."""
    rows = OFFERED[version].values()
    return [f"{'patient' if row.has_patient else 'user'}/{row.resource_type}.read" for row in rows]
