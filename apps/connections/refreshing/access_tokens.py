"""Hand out an access token to whoever is about to ask a provider for data."""

import time
from datetime import datetime

from apps.connections import clocks
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import (
    claiming,
    fault_isolation,
    policy,
    protocol,
    storing,
    token_columns,
    token_lookup,
)
from apps.connections.refreshing.errors import NeedsReauthorization, NotYet, RegistrationBroken, SwitchedOff
from apps.connections.refreshing.results import Outcome, Result
from apps.connections.refreshing.token_lookup import Look
from apps.directory import discovering, reaching, registering
from apps.vault.errors import Shredded
from apps.wire.secret import Secret

JOIN_SECONDS = 12.0  # another attempt's call takes ten at most, and then is stored
_FIRST_LOOK_SECONDS, _LAST_LOOK_SECONDS = 0.02, 0.5


def usable_token(connection: Connection, *, at: datetime, refused: Secret | None = None) -> Secret:
    """An access token that is still valid for a while. `refused` is one that a server has just answered with 401: it is
    never returned again.

    Refreshes if it must; if another worker is already doing so, waits for its result. Speaks to the network: call it
    outside transactions. Raises NotYet, NeedsReauthorization, SwitchedOff, and WireError if a refresh failed for a
    reason that is not the patient's; the tokens are then kept.
    """
    try:
        return _usable_token(connection, at=at, refused=refused)
    except (Shredded, Connection.DoesNotExist):  # the account is being closed
        raise NeedsReauthorization from None


def check_switches(connection: Connection) -> None:
    """Raises SwitchedOff if staff switched off what this connection needs, according to the current rows; and
    Connection.DoesNotExist if it was just deleted. Also updates the connection's status."""
    rows = Connection.objects.filter(pk=connection.pk)
    switches = ("endpoint__is_switched_on", "registration__is_switched_on")
    connection.status, *are_on = rows.values_list("status", *switches).get()
    if not all(are_on):
        raise SwitchedOff


def _usable_token(connection: Connection, *, at: datetime, refused: Secret | None) -> Secret:
    clock = clocks.running_from(at)
    before = token_lookup.look_up(connection)
    if not reaching.is_known(connection.endpoint, connection.registration):
        raise RegistrationBroken(at + protocol.OPERATOR_WAIT)
    access_token = _alive(connection, before.stored, at=at, refused=refused)
    if access_token is not None:
        return access_token
    generation = before.stored.generation
    joined = _joined(connection, before, generation=generation)
    if joined is not None:
        return joined
    _check(connection, before.stored, at=at)
    discovering.keep_fresh(connection.endpoint, at=at)
    at = clock()
    for claim in claiming.claim_seen(connection, generation=generation, at=at):
        result = fault_isolation.attempt(claim, clock=clock)
        _learn(connection, claim.connection)
        return _token_of(result, at=at)
    after = token_lookup.look_up(connection)
    joined = _joined(connection, after, generation=generation)
    if joined is not None:
        return joined
    _check(connection, after.stored, at=at)
    raise NotYet(after.stored.not_before_at or at + protocol.LEAST_WAIT)


def _alive(connection: Connection, stored: StoredTokenSet, *, at: datetime, refused: Secret | None) -> Secret | None:
    """The stored access token, unless it is about to expire or was refused."""
    if stored.access_expires_at is None or at >= stored.access_expires_at - policy.MARGIN:
        return None
    access_token = token_columns.access_token(connection, stored)
    return None if access_token == refused else access_token


def _joined(connection: Connection, seen: Look, *, generation: int) -> Secret | None:
    """The result of another worker's attempt on this generation, polled without a transaction. None if there is no
    attempt; raises NotYet if there is no result in time."""
    until = time.monotonic() + JOIN_SECONDS
    while seen.stored.generation == generation:
        lease_until = seen.under_way_until
        if lease_until is None:
            return None
        if time.monotonic() > until:
            raise NotYet(lease_until)
        _await(connection, generation, until=until)
        seen = token_lookup.look_up(connection)
    return token_columns.access_token(connection, seen.stored)


def _await(connection: Connection, generation: int, *, until: float) -> None:
    """Sleep while another worker's attempt is in progress, at most until this monotonic time."""
    look_seconds = _FIRST_LOOK_SECONDS
    while time.monotonic() <= until:
        time.sleep(look_seconds)
        look_seconds = min(look_seconds * 2, _LAST_LOOK_SECONDS)
        if not token_lookup.is_under_way(connection, generation=generation):
            return


def _check(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> None:
    """Raise whatever prevents a refresh now, and mark the connection if only the patient can help."""
    if stored.sealed_refresh_token is None:
        raise storing.end_unasked(connection, stored, Reason.NOT_RENEWABLE, at=at)
    if stored.refresh_deadline_at is not None and at >= stored.refresh_deadline_at:
        reason = storing.reason_in_time(connection, stored, at=at)
        raise storing.end_unasked(connection, stored, reason, at=at)
    if claiming.is_kept_away(connection, stored, at=at):
        raise RegistrationBroken(registering.again_at(connection.registration) or at + protocol.OPERATOR_WAIT)


def _learn(connection: Connection, attempted: Connection) -> None:
    """Update the caller's object with what the attempt's object knows."""
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
