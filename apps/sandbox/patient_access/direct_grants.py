"""Grants of interface A without its pages: as if so many patients had allowed, and their codes had been exchanged."""

from datetime import datetime

from django.db import transaction

from apps.sandbox.models import Account, Application, Grant
from apps.sandbox.patient_access import exchanging


@transaction.atomic
def grant_directly(
    application: Application, account: Account, *, version: str, number: int, at: datetime
) -> list[tuple[Grant, dict[str, str | int]]]:
    """So many grants of everything, each with the answer that the exchange of its code would have got."""
    patient_ids = list(account.patient_ids(version))
    grants = Grant.objects.bulk_create(
        Grant(application=application, account=account, version=version, patient_ids=patient_ids, created_at=at)
        for _number in range(number)
    )
    return [(grant, exchanging.first(grant, at=at)) for grant in grants]
