"""Record audit events about a connection or an authorization request."""

from datetime import datetime
from typing import Any

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.connections.models import AuthorizationRequest, Connection


def note_connection(
    event: EventType,
    connection: Connection,
    *,
    at: datetime,
    actor: Actor | None = None,
    **facts: str | int | bool,
) -> None:
    """Record an event about a connection. The actor is its user unless `actor` is given. Keys of facts are of
    `Fact`."""
    recording.record(event, **_about(connection, at=at, actor=actor, facts=facts))


def connection_for_each(
    rows: str,
    event: EventType,
    connection: Connection,
    *,
    at: datetime,
    actor: Actor | None = None,
    **facts: str | int | bool,
) -> tuple[str, dict[str, Any]]:
    """The same event as SQL, in the form of `recording.for_each`."""
    return recording.for_each(rows, event, **_about(connection, at=at, actor=actor, facts=facts))


def _about(
    connection: Connection, *, at: datetime, actor: Actor | None, facts: dict[str, str | int | bool]
) -> dict[str, Any]:
    return {
        "actor": actor or Actor.user(connection.user_id),
        "at": at,
        "user_id": connection.user_id,
        "subject": "connection",
        "subject_id": str(connection.pk),
        "facts": {Fact.PROVIDER_ID: str(connection.provider_id), **facts},
    }


def note_request(
    event: EventType,
    request: AuthorizationRequest,
    *,
    at: datetime,
    actor: Actor | None = None,
    **facts: str | int | bool,
) -> None:
    """Record an event about an authorization request. The actor is its user unless `actor` is given."""
    recording.record(
        event,
        actor=actor or Actor.user(request.user_id),
        at=at,
        user_id=request.user_id,
        subject="authorization request",
        subject_id=str(request.pk),
        facts={
            Fact.PROVIDER_ID: str(request.provider_id),
            Fact.ENDPOINT_ID: str(request.endpoint_id),
            Fact.REGISTRATION_ID: str(request.registration_id),
            **facts,
        },
    )
