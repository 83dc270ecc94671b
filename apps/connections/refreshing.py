"""The one keeper of tokens: nothing else writes a StoredTokenSet.

`keep` stores what an exchange brought, `usable_token` hands out an access token and refreshes it first where it must,
`forget` drops everything. A refresh claims the row with a lease on the database's clock, calls with no transaction
open, and stores where the generation is still the one it sent: the first success wins, even late (design, section 5).
Whether a time limit passed is judged by the `at` callers give.
"""

import logging
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from apps.audit.recording import Actor, EventType
from apps.connections import alerting, noting, revoking, token_columns
from apps.connections.models import Connection, MoveNotAllowed, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory import discovering, reaching, registering
from apps.vault.errors import Shredded, VaultError
from apps.wire import token_endpoint
from apps.wire.errors import (
    AuthorizationDenied,
    AuthorizationExpired,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    Unavailable,
    WireError,
)
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

_LOG = logging.getLogger(__name__)
_ACTOR = Actor.system("refreshing")

MARGIN = timedelta(seconds=30)  # an access token this near its end is not used any more (specification 7.2)
LEASE = timedelta(seconds=30)  # the call itself ends after ten
WAIT = timedelta(minutes=1)  # after an answer that asks us to wait and does not say how long
LONGEST_WAIT = timedelta(hours=1)
OPERATOR_WAIT = timedelta(minutes=15)  # after an answer only staff can change


class NotYet(Exception):
    """Nobody may refresh this connection before `until`: ask again then."""

    def __init__(self, until: datetime) -> None:
        super().__init__(self.__doc__)
        self.until = until


class NeedsReauthorization(Exception):
    """The patient must sign in at the provider again; the connection says why."""


class RegistrationBroken(NotYet):
    """Their server does not accept our client registration, and nobody asks again before `until`, or before staff
    mended it: then at once."""


class SwitchedOff(Exception):
    """Staff switched the endpoint or the client registration off: nothing is asked until both are on again."""


def keep(connection: Connection, token_set: TokenSet, *, issued_at: datetime) -> None:
    """Store the token set of a code exchange, over any earlier one. `issued_at` is when the request was sent.

    As `hand_over` and `forget` do, it locks the token set: whoever calls them holds the connection already.
    """
    with transaction.atomic():
        earlier = StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()
        columns: dict[str, Any] = {
            "sealed_refresh_token": None,
            "refresh_issued_at": None,
            "refresh_deadline_at": None,
            "refresh_due_at": None,
            **token_columns.columns(connection, token_set, issued_at=issued_at),
            "generation": earlier.generation + 1 if earlier else 1,
        }
        StoredTokenSet.objects.update_or_create(connection=connection, defaults=columns)


def hand_over(*, giver: Connection, receiver: Connection) -> None:
    """Give one connection's tokens to another of the same user and registration; the giver has none afterwards."""
    with transaction.atomic():
        given = StoredTokenSet.objects.select_for_update().get(pk=giver.pk)
        earlier = StoredTokenSet.objects.select_for_update().filter(pk=receiver.pk).first()
        refresh_token = token_columns.refresh_token(giver, given)
        columns = {
            "sealed_access_token": token_columns.seal(
                receiver, "sealed_access_token", token_columns.access_token(giver, given)
            ),
            "sealed_refresh_token": refresh_token
            and token_columns.seal(receiver, "sealed_refresh_token", refresh_token),
            "generation": earlier.generation + 1 if earlier else 1,
            "not_before_at": given.not_before_at,
            "refresh_issued_at": given.refresh_issued_at,
            "refresh_deadline_at": given.refresh_deadline_at,
            "refresh_due_at": given.refresh_due_at,
            "access_expires_at": given.access_expires_at,
            **token_columns.NO_ATTEMPT,
        }
        StoredTokenSet.objects.update_or_create(connection=receiver, defaults=columns)
        given.delete()


def forget(connection: Connection) -> Secret | None:
    """Drop the tokens. Returns the one to revoke at the provider, if there was any that opens."""
    with transaction.atomic():
        stored = StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()
        if stored is None:
            return None
        token = _to_revoke(connection, stored)
        stored.delete()
    return token


def check_switches(connection: Connection) -> None:
    """Raises SwitchedOff where staff switched off what this connection needs, as the rows are now; and
    Connection.DoesNotExist where it went a moment ago. Also learns the connection's status."""
    rows = Connection.objects.filter(pk=connection.pk)
    switches = ("endpoint__is_switched_on", "registration__is_switched_on")
    connection.status, *are_on = rows.values_list("status", *switches).get()
    if not all(are_on):
        raise SwitchedOff


def usable_token(connection: Connection, *, at: datetime, refused: Secret | None = None) -> Secret:
    """An access token with some life in it. `refused` is one that a server just answered 401 to: never handed out
    again.

    Speaks to the network where it must: call it outside transactions. Raises NotYet, NeedsReauthorization,
    SwitchedOff, and WireError where a refresh failed for another reason than the patient's; the tokens are then kept.
    """
    try:
        return _usable_token(connection, at=at, refused=refused)
    except (Shredded, Connection.DoesNotExist):  # the account is being closed
        raise NeedsReauthorization from None


def _usable_token(connection: Connection, *, at: datetime, refused: Secret | None) -> Secret:
    stored = _stored(connection)
    access_token = token_columns.access_token(connection, stored)
    is_alive = stored.access_expires_at is not None and at < stored.access_expires_at - MARGIN
    if is_alive and (refused is None or access_token != refused):
        return access_token
    return _refreshed(connection, stored, at=at)


def _to_revoke(connection: Connection, stored: StoredTokenSet) -> Secret | None:
    """What does not open cannot be revoked, and must be dropped all the same."""
    try:
        return token_columns.refresh_token(connection, stored) or token_columns.access_token(connection, stored)
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: connection %s: %s", connection.pk, error)
        return None


def _stored(connection: Connection) -> StoredTokenSet:
    check_switches(connection)
    stored = StoredTokenSet.objects.filter(pk=connection.pk).first()
    if stored is None or connection.status != Connection.Status.ACTIVE:
        raise NeedsReauthorization
    return stored


def _refreshed(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> Secret:
    refresh_token = token_columns.refresh_token(connection, stored)
    if refresh_token is None:
        raise _give_up(connection, Reason.NOT_RENEWABLE, at=at)
    if stored.refresh_deadline_at is not None and at >= stored.refresh_deadline_at:
        raise _give_up(connection, Reason.WINDOW_OVER, at=at)
    if stored.not_before_at is not None and at < stored.not_before_at:
        raise NotYet(stored.not_before_at)
    _check_registration(connection, stored, at=at)
    discovering.keep_fresh(connection.endpoint, at=at)
    attempt_id = _claim(stored, at=at)
    if attempt_id is None:
        return _from_another_attempt(connection, stored, at=at)
    try:
        endpoint = reaching.token_endpoint(connection.endpoint, connection.registration)
        token_set = token_endpoint.refresh(endpoint, refresh_token=refresh_token)
    except (AuthorizationExpired, AuthorizationDenied) as refusal:
        return _refuse(connection, stored, attempt_id, refusal, at=at)
    except WireError as error:
        _put_off(connection, stored, attempt_id, error, at=at)
        raise
    return _adopt(connection, stored, token_set, at=at)


def _check_registration(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> None:
    """One connection at a time finds out whether a registration is accepted again (`registering.is_in_trouble`), unless
    there is no later for this one. Raises RegistrationBroken."""
    registration = connection.registration
    registration.refresh_from_db(fields=["trouble", "trouble_at", "trouble_seen_at"])
    again_at = registering.again_at(registration)
    has_later = stored.refresh_deadline_at is None or again_at is None or again_at < stored.refresh_deadline_at
    if registering.is_in_trouble(registration, at=at) and has_later:
        raise RegistrationBroken(again_at or at + OPERATOR_WAIT)


def _claim(stored: StoredTokenSet, *, at: datetime) -> uuid.UUID | None:
    """Take the row for one attempt, on the database's clock. None where somebody else has or had it, where an attempt
    that ended since the row was read asks us to wait, and where it was switched off since."""
    attempt_id = uuid.uuid4()
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=Now())
    may_ask = Q(not_before_at__isnull=True) | Q(not_before_at__lte=at)
    # What is asked of this row is asked without a join, and so again by the database after a wait for another worker:
    # the join of an update becomes a subquery, which sees the row as it was before.
    on = Connection.objects.filter(endpoint__is_switched_on=True, registration__is_switched_on=True)
    rows = StoredTokenSet.objects.filter(
        free, may_ask, pk=stored.pk, generation=stored.generation, connection__in=on.values("pk")
    )
    claimed = rows.update(attempt_id=attempt_id, attempt_started_at=Now(), lease_until=Now() + LEASE)
    return attempt_id if claimed else None


def _from_another_attempt(connection: Connection, sent: StoredTokenSet, *, at: datetime) -> Secret:
    """What another worker's attempt brought. Raises NotYet while it is under way, or has to be waited after."""
    stored = _stored(connection)
    if stored.generation != sent.generation:
        return token_columns.access_token(connection, stored)
    raise NotYet(stored.lease_until or stored.not_before_at or at + LEASE)


def _adopt(connection: Connection, sent: StoredTokenSet, token_set: TokenSet, *, at: datetime) -> Secret:
    """Store a success, unless another one came first. What nobody can keep any more is given back."""
    try:
        access_token = _keep_first(connection, sent, token_set, at=at)
    except Shredded:
        access_token = None
    if access_token is None:  # disconnected, or the account closed, while we asked
        revoking.revoke_unused(connection, token_set, at=at)
        raise NeedsReauthorization
    alerting.note_tokens(connection.registration, connection.endpoint, at=at)
    return access_token


def _keep_first(connection: Connection, sent: StoredTokenSet, token_set: TokenSet, *, at: datetime) -> Secret | None:
    """The access token that holds from now on, of whichever success came first; None where no tokens are kept."""
    with transaction.atomic():
        stored = _hold(connection)
        if stored is None:
            return None
        if stored.generation != sent.generation:
            return token_columns.access_token(connection, stored)
        _write_success(connection, stored, token_set, at=at)
    return token_set.access_token


def _hold(connection: Connection) -> StoredTokenSet | None:
    """The token set, locked after its connection, which may have to move (`models.stored_token_set`)."""
    if Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk).first() is None:
        return None
    return StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()


def _write_success(connection: Connection, stored: StoredTokenSet, token_set: TokenSet, *, at: datetime) -> None:
    columns = token_columns.columns(connection, token_set, issued_at=at)
    if token_set.refresh_token is None or token_set.refresh_token == token_columns.refresh_token(connection, stored):
        # the old one is kept (RFC 6749 section 6), and its window goes on from when it was issued: nothing is gained
        # by refreshing again before it ends
        for column in ("sealed_refresh_token", "refresh_issued_at", "refresh_deadline_at"):
            columns.pop(column, None)
        columns["refresh_due_at"] = None
    StoredTokenSet.objects.filter(pk=stored.pk).update(**columns, generation=stored.generation + 1)
    connection.refresh_from_db(fields=["status"])
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION:
        connection.restore()  # a success that came after a refusal still counts
    noting.note_connection(
        EventType.TOKENS_REFRESHED, connection, at=at, actor=_ACTOR, generation=stored.generation + 1
    )


def _refuse(
    connection: Connection, sent: StoredTokenSet, attempt_id: uuid.UUID, refusal: WireError, *, at: datetime
) -> Secret:
    """The provider refused. Believed only where no other attempt on the same tokens succeeded or may yet answer."""
    with transaction.atomic():
        stored = _hold(connection)
        if stored is None:
            raise NeedsReauthorization
        if stored.generation != sent.generation:
            return token_columns.access_token(connection, stored)
        if stored.attempt_id != attempt_id and stored.lease_until is not None:
            raise NotYet(stored.lease_until)
        StoredTokenSet.objects.filter(pk=stored.pk).update(**token_columns.NO_ATTEMPT, refresh_due_at=None)
        noting.note_connection(EventType.TOKENS_REFUSED, connection, at=at, actor=_ACTOR, code=refusal.code.value)
        ended = _give_up(connection, Reason.GRANT_ENDED, at=at)
    raise ended


def _put_off(
    connection: Connection, sent: StoredTokenSet, attempt_id: uuid.UUID, error: WireError, *, at: datetime
) -> None:
    """Not the patient's matter: keep the tokens, let nobody ask again too soon, and tell staff where it is theirs."""
    wait = WAIT
    if isinstance(error, Unavailable) and error.retry_after_seconds is not None:
        wait = min(max(timedelta(seconds=error.retry_after_seconds), timedelta(seconds=1)), LONGEST_WAIT)
    if isinstance(error, OrganizationNotEnabled | EndpointMisconfigured):
        wait = OPERATOR_WAIT  # a registration that is refused as a whole keeps everybody away by itself
    StoredTokenSet.objects.filter(pk=sent.pk, attempt_id=attempt_id, generation=sent.generation).update(
        **token_columns.NO_ATTEMPT, not_before_at=at + wait
    )
    _LOG.warning("A refresh did not succeed: connection %s: %s", connection.pk, error)
    alerting.alert_staff_of_refusal(connection.registration, connection.endpoint, error, at=at)


def _give_up(connection: Connection, reason: Reason, *, at: datetime) -> NeedsReauthorization:
    """Mark the connection and return the error to raise. The record stays as it is."""
    with suppress(MoveNotAllowed), transaction.atomic():  # disconnected meanwhile: nothing is left to mark
        connection.require_reauthorization(reason, at=at)
        noting.note_connection(
            EventType.CONNECTION_NEEDS_REAUTHORIZATION, connection, at=at, actor=_ACTOR, reason=reason.value
        )
    return NeedsReauthorization()
