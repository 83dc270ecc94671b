"""Two URLs for monitoring the site. Each says only whether it works, and the names of what is missing.

`/health/`: the process answers. If not, restart it. `/ready/`: it can serve, because the database and the broker answer
and accept writes, and every migration is applied. If not, send it no traffic.
"""

from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.accounts.middleware import same_for_everybody
from config import pending_migrations
from config.celery import app

_BROKER_SECONDS = 2  # a probe comes every few seconds, and each that waits holds a thread
_KEPT_SECONDS = 60
_BRIEFLY = {"socket_timeout": _BROKER_SECONDS, "socket_connect_timeout": _BROKER_SECONDS}


@same_for_everybody
@never_cache
@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """200 whenever this process can answer at all."""
    return JsonResponse({"status": "ok"})


@same_for_everybody
@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 if everything that a page needs is available, otherwise 503 with the names of what is missing."""
    has_database = _database_takes_what_is_sent()
    checks = {
        "database": has_database,
        "broker": _broker_takes_what_is_sent(),
        "migrations": has_database and pending_migrations.is_migrated(),  # what does not answer is not waited for twice
    }
    is_ready = all(checks.values())
    return JsonResponse({"ready": is_ready, **checks}, status=200 if is_ready else 503)


def _database_takes_what_is_sent() -> bool:
    """A database that was demoted to a replica, or is read-only because its disk is nearly full, answers but accepts no
    writes: nobody could sign in."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_read_only")
            (reads_only,) = cursor.fetchone()
    except DatabaseError:
        return False
    return bool(reads_only == "off")


def _broker_takes_what_is_sent() -> bool:
    """A broker that is full, or became a replica, accepts connections but no tasks. The key expires by itself."""
    try:
        with app.connection_for_write(connect_timeout=_BROKER_SECONDS, transport_options=_BRIEFLY) as broker:
            broker.ensure_connection(max_retries=1, timeout=_BROKER_SECONDS)
            channel: Any = broker.default_channel  # Redis's, of which the library's own class says nothing
            channel.client.set("ready", 1, ex=_KEPT_SECONDS)
    except (OperationalError, OSError, RedisError):
        return False
    return True
