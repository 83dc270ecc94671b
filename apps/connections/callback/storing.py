"""Store the result of a completed sign-in: a connection that awaits confirmation, or new tokens for an existing one.

If this raises, the caller gives the tokens back to the provider.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import connection_events, refreshing
from apps.connections.authorization_responses import candidates, claiming
from apps.connections.authorization_responses.identifying import Found
from apps.connections.grants import launch_context, scoping
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.wire.token_endpoint import TokenSet

CONFIRM_WITHIN = timedelta(minutes=30)


class NotKept(Exception):
    """The tokens open something else than was asked for, or nobody wants them any more; `outcome` says which."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(self.__doc__)
        self.outcome = outcome


def keep(request: AuthorizationRequest, token_set: TokenSet, found: Found, *, at: datetime) -> Connection:
    """Make the connection, or reauthorize the existing one if the person is the same. Calling it again returns the
    connection made before, because the result of its commit may have been lost.

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
    return _reauthorize(request, request.connection.pk, token_set, found.context, at=at)


def _hold(request: AuthorizationRequest, token_set: TokenSet, found: Found, *, at: datetime) -> Connection:
    """Store tokens and candidates, sealed, until the patient confirms the person."""
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
    """The connection that an earlier call made. Only who claimed the request closes it."""
    present = AuthorizationRequest.objects.select_related("connection").filter(pk=request.pk).first()
    if present is None or not present.outcome:
        return None
    if present.connection is None:  # dropped since
        raise NotKept(Outcome(present.outcome))
    return present.connection


def _reauthorize(
    request: AuthorizationRequest, connection_id: UUID, token_set: TokenSet, came: LaunchContext, *, at: datetime
) -> Connection:
    """Store new tokens for the connection that the request was to reauthorize."""
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
    connection: Connection, request: AuthorizationRequest, token_set: TokenSet, came: LaunchContext, *, at: datetime
) -> None:
    """Store the tokens with the registration that asked for them, which may be newer than the connection's."""
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
