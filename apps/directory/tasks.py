"""Background tasks of the directory. Tasks have no arguments and only select what is due: all state is in rows."""

import logging

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import discovering, rotating
from apps.directory.monitoring import checking, link_statistics

_LOG = logging.getLogger(__name__)

# Run one after the other, with at most two requests each: all finish before the next beat.
_MOST_AT_ONCE = 20

# For checks, which take up to a minute each: as many as fit before the next beat.
_MOST_CHECKED = 100
_CHECKING_SECONDS = 220

_ABOUT_A_DAY_SECONDS = 84_600  # half an hour less: the beat of the same hour tomorrow may come a moment early


@shared_task
def discover_stale() -> None:
    """Discover SMART deployments where we are registered again, if they were not asked for a day, or failed."""
    discovering.discover_stale(at=timezone.now(), most=_MOST_AT_ONCE)


@shared_task
def check_endpoints() -> None:
    """Check endpoints that patients rely on and that were not checked for a day."""
    checking.check_relied_on(at=timezone.now(), most=_MOST_CHECKED, seconds=_CHECKING_SECONDS)


@shared_task
def forget_old_link_days() -> None:
    """Delete counts of attempts to link that are too old to be shown."""
    link_statistics.forget_old(at=timezone.now())


@shared_task
def rotate_signing_keys() -> None:
    """Take the steps of key rotation that are due, and log once a day what waits for staff."""
    rotating.rotate(actor=Actor.system("beat"), at=timezone.now())
    for registration in rotating.waiting_for_staff():
        if cache.add(f"new-signing-key:{registration.pk}", 1, timeout=_ABOUT_A_DAY_SECONDS):
            _LOG.error("A provider must be given our new signing key: client registration %s.", registration.pk)
