"""Periodic work of connections. Each task only selects what is due; rows hold the truth."""

from celery import shared_task
from django.utils import timezone

from apps.connections import purging


@shared_task
def purge_unconfirmed() -> None:
    """Drop links nobody confirmed within 30 minutes, at the provider too."""
    purging.purge_unconfirmed(at=timezone.now())


@shared_task
def drop_old_requests() -> None:
    """Delete authorization requests a day after they were over."""
    purging.drop_old_requests(at=timezone.now())
