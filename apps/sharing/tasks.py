"""The scheduled tasks of sharing (`config/celery.py`)."""

from celery import shared_task
from django.utils import timezone

from apps.sharing import ending, lockout_mail


@shared_task(name="apps.sharing.tasks.purge_shares")
def purge_shares() -> None:
    """Delete shares that ended long ago, with their openings."""
    ending.purge(at=timezone.now())


@shared_task(name="apps.sharing.tasks.tell_of_locked_shares")
def tell_of_locked_shares() -> None:
    """Mail the owners of shares that wrong passcodes ended."""
    lockout_mail.tell(at=timezone.now())
