"""What a completed sign-in leaves: a link that waits for its patient's yes, or new tokens for a connection there is.

Whoever gets an exception from here gives the tokens back.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import connection_events, refreshing
from apps.connections.answers import candidates, claiming
from apps.connections.answers.identifying import Found
from apps.connections.grants import launch_context, scoping
from apps.connections.grants.launch_context import Context
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.wire.token_endpoint import TokenSet

CONFIRM_WITHIN = timedelta(minutes=30)


class NotKept(Exception):
    """What the tokens open is not what was asked for, or nobody asks for it any more; `outcome` says how."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(self.__doc__)
        self.outcome = outcome


def keep(request: AuthorizationRequest, token_set: TokenSet, found: Found, *, at: datetime) -> Connection:
    """Make the link, or renew the one there is: for the same person, or everything stays as it was. Called again, it
    returns what it made: the answer to its commit may have got lost.

    Raises NotKept, `claiming.AccountClosed` and `apps.vault.errors.VaultError`; nothing was written then.
    """
    if not found.people:
        raise NotKept(Outcome.NO_PERSON)
    if not request.is_reauthorization:
        return _hold(request, token_set, found, at=at)
    if request.connection is None:  # disconnected with its copy while the patient was away
        raise NotKept(Outcome.CLOSED)
    if request.connection.fhir_patient_id not in {person.logical_id for person in found.people}:
        raise NotKept(Outcome.WRONG_PERSON)
    return _renew(request, request.connection.pk, token_set, found.context, at=at)


def _hold(request: AuthorizationRequest, token_set: TokenSet, found: Found, *, at: datetime) -> Connection:
    """Tokens and candidates, sealed, until the patient says who it is."""
    with transaction.atomic():
        claiming.hold_account(request)
        if (made := _made_before(request)) is not None:
            return made
        connection = Connection(
            user_id=request.user_id,
            endpoint=request.endpoint,
            provider=request.provider,
            registration=request.registration,
            requested_scope=request.requested_scope,
            granted_scope=scoping.granted(request.requested_scope, token_set.scope),
            created_at=at,
            confirm_by_at=at + CONFIRM_WITHIN,
        )
        connection.sealed_candidates = candidates.seal(connection, candidates.read_candidates(found.people))
        connection.sealed_context = launch_context.seal(connection, found.context)
        connection.save(force_insert=True)
        refreshing.keep(connection, token_set, issued_at=at)
        connection_events.note_connection(
            EventType.TOKENS_EXCHANGED, connection, at=at, has_refresh_token=token_set.refresh_token is not None
        )
        connection_events.note_connection(EventType.CONNECTION_FOUND, connection, at=at, count=len(found.people))
        claiming.close(request, Outcome.COMPLETED, connection=connection)
    return connection


def _made_before(request: AuthorizationRequest) -> Connection | None:
    """What an earlier call left: whoever claimed the request is the only one who closes it."""
    present = AuthorizationRequest.objects.select_related("connection").filter(pk=request.pk).first()
    if present is None or not present.outcome:
        return None
    if present.connection is None:  # dropped since
        raise NotKept(Outcome(present.outcome))
    return present.connection


def _renew(
    request: AuthorizationRequest, connection_id: UUID, token_set: TokenSet, came: Context, *, at: datetime
) -> Connection:
    """New tokens for the connection the request was to renew."""
    with transaction.atomic():
        claiming.hold_account(request)
        if (made := _made_before(request)) is not None:
            return made
        connection = Connection.objects.select_for_update().filter(pk=connection_id).first()
        if connection is None or connection.status == Connection.Status.DISCONNECTED:
            raise NotKept(Outcome.CLOSED)
        _restore(connection, request, token_set, came, at=at)
        claiming.close(request, Outcome.COMPLETED, connection=connection)
    return connection


def _restore(
    connection: Connection, request: AuthorizationRequest, token_set: TokenSet, came: Context, *, at: datetime
) -> None:
    """The tokens belong to the registration that asked for them, which may be a newer one than before."""
    refreshing.end_replaced(connection, by=token_set.refresh_token, at=at)
    connection.registration = request.registration
    connection.requested_scope = request.requested_scope
    connection.granted_scope = scoping.granted(request.requested_scope, token_set.scope)
    connection.sealed_context = launch_context.seal(connection, came)
    connection.save(update_fields=["registration", "requested_scope", "granted_scope", "sealed_context"])
    refreshing.keep(connection, token_set, issued_at=at)
    if connection.status != Connection.Status.ACTIVE:
        connection.restore()
    connection_events.note_connection(EventType.CONNECTION_REAUTHORIZED, connection, at=at)
