"""Background tasks of connections. Tasks have no arguments and only select what is due: all state is in rows."""

from celery import shared_task
from celery.signals import worker_shutting_down
from django.db import transaction

from apps.connections import availability_mail, certificate_alarm, clocks, revoking
from apps.connections.authorization_responses import outcome_counts
from apps.connections.ending import purging
from apps.connections.lapse_warnings import lapsed_links, planning, sending
from apps.connections.refreshing import running

_EXPIRES_SECONDS = 60  # until the next beat


@shared_task
def purge_unconfirmed() -> None:
    """Drop connections that nobody confirmed within 30 minutes, at the provider too."""
    if purging.purge_unconfirmed(at=clocks.now()):
        enqueue_telling()


@shared_task
def count_abandoned() -> None:
    """Count the sign-ins from which nobody came back."""
    outcome_counts.count_abandoned(at=clocks.now())


@shared_task
def drop_old_requests() -> None:
    """Delete authorization requests a day after they expired, and trials after three months."""
    purging.drop_old_requests(at=clocks.now())
    purging.drop_old_trials(at=clocks.now())


@shared_task
def drop_old_launches() -> None:
    """Delete old launches from providers' portals."""
    purging.drop_old_launches(at=clocks.now())


@shared_task
def warn_of_ends() -> None:
    """Mark links that have lapsed, and mail people whose connections end soon or have ended."""
    lapsed_links.mark(at=clocks.now())
    planning.plan(at=clocks.now())
    sending.send_due(at=clocks.now())


@shared_task
def tell_who_waits() -> None:
    """Mail people who wait for a provider that works now."""
    availability_mail.tell(at=clocks.now())


@shared_task
def drop_old_warnings() -> None:
    """Delete warnings about ends that are a month old."""
    planning.prune(at=clocks.now())


@shared_task
def tell_providers() -> None:
    """Revoke tokens at their providers."""
    revoking.tell_providers(at=clocks.now())


@shared_task
def watch_site_certificate() -> None:
    """Check until when our own certificate is valid, once a day while all is well, and tell staff in time."""
    certificate_alarm.watch_site_certificate(at=clocks.now())


@shared_task
def refresh_due() -> None:
    """Refresh what is due. The message only says that something may be due; a free worker takes the most urgent."""
    running.pull(clock=clocks.shared(), call_for_help=_enqueue_refreshing)


@worker_shutting_down.connect
def _stop_refreshing(**_about: object) -> None:
    """Before a deployment: finish the refreshes in progress and take no more."""
    running.stop()


def _enqueue_refreshing() -> None:
    refresh_due.apply_async(expires=_EXPIRES_SECONDS)


def enqueue_telling() -> None:
    """Tell providers soon after the commit. For edges. If the queue does not answer, the next beat does it."""
    transaction.on_commit(lambda: tell_providers.apply_async(expires=_EXPIRES_SECONDS), robust=True)
