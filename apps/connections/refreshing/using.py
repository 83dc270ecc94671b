"""An access token for whoever is about to ask a provider for data."""

import time
from datetime import datetime

from django.db.models.functions import Now

from apps.connections import clocks
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import claiming, guarding, policy, protocol, storing, token_columns
from apps.connections.refreshing.errors import NeedsReauthorization, NotYet, RegistrationBroken, SwitchedOff
from apps.connections.refreshing.results import Outcome, Result
from apps.directory import discovering, reaching, registering
from apps.vault.errors import Shredded
from apps.wire.secret import Secret

JOIN_SECONDS = 12.0  # another attempt's call ends after ten, and is stored then
_FIRST_LOOK_SECONDS, _LAST_LOOK_SECONDS = 0.02, 0.5


def usable_token(connection: Connection, *, at: datetime, refused: Secret | None = None) -> Secret:
    """An access token with some life in it. `refused` is one that a server just answered 401 to: never handed out
    again.

    Refreshes where it must, and where somebody else does so already waits for what that brings. Speaks to the network:
    call it outside transactions. Raises NotYet, NeedsReauthorization, SwitchedOff, and WireError where a refresh failed
    for another reason than the patient's; the tokens are then kept.
    """
    try:
        return _usable_token(connection, at=at, refused=refused)
    except (Shredded, Connection.DoesNotExist):  # the account is being closed
        raise NeedsReauthorization from None


def check_switches(connection: Connection) -> None:
    """Raises SwitchedOff where staff switched off what this connection needs, as the rows are now; and
    Connection.DoesNotExist where it went a moment ago. Also learns the connection's status."""
    rows = Connection.objects.filter(pk=connection.pk)
    switches = ("endpoint__is_switched_on", "registration__is_switched_on")
    connection.status, *are_on = rows.values_list("status", *switches).get()
    if not all(are_on):
        raise SwitchedOff


def _usable_token(connection: Connection, *, at: datetime, refused: Secret | None) -> Secret:
    clock = clocks.running_from(at)
    stored = _stored(connection)
    if not reaching.is_known(connection.endpoint, connection.registration):
        raise RegistrationBroken(at + protocol.OPERATOR_WAIT)
    access_token = _alive(connection, stored, at=at, refused=refused)
    if access_token is not None:
        return access_token
    joined = _joined(connection, stored)
    if joined is not None:
        return joined
    _check(connection, stored, at=at)
    discovering.keep_fresh(connection.endpoint, at=at)
    at = clock()
    for claim in claiming.claim([connection.pk], at=at):
        result = guarding.attempt(claim, clock=clock)
        _learn(connection, claim.connection)
        return _token_of(result, at=at)
    now_stored = _stored(connection)
    joined = _joined(connection, now_stored, since=stored.generation)
    if joined is not None:
        return joined
    _check(connection, now_stored, at=at)
    raise NotYet(now_stored.not_before_at or at + protocol.LEAST_WAIT)


def _stored(connection: Connection) -> StoredTokenSet:
    check_switches(connection)
    stored = StoredTokenSet.objects.filter(pk=connection.pk).annotate(now=Now()).first()
    if stored is None or connection.status != Connection.Status.ACTIVE:
        raise NeedsReauthorization
    return stored


def _alive(connection: Connection, stored: StoredTokenSet, *, at: datetime, refused: Secret | None) -> Secret | None:
    """The stored access token, unless it is about to end or was refused."""
    if stored.access_expires_at is None or at >= stored.access_expires_at - policy.MARGIN:
        return None
    access_token = token_columns.access_token(connection, stored)
    return None if access_token == refused else access_token


def _joined(connection: Connection, stored: StoredTokenSet, *, since: int | None = None) -> Secret | None:
    """What an attempt under way brings, asked for without a transaction until it shows. None where none is under way;
    raises NotYet where it brings nothing in time."""
    generation = stored.generation if since is None else since
    until = time.monotonic() + JOIN_SECONDS
    look_seconds = _FIRST_LOOK_SECONDS
    while stored.generation == generation:
        if stored.lease_until is None or stored.lease_until <= stored.now:  # type: ignore[attr-defined]  # annotated
            return None
        if time.monotonic() > until:
            raise NotYet(stored.lease_until)
        time.sleep(look_seconds)
        look_seconds = min(look_seconds * 2, _LAST_LOOK_SECONDS)
        stored = _stored(connection)
    return token_columns.access_token(connection, stored)


def _check(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> None:
    """Raises whatever keeps this connection from being refreshed now, and marks it where only the patient can help."""
    if stored.sealed_refresh_token is None:
        raise storing.end_unasked(connection, stored, Reason.NOT_RENEWABLE, at=at)
    if stored.refresh_deadline_at is not None and at >= stored.refresh_deadline_at:
        reason = storing.reason_in_time(connection, stored, at=at)
        raise storing.end_unasked(connection, stored, reason, at=at)
    registration = connection.registration
    registration.refresh_from_db(fields=["trouble", "trouble_at", "trouble_seen_at"])
    if claiming.is_kept_away(connection, stored, at=at):
        raise RegistrationBroken(registering.again_at(registration) or at + protocol.OPERATOR_WAIT)


def _learn(connection: Connection, attempted: Connection) -> None:
    """The caller's object knows what the attempt's does."""
    connection.status, connection.reason, connection.reason_at = attempted.status, attempted.reason, attempted.reason_at
    known, learned = connection.registration, attempted.registration
    known.trouble, known.trouble_at, known.trouble_seen_at = (
        learned.trouble,
        learned.trouble_at,
        learned.trouble_seen_at,
    )


def _token_of(result: Result, *, at: datetime) -> Secret:
    if result.access_token is not None:
        return result.access_token
    if result.outcome in {Outcome.ENDED, Outcome.FORGOTTEN}:
        raise NeedsReauthorization
    if result.outcome is Outcome.RELEASED or result.error is None:
        raise NotYet(result.until or at)
    raise result.error
