"""Grants of interface A made directly: as if that many patients had allowed access, and the codes had
been exchanged.
"""

from datetime import datetime

from django.db import transaction

from apps.sandbox.models import Account, Application, Grant
from apps.sandbox.patient_access import exchanging


@transaction.atomic
def grant_directly(
    application: Application, account: Account, *, version: str, number: int, at: datetime
) -> list[tuple[Grant, dict[str, str | int]]]:
    """That many grants of everything, each with the response that exchanging its code would have got."""
    patient_ids = list(account.patient_ids(version))
    grants = Grant.objects.bulk_create(
        Grant(application=application, account=account, version=version, patient_ids=patient_ids, created_at=at)
        for _number in range(number)
    )
    return [(grant, exchanging.first(grant, at=at)) for grant in grants]
