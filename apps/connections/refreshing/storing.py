"""Store the result of an attempt to refresh: a success, a refusal, or the end of a time limit.

Locks are taken in the order of `models.stored_token_set`: the connection before its token set.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db import connection as database
from django.db import transaction

from apps.audit import restorations
from apps.audit.recording import Actor, EventType
from apps.connections import alerting, connection_events, revoking, tallying
from apps.connections.grants import scoping
from apps.connections.models import Connection, MoveNotAllowed, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import (
    budgeting,
    doubting,
    fast_path,
    policy,
    protocol,
    reopening,
    token_columns,
    write_retries,
)
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.errors import NeedsReauthorization, NotYet
from apps.connections.refreshing.protocol import Standing, Verdict
from apps.connections.refreshing.results import Outcome, Result
from apps.connections.refreshing.timing import Times
from apps.directory import registering
from apps.vault.errors import Shredded
from apps.vault.sealing import KeyRing
from apps.wire.errors import WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

_ACTOR = Actor.system("refreshing")
_OF_A_NEW_ONE = frozenset({"sealed_refresh_token", "token_origin"})
_STANDING = tuple(field.name for field in fields(Standing))
_HOLD = f"""
SELECT statement_timestamp(), linked.status, linked.lapses_at, held.refused_at, held.data_refused_at,
    {", ".join(f"held.{name}" for name in _STANDING)}
FROM connections_connection AS linked JOIN connections_storedtokenset AS held ON held.connection_id = linked.id
WHERE linked.id = %s
FOR NO KEY UPDATE OF linked, held
"""  # noqa: S608 # nosec B608 - of constants alone


@dataclass(frozen=True)
class _Held:
    """A locked token set, with the database's time."""

    now: datetime
    standing: Standing


def adopt(claim: Claim, token_set: TokenSet, *, is_new: bool, ring: KeyRing, at: datetime) -> Result:
    """Store a success, unless another one came first; retry until it is written. `is_new`: it brought a new refresh
    token; `at`: when the request was sent. Tokens that nobody can keep any more are revoked."""
    try:
        columns = token_columns.sealed(claim.connection, token_set, ring=ring)
        access_token = write_retries.until_written(
            lambda: _keep_first(claim, token_set, columns, is_new=is_new, ring=ring, at=at)
        )
    except Shredded:
        access_token = None
    if access_token is None:  # disconnected, or the account closed, while we asked
        revoking.revoke_unused(claim.connection, token_set, at=at)
        return Result(Outcome.FORGOTTEN)
    if claim.was_refused or claim.connection.registration.trouble:
        alerting.note_tokens(claim.connection.registration, claim.connection.endpoint, at=at)
    registering.note_rotation(claim.connection.registration, rotates=is_new, at=at)
    return Result(Outcome.REFRESHED, access_token)


def refuse(claim: Claim, refusal: WireError, *, ring: KeyRing, at: datetime) -> Result:
    """The provider refused. That is believed only if no other attempt on the same tokens succeeded or may yet be
    answered; and then it is asked again now and then while it may be a mistake (`doubting`)."""
    budgeting.answered([claim.connection.registration_id])
    with transaction.atomic():
        held = _hold(claim)
        if held is None:
            return Result(Outcome.FORGOTTEN)
        verdict = protocol.judge(held.standing, claim.sent, now=held.now)
        if verdict is Verdict.OVERTAKEN:
            return Result(Outcome.REFRESHED, _stored_access_token(claim, ring))
        if verdict is Verdict.SUSPECTED:
            tallying.count(claim.connection.registration_id, tallying.Outcome.WAITED, at=at)
            return Result(Outcome.WAITING, until=_suspect(claim, held, at=at))
        if claim.stored.is_data_refused:  # so far only its data was refused
            claim.stored.refused_at = None
        is_first = claim.stored.refused_at is None
        if is_first:
            code = refusal.code.value
            connection_events.note_connection(
                EventType.TOKENS_REFUSED, claim.connection, at=at, actor=_ACTOR, code=code
            )
        reason = _reason_of_refusal(claim)
        again_at = doubting.again_at(claim, reason, at=at)
        outcome = tallying.Outcome.REFUSED if is_first else tallying.Outcome.WAITED
        tallying.count(claim.connection.registration_id, outcome, at=at)
        return _end(claim, reason, at=at, more_url=refusal.error_uri or "", again_at=again_at)


def _reason_of_refusal(claim: Claim) -> Reason:
    """Tokens from a restored backup may have been replaced since: then the server did not end anything."""
    used_at = claim.stored.refresh_used_at
    if used_at is not None and restorations.was_restored_since(used_at):
        return Reason.EARLIER_COPY
    return Reason.SESSION_OVER if claim.stored.is_session_bound else Reason.GRANT_ENDED


def end_in_time(claim: Claim, *, at: datetime) -> Result:
    """The deadline passed, and the provider was not asked."""
    return _end_unsent(claim, reason_in_time(claim.connection, claim.stored, at=at), at=at)


def end_for_dropped_address(claim: Claim, *, at: datetime) -> Result:
    """Staff withdrew the approval of the address that issued its tokens, and the endpoint does not lead there any more:
    the tokens were sent to nobody, and never will be."""
    return _end_unsent(claim, Reason.ADDRESS_DROPPED, at=at)


def _end_unsent(claim: Claim, reason: Reason, *, at: datetime) -> Result:
    with transaction.atomic():
        held = _hold(claim)
        if held is None or held.standing.generation != claim.sent.generation:
            return Result(Outcome.FORGOTTEN if held is None else Outcome.RELEASED)
        return _end(claim, reason, at=at)


def reason_in_time(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> Reason:
    """Which of the two limits passed."""
    window = policy.of(connection).window
    issued_at = stored.refresh_issued_at
    is_window = window is not None and issued_at is not None and at >= issued_at + window
    return Reason.WINDOW_OVER if is_window else Reason.IDLE_LIMIT_OVER


def end_unasked(
    connection: Connection, seen: StoredTokenSet, reason: Reason, *, at: datetime
) -> NeedsReauthorization | NotYet:
    """According to the token set that was just read, only the patient can bring this connection back: mark it, and
    return the error to raise. If other tokens came meanwhile, the connection continues with them: ask again."""
    with transaction.atomic():
        list(Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk).values_list("pk"))
        held = StoredTokenSet.objects.filter(pk=connection.pk, generation=seen.generation)
        return _give_up(connection, reason, at=at) if held.update(refresh_due_at=None) else NotYet(at)


def _give_up(connection: Connection, reason: Reason, *, at: datetime, more_url: str = "") -> NeedsReauthorization:
    """Mark the connection, and return the error to raise. The record stays. `more_url`: the provider's own page about
    it, if it named one."""
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION:  # for another reason, perhaps
        closed = Connection.objects.filter(pk=connection.pk, reason=Reason.DATA_REFUSED)
        closed.update(reason=reason)
    with suppress(MoveNotAllowed), transaction.atomic():  # disconnected meanwhile: nothing is left to mark
        connection.require_reauthorization(reason, at=at, more_url=more_url)
        connection_events.note_connection(
            EventType.CONNECTION_NEEDS_REAUTHORIZATION, connection, at=at, actor=_ACTOR, reason=reason.value
        )
    return NeedsReauthorization()


def _hold(claim: Claim) -> _Held | None:
    """Lock the connection and then its token set. None if they are gone. Updates the claim with their current state."""
    with database.cursor() as cursor:
        cursor.execute(_HOLD, [claim.connection.pk])
        row = cursor.fetchone()
    if row is None:
        return None
    now, claim.connection.status, claim.connection.lapses_at, refused_at, data_refused_at, *standing = row
    if claim.connection.status == Connection.Status.NEEDS_REAUTHORIZATION:  # it may have been refused since the claim
        claim.stored.refused_at, claim.stored.data_refused_at = refused_at, data_refused_at
    return _Held(now, Standing(**dict(zip(_STANDING, standing, strict=True))))


def _keep_first(
    claim: Claim, token_set: TokenSet, sealed: dict[str, Any], *, is_new: bool, ring: KeyRing, at: datetime
) -> Secret | None:
    """The access token that is valid from now on, of whichever success came first; None if no tokens are kept.

    If a new sign-in came first, the late tokens are dropped and not revoked: a server may end the patient's whole
    permission with them, including the new sign-in's tokens (RFC 7009 section 2.1 leaves that to its policy). Nobody
    holds them; they expire.
    """
    written = _success(claim, token_set, sealed, is_new=is_new, at=at)
    if written.is_usual(claim.connection) and fast_path.store(
        claim,
        written.columns,
        lapses_at=written.times.lapses_at,
        granted_scope=written.scope,
        actor=_ACTOR,
        at=at,
    ):
        return token_set.access_token
    with transaction.atomic():
        held = _hold(claim)
        if held is None:
            return None
        if not protocol.accepts(held.standing, claim.sent):
            return _stored_access_token(claim, ring)
        _write_success(claim, held.standing, written, at=at)
    return token_set.access_token


@dataclass(frozen=True, repr=False)
class _Success:
    """What a success writes if nothing happened since the claim."""

    columns: dict[str, Any]
    times: Times
    scope: str

    def is_usual(self, connection: Connection) -> bool:
        """Whether nothing of the connection itself changes, as it was loaded."""
        return (connection.lapses_at, connection.granted_scope) == (self.times.lapses_at, self.scope)


def _success(claim: Claim, token_set: TokenSet, sealed: Mapping[str, Any], *, is_new: bool, at: datetime) -> _Success:
    """If no refresh token came, or the same one, it is kept with its window (RFC 6749 section 6)."""
    connection = claim.connection
    issued_at = at if is_new else claim.stored.refresh_issued_at
    times = token_columns.times(connection, token_set, issued_at=at, refresh_issued_at=issued_at, rotates=is_new)
    kept = {name: value for name, value in sealed.items() if is_new or name not in _OF_A_NEW_ONE}
    columns = {
        **kept,
        **times.columns,
        **token_columns.AS_NEW,
        "generation": claim.sent.generation + 1,
        "is_rotated": is_new,
    }
    return _Success(columns, times, scoping.granted_still(connection.granted_scope, token_set.scope))


def _write_success(claim: Claim, standing: Standing, success: _Success, *, at: datetime) -> None:
    """In the transaction that holds the rows."""
    connection, times = claim.connection, success.times
    StoredTokenSet.objects.filter(pk=connection.pk).update(
        **{
            **success.columns,
            "not_before_at": _not_before(claim, standing, times),
            "lease_until": protocol.lease_after(standing, claim.sent),
            **(reopening.still_closed(claim, times, at=at) if claim.stored.is_data_refused else {}),
        }
    )
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION and not claim.stored.is_data_refused:
        connection.restore()  # a success that came after a refusal still counts
    if not success.is_usual(connection):
        Connection.objects.filter(pk=connection.pk).update(lapses_at=times.lapses_at, granted_scope=success.scope)
    generation = success.columns["generation"]
    connection_events.note_connection(
        EventType.TOKENS_REFRESHED, connection, at=at, actor=_ACTOR, generation=generation
    )
    tallying.count(connection.registration_id, tallying.Outcome.SUCCEEDED, at=doubting.proven_at(claim, at=at))


def _not_before(claim: Claim, standing: Standing, times: Times) -> datetime:
    """After a late success, the floor or wait of the attempt that was claimed after it still applies."""
    if standing.attempt_id == claim.sent.attempt_id or standing.not_before_at is None:
        return times.not_before_at
    return max(times.not_before_at, standing.not_before_at)


def _stored_access_token(claim: Claim, ring: KeyRing) -> Secret:
    sealed = StoredTokenSet.objects.values_list("sealed_access_token", flat=True).get(pk=claim.connection.pk)
    return token_columns.open_access_token(claim.connection, sealed, ring=ring)


def _suspect(claim: Claim, held: _Held, *, at: datetime) -> datetime:
    """Until when the refusal is not believed. If another attempt owns the row, that one ends it."""
    if held.standing.attempt_id not in {None, claim.sent.attempt_id}:
        return held.standing.lease_until or at + protocol.LEASE
    began_at = protocol.may_answer_since(held.standing, claim.sent, now=held.now)
    until = protocol.suspected_until(held.standing, claim.sent, floor=claim.policy.floor, at=at, now=held.now)
    StoredTokenSet.objects.filter(pk=claim.connection.pk).update(
        attempt_id=None, attempt_started_at=began_at, lease_until=None, not_before_at=until, refresh_due_at=until
    )
    return until


def _end(claim: Claim, reason: Reason, *, at: datetime, more_url: str = "", again_at: datetime | None = None) -> Result:
    """In the transaction that holds the rows. `again_at`: when it is asked once more."""
    StoredTokenSet.objects.filter(pk=claim.connection.pk).update(
        **token_columns.NO_ATTEMPT,
        refresh_due_at=again_at,
        refused_at=(claim.stored.refused_at or at) if again_at else None,
    )
    _give_up(claim.connection, reason, at=at, more_url=more_url)
    return Result(Outcome.ENDED)
