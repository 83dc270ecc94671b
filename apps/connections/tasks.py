"""Work of connections in the background. Tasks carry nothing, and only select what is due: rows hold the truth."""

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from apps.connections import counting, purging, revoking

_EXPIRES_SECONDS = 60  # until the next beat


@shared_task
def purge_unconfirmed() -> None:
    """Drop links nobody confirmed within 30 minutes, at the provider too."""
    if purging.purge_unconfirmed(at=timezone.now()):
        enqueue_telling()


@shared_task
def count_abandoned() -> None:
    """Count the sign-ins nobody came back from."""
    counting.count_abandoned(at=timezone.now())


@shared_task
def drop_old_requests() -> None:
    """Delete authorization requests a day after they were over, and trials after three months."""
    purging.drop_old_requests(at=timezone.now())
    purging.drop_old_trials(at=timezone.now())


@shared_task
def drop_old_launches() -> None:
    """Delete what is left of launches from providers' portals."""
    purging.drop_old_launches(at=timezone.now())


@shared_task
def tell_providers() -> None:
    """Tell providers which tokens are dead."""
    revoking.tell_providers(at=timezone.now())


def enqueue_telling() -> None:
    """Tell providers soon after the commit. For edges. Where the queue does not answer, the next beat does it."""
    transaction.on_commit(lambda: tell_providers.apply_async(expires=_EXPIRES_SECONDS), robust=True)
