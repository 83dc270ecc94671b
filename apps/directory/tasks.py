"""Work of the directory in the background. Tasks carry nothing, and only select what is due: rows hold the truth."""

from celery import shared_task
from django.utils import timezone

from apps.directory import discovering

# One after the other, each of at most two requests: all of them end before the next beat.
_MOST_AT_ONCE = 20


@shared_task
def discover_stale() -> None:
    """Ask SMART deployments again that were not asked for a day, or could not be."""
    discovering.discover_stale(at=timezone.now(), most=_MOST_AT_ONCE)
