"""The queue, and the schedule as a table.

Start a worker with `celery -A config.celery worker` and the schedule with `celery -A config.celery beat`; both use the
settings of a deployment unless DJANGO_SETTINGS_MODULE names others. The truth is in Postgres, so a lost message only
costs the time until the next beat. Therefore tasks are acknowledged early, no results are kept, and a task that has not
started an hour after the next beat expires.
"""

import sys
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env, startup_errors

THREADS = 8  # tasks wait on remote servers; each call has a wall-time limit of its own, which threads cannot enforce

# Beat's machine writes down when a task expires, and the worker's judges it: one whose clock is ahead by more than this
# throws every task away, and nothing is renewed. What piles up meanwhile finds nothing due, and is soon over.
CLOCKS_DIFFER_BY = timedelta(hours=1)


@dataclass(frozen=True)
class Periodic:
    """One row of the schedule. The task only selects what is due, and no more than one interval can handle.

    No interval is longer than an hour: each start of beat begins it again, so a daily row would never come where
    machines are restarted each night.
    """

    task: str
    every: timedelta
    reason: str


SCHEDULE: tuple[Periodic, ...] = (
    Periodic(
        "apps.audit.tasks.write_deletions",
        every=timedelta(minutes=1),
        reason="A deletion that only the database knows of is undone by restoring a backup.",
    ),
    Periodic(
        "apps.accounts.tasks.purge_unverified",
        every=timedelta(hours=1),
        reason="An address that was never verified may be somebody else's.",
    ),
    Periodic(
        "apps.accounts.tasks.forget_expired_sessions",
        every=timedelta(hours=1),
        reason="Sessions that ended by themselves leave rows that say who was here.",
    ),
    Periodic(
        "apps.accounts.tasks.tell_of_breaches",
        every=timedelta(minutes=1),
        reason="Whose record somebody else has seen is to know without delay, and may have to act.",
    ),
    Periodic(
        "apps.connections.tasks.purge_unconfirmed",
        every=timedelta(minutes=1),
        reason="A link nobody confirmed in 30 minutes may be somebody else's: its tokens go, here and at the provider.",
    ),
    Periodic(
        "apps.connections.tasks.refresh_due",
        every=timedelta(minutes=1),
        reason="A permission that is not renewed in time ends, and its patient has to sign in at the provider again.",
    ),
    Periodic(
        "apps.connections.tasks.tell_providers",
        every=timedelta(minutes=1),
        reason="A token that was forgotten here still opens the record there, until its provider has heard of it.",
    ),
    Periodic(
        "apps.connections.tasks.warn_of_ends",
        every=timedelta(minutes=1),
        reason="A link that cannot renew itself ends within two days, and its patient may not look here before.",
    ),
    Periodic(
        "apps.connections.tasks.tell_who_waits",
        every=timedelta(minutes=1),
        reason="Whoever asked to be told when a provider works again tries in vain until they are, or gives up.",
    ),
    Periodic(
        "apps.connections.tasks.drop_old_warnings",
        every=timedelta(hours=1),
        reason="Which mail was sent about an end a month ago is of no use to anybody.",
    ),
    Periodic(
        "apps.connections.tasks.count_abandoned",
        every=timedelta(minutes=10),
        reason="Where nobody comes back from the provider's sign-in, the next to try should be told.",
    ),
    Periodic(
        "apps.connections.tasks.drop_old_requests",
        every=timedelta(hours=1),
        reason="A sign-in that was over a day ago is of no use to anybody.",
    ),
    Periodic(
        "apps.connections.tasks.drop_old_launches",
        every=timedelta(hours=1),
        reason="Whoever was sent here by a provider's portal and did not begin left a sealed value nobody needs.",
    ),
    Periodic(
        "apps.connections.tasks.watch_site_certificate",
        every=timedelta(minutes=10),  # it looks once a day, and soon where nobody ever did
        reason="Providers end permissions when our own certificate does, and staff should know three weeks before.",
    ),
    Periodic(
        "apps.directory.tasks.discover_stale",
        every=timedelta(minutes=10),
        reason="SMART deployments move their addresses, and patients should not be the first to find out.",
    ),
    Periodic(
        "apps.directory.tasks.check_endpoints",
        every=timedelta(minutes=5),
        reason="Certificates end and servers change without a word; patients should not be the first to find out.",
    ),
    Periodic(
        "apps.directory.tasks.forget_old_link_days",
        every=timedelta(hours=1),
        reason="How links ended two months ago says nothing about today.",
    ),
    Periodic(
        "apps.directory.tasks.rotate_signing_keys",
        every=timedelta(hours=1),
        reason="A key that signs for ever is found out some day; each step of replacing it waits for hours.",
    ),
    Periodic(
        "apps.records.tasks.resume_syncs",
        every=timedelta(minutes=1),
        reason="A run whose worker died, or that waited for its provider, goes on within a minute of being free.",
    ),
    Periodic(
        "apps.records.tasks.start_due_syncs",
        every=timedelta(minutes=1),
        reason="Patients are told that we check once a day, and interface A ends a link that rests for two.",
    ),
    Periodic(
        "apps.records.tasks.renew_shelves",
        every=timedelta(minutes=1),
        reason="Shelves of an earlier release cannot all be searched, and a link that ended is never copied again.",
    ),
    Periodic(
        "apps.records.tasks.tell_of_news",
        every=timedelta(minutes=1),
        reason="Whoever chose so is told in the morning that something new came, and mornings come zone by zone.",
    ),
    Periodic(
        "apps.records.tasks.prune_runs",
        every=timedelta(hours=1),
        reason="A run a day and connection is of no use to anybody a month later, and there are ever more.",
    ),
    Periodic(
        "apps.sharing.tasks.purge_shares",
        every=timedelta(hours=1),
        reason="Who opened what was shared a month ago is of no use to anybody.",
    ),
    Periodic(
        "apps.sharing.tasks.tell_of_locked_shares",
        every=timedelta(minutes=1),
        reason="Whoever was to read a share that wrong passcodes ended waits for another, until its owner knows.",
    ),
    Periodic(
        "apps.vault.tasks.finish_renewals",
        every=timedelta(hours=1),
        reason="A retired data key is to go a day after nothing needs it, and nobody thinks of it then.",
    ),
)

# Refreshing has deadlines of minutes, and must never wait behind a sync of fifty thousand resources or for a mail
# server; tasks that end permissions share its queue. Tasks not listed go to the default queue.
QUEUES = {
    "apps.connections.tasks.refresh_due": {"queue": "refresh"},
    "apps.connections.tasks.purge_unconfirmed": {"queue": "refresh"},
    "apps.connections.tasks.tell_providers": {"queue": "refresh"},
    "apps.records.tasks.tell_of_news": {"queue": "default"},
    "apps.records.tasks.*": {"queue": "sync"},
}


def configuration() -> dict[str, Any]:
    """Celery's settings. Read when the first task or worker needs them, never on import. Exits if the settings are
    wrong."""
    try:
        address = settings.CELERY_BROKER_URL
    except ImproperlyConfigured as error:
        sys.exit(startup_errors.sentence(error))
    return {
        "broker_url": broker_address(address),
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            # The prefix keeps test processes that share one Redis from taking each other's tasks.
            "global_keyprefix": settings.CELERY_KEY_PREFIX,
            # Without timeouts, a Redis that does not answer would block every sender, pages included. A worker's own
            # poll blocks for a second when there is nothing to do, so the timeout must be longer.
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
        },
        "task_default_queue": "default",
        "task_routes": QUEUES,
        "task_ignore_result": True,
        "task_acks_late": False,
        "task_serializer": "json",
        "accept_content": ["json"],
        "worker_pool": "threads",
        "worker_concurrency": THREADS,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "enable_utc": True,
        "timezone": "UTC",
        "beat_schedule": {
            row.task: {
                "task": row.task,
                "schedule": row.every,
                "options": {"expires": (row.every + CLOCKS_DIFFER_BY).total_seconds()},
            }
            for row in SCHEDULE
        },
    }


def broker_address(url: str) -> str:
    """Celery's spelling of a Redis address: `unix:///a/socket?db=1` is `redis+socket:///a/socket?virtual_host=1`."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = parts.query.removeprefix("db=") or "0"
    return f"redis+socket://{unquote(parts.path)}?virtual_host={database}"


try:
    env.choose_settings(otherwise="config.settings.production")  # before the app, which looks whether Django has any
except ImproperlyConfigured as error:
    sys.exit(startup_errors.sentence(error))
app = Celery("holdfast")
app.add_defaults(configuration)
app.autodiscover_tasks()


@setup_logging.connect
def _keep_our_logging(**_celerys_wishes: object) -> None:
    """Do nothing, on purpose: if there is a listener here, a worker leaves logging as `config/logging.py` has set it
    up."""
