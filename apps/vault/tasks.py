"""The scheduled task of the vault (`config/celery.py`)."""

from celery import shared_task
from django.utils import timezone

from apps.audit.recording import Actor
from apps.vault import renewing
from apps.vault.renewing import Chosen


@shared_task(name="apps.vault.tasks.finish_renewals")
def finish_renewals() -> None:
    """Continue renewals of data keys that an operator began."""
    renewing.renew(Chosen(), actor=Actor.system("beat"), at=timezone.now(), tell=lambda _step, _count: None)
