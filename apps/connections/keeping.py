"""What a completed sign-in leaves: a link that waits for its patient's yes, or new tokens for a connection there is.

Whoever gets an exception from here gives the tokens back.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import candidates, claiming, noting, refreshing
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.directory.models import ClientRegistration
from apps.wire.fhir import Resource
from apps.wire.token_endpoint import TokenSet

CONFIRM_WITHIN = timedelta(minutes=30)
_LONGEST_SCOPE = 4000


class NotKept(Exception):
    """What the tokens open is not what was asked for, or nobody asks for it any more; `outcome` says how."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(self.__doc__)
        self.outcome = outcome


def keep(request: AuthorizationRequest, token_set: TokenSet, people: Sequence[Resource], *, at: datetime) -> Connection:
    """Make the link, or renew the one there is: for the same person, or everything stays as it was.

    Raises NotKept, `claiming.AccountClosed` and `apps.vault.errors.VaultError`; nothing was written then.
    """
    if not people:
        raise NotKept(Outcome.NO_PERSON)
    if not request.is_reauthorization:
        return _hold(request, token_set, people, at=at)
    if request.connection is None:  # disconnected with its copy while the patient was away
        raise NotKept(Outcome.CLOSED)
    if request.connection.fhir_patient_id not in {person.logical_id for person in people}:
        raise NotKept(Outcome.WRONG_PERSON)
    return _renew(request, request.connection.pk, token_set, at=at)


def _hold(
    request: AuthorizationRequest, token_set: TokenSet, people: Sequence[Resource], *, at: datetime
) -> Connection:
    """Tokens and candidates, sealed, until the patient says who it is."""
    with transaction.atomic():
        claiming.hold_account(request)
        connection = Connection(
            user_id=request.user_id,
            endpoint=request.endpoint,
            provider=request.provider,
            registration=request.registration,
            granted_scope=_granted_scope(token_set),
            created_at=at,
            confirm_by_at=at + CONFIRM_WITHIN,
        )
        connection.sealed_candidates = candidates.seal(connection, candidates.read_candidates(people))
        connection.save(force_insert=True)
        refreshing.keep(connection, token_set, issued_at=at)
        noting.note_connection(
            EventType.TOKENS_EXCHANGED, connection, at=at, has_refresh_token=token_set.refresh_token is not None
        )
        noting.note_connection(EventType.CONNECTION_FOUND, connection, at=at, count=len(people))
        claiming.close(request, Outcome.COMPLETED, connection=connection)
    return connection


def _renew(request: AuthorizationRequest, connection_id: UUID, token_set: TokenSet, *, at: datetime) -> Connection:
    """New tokens for the connection the request was to renew."""
    with transaction.atomic():
        claiming.hold_account(request)
        connection = Connection.objects.select_for_update().filter(pk=connection_id).first()
        if connection is None or connection.status == Connection.Status.DISCONNECTED:
            raise NotKept(Outcome.CLOSED)
        _restore(connection, request.registration, token_set, at=at)
        claiming.close(request, Outcome.COMPLETED, connection=connection)
    return connection


def _restore(connection: Connection, registration: ClientRegistration, token_set: TokenSet, *, at: datetime) -> None:
    """The tokens belong to the registration that asked for them, which may be a newer one than before."""
    connection.registration = registration
    connection.granted_scope = _granted_scope(token_set)
    connection.save(update_fields=["registration", "granted_scope"])
    refreshing.keep(connection, token_set, issued_at=at)
    if connection.status != Connection.Status.ACTIVE:
        connection.restore()
    noting.note_connection(EventType.CONNECTION_REAUTHORIZED, connection, at=at)


def _granted_scope(token_set: TokenSet) -> str:
    """What was granted, as far as the server said; whole names only."""
    granted = " ".join(token_set.scope or ())
    return granted if len(granted) <= _LONGEST_SCOPE else granted[:_LONGEST_SCOPE].rpartition(" ")[0]
