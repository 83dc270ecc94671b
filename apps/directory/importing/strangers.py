"""Switch off endpoints that a file paired with a server that patients trust, until staff review them: the rule of
`trusting`.

Checking each endpoint by itself would take several queries; the servers that patients rely on are few, and so are the
origins known at each.
"""

from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.db import connection
from django.db.models import Case, F, Q, Value, When

from apps.audit.recording import Actor
from apps.directory import endpoint_events, pinning, registering
from apps.directory.list_formats import addressing
from apps.directory.models import AuthorizationServer, Endpoint

_ROWS = 2000
_KNOWN = """
SELECT DISTINCT split_part(fhir_base_url, '/', 1) || '//' || split_part(fhir_base_url, '/', 3) FROM directory_endpoint
WHERE authorization_server_id = %s AND is_switched_on AND NOT EXISTS (
    SELECT FROM import_moved WHERE endpoint_id = directory_endpoint.id
)
"""
_MOVED = """
SELECT endpoint.id, endpoint.fhir_base_url FROM import_moved
JOIN directory_endpoint AS endpoint ON endpoint.id = import_moved.endpoint_id WHERE import_moved.server_id = %s
"""


def note_relied_on() -> None:
    """Store the servers where patients sign in with a registration of ours, as they are before the import; and those
    where all of ours are over, because their links live on."""
    named = Q(registrations__isnull=False) | Q(endpoints__enablements__isnull=False)
    servers = AuthorizationServer.objects.filter(named).distinct().prefetch_related("registrations")
    relied_on = [
        (server.pk, registering.is_relied_on(server), registering.standing(server) is not None) for server in servers
    ]
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO import_relied (server_id, is_standing, is_own) VALUES (%s, %s, %s)", relied_on)


def switch_off_strangers(*, actor: Actor, at: datetime) -> None:
    """Endpoints that were paired with such a server, on an origin that neither it nor another endpoint of it has. Each
    that was on is recorded."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT server_id FROM import_moved")
        servers = AuthorizationServer.objects.in_bulk([server_id for (server_id,) in cursor.fetchall()])
    for server in servers.values():
        _switch_off_at(server, actor=actor, at=at)


def _switch_off_at(server: AuthorizationServer, *, actor: Actor, at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, [server.pk])
        trusted = [server.authorize_url, server.token_url, *(origin for (origin,) in cursor.fetchall())]

    @lru_cache(maxsize=_ROWS)
    def is_trusted(origin: str) -> bool:
        return any(pinning.is_same_origin(origin, url) for url in trusted)

    with connection.connection.cursor(name="import_moved") as moved:
        moved.execute(_MOVED, [server.pk])
        while rows := moved.fetchmany(_ROWS):
            strangers: list[UUID] = [row_id for row_id, url in rows if not is_trusted(addressing.origin(url))]
            on = Endpoint.objects.filter(pk__in=strangers, is_switched_on=True)
            for row_id in on.values_list("pk", flat=True):
                endpoint_events.note_endpoint(row_id, "switched off", actor=actor, at=at)
            since = Case(When(is_switched_on=True, then=Value(at)), default=F("switched_off_at"))
            Endpoint.objects.filter(pk__in=strangers).update(
                is_switched_on=False, switched_off_at=since, is_stranger=True
            )
