"""Very many links as rows, copied in: what linking and refreshing would have left behind by now, without doing it.

Their moments are those of `refreshing.timing`. Tokens are as large as sealed ones, and open nothing.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection

from apps.connections.refreshing import policy, timing
from apps.connections.refreshing.policy import Policy
from apps.connections.refreshing.timing import Times
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.dialects import DIALECTS
from benchmarks.figure import say

_CONNECTION = (
    "id, user_id, endpoint_id, provider_id, registration_id, status, reason, fhir_patient_id, requested_scope,"
    " granted_scope, created_at, confirmed_at, lapses_at"
)
_TOKENS = (
    "connection_id, registration_id, sealed_access_token, sealed_refresh_token, generation, is_rotated,"
    " is_session_bound, access_expires_at, not_before_at, refresh_issued_at, refresh_used_at, refresh_deadline_at,"
    " refresh_due_at"
)


@dataclass(frozen=True)
class Kind:
    """What links of one sort have in common."""

    dialect: str
    scope: str
    rotates: bool | None

    @property
    def policy(self) -> Policy:
        """As of a link under a registration that overrides nothing."""
        return policy.told(DIALECTS[self.dialect], granted_scope=self.scope, rotates=self.rotates)


ROTATING = Kind("patient-access", "", rotates=True)
NOT_ROTATING = Kind("patient-access", "", rotates=False)
NOT_YET_SEEN = Kind("patient-access", "", rotates=None)
OFFLINE = Kind("smart", "patient/*.read offline_access", rotates=False)


@dataclass(frozen=True)
class Server:
    """One authorization server with one endpoint and our registration there. `per_second`: what it bears."""

    kind: Kind
    registration: ClientRegistration
    endpoint: Endpoint
    links: int
    per_second: float


def make_server(kind: Kind, links: int, *, at: datetime, per_second: float = 10.0) -> Server:
    """Its rows; its links come with `fill`."""
    host = f"https://{secrets.token_hex(8)}.example"
    server = AuthorizationServer.objects.create(
        source="configured", authorize_url=f"{host}/authorize", token_url=f"{host}/token", found_at=at
    )
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label=host,
        status="approved",
        authentication="query",
        versions_added=["r4"],
        rotates_refresh_tokens=kind.rotates,
    )
    endpoint = Endpoint.objects.create(
        authorization_server=server,
        fhir_base_url=f"{host}/r4",
        fhir_version="r4",
        interface=kind.dialect,
        dialect=kind.dialect,
        imported_at=at,
    )
    return Server(kind, registration, endpoint, links, per_second)


def fill(servers: list[Server], *, at: datetime, token_bytes: int) -> None:
    """Give each its links, as they stand when all has gone well for long: renewed when they fell due, and none due now.

    Those of servers that were never seen refreshing were made within the last minute.
    """
    user = get_user_model().objects.create_user(f"{secrets.token_hex(8)}@example.org")
    provider = Provider.objects.create(
        directory="bench", directory_id=secrets.token_hex(8), name="Bench", imported_at=at
    )
    for number, server in enumerate(servers):
        say(f"links, server {number + 1} of {len(servers)}")
        source = Random(number)
        links = [(UUID(int=source.getrandbits(128), version=4), source.random()) for _link in range(server.links)]
        moments = [(link, _standing(server.kind.policy, link, share, at=at)) for link, share in links]
        _copy("connections_connection", _CONNECTION, moments, _connection_row(server, user.pk, provider.pk, at))
        _copy("connections_storedtokenset", _TOKENS, moments, _token_row(server, token_bytes))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE connections_connection, connections_storedtokenset")


def _standing(limits: Policy, link: UUID, share: float, *, at: datetime) -> Times:
    """The moments of a link that was renewed when it last fell due, somewhere in the time since then."""

    def renewed(issued_at: datetime) -> Times:
        return timing.times(
            limits, connection_id=link, at=issued_at, expires_in_seconds=300, refresh_issued_at=issued_at
        )

    now = renewed(at)
    if limits.rotates is None:
        return now
    lasts_until = now.refresh_due_at or now.refresh_deadline_at or at
    return renewed(at - share * (lasts_until - at))


Row = Callable[[UUID, Times], tuple[Any, ...]]


def _connection_row(server: Server, user_id: UUID, provider_id: UUID, at: datetime) -> Row:
    registration_id, endpoint_id, scope = server.registration.pk, server.endpoint.pk, server.kind.scope

    def row(link: UUID, times: Times) -> tuple[Any, ...]:
        who = (link, user_id, endpoint_id, provider_id, registration_id)
        return (*who, "active", "", str(link), scope, scope, at, at, times.lapses_at)

    return row


def _token_row(server: Server, token_bytes: int) -> Row:
    registration_id, rotates, token = server.registration.pk, server.kind.rotates, secrets.token_bytes(token_bytes)

    def row(link: UUID, times: Times) -> tuple[Any, ...]:
        return (
            link, registration_id, token, token, 1, rotates, False, times.access_expires_at, times.not_before_at,
            times.refresh_issued_at, times.refresh_used_at, times.refresh_deadline_at, times.refresh_due_at,
        )  # fmt: skip

    return row


def _copy(table: str, columns: str, moments: list[tuple[UUID, Times]], row: Row) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for link, times in moments:
            copy.write_row(row(link, times))
