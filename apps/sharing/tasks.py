"""What sharing does by itself, on the schedule of `config/celery.py`."""

from celery import shared_task
from django.utils import timezone

from apps.sharing import ending


@shared_task(name="apps.sharing.tasks.purge_shares")
def purge_shares() -> None:
    """Delete shares that are long over, with who came."""
    ending.purge(at=timezone.now())
