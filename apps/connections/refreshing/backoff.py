"""After an attempt that failed without ending the link: how long to wait, and who is told."""

import logging
import time
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Case, QuerySet, Value, When
from django.db.models.functions import Coalesce

from apps.connections import alerting, reachability, tallying
from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import budgeting, protocol
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.results import Outcome, Result
from apps.vault.errors import VaultError
from apps.wire import errors
from apps.wire.errors import Code, WireError

_LOG = logging.getLogger(__name__)
_TALLIED = {
    Outcome.WAITING: tallying.Outcome.WAITED,
    Outcome.OPERATOR: tallying.Outcome.OPERATOR,
    Outcome.OURS: tallying.Outcome.OURS,
}
_GATEWAY_TRIES = 4


def back_off(claim: Claim, error: WireError | VaultError, *, at: datetime) -> Result:
    """The patient cannot help: keep the tokens, wait before the next try, and tell staff if they must act."""
    lost_for = _lost_for(claim, error)
    tries = claim.stored.tries + 1
    until = at + _wait(claim, error, tries=tries, lost_for=lost_for, at=at)
    connection, outcome = claim.connection, _outcome(error)
    with transaction.atomic():
        _write(
            claim,
            until=until,
            is_lost=lost_for is not None,
            tries=claim.stored.tries if _is_of_registration(error) else tries,
            silent_at=at if reachability.is_silence(error) else None,
        )
        tallying.count(connection.registration_id, _TALLIED[outcome], at=at)
    if isinstance(error, VaultError):
        _LOG.error("A refresh token does not open: connection %s: %s", connection.pk, error)
        return Result(outcome, until=until, error=error)
    _LOG.warning("A refresh did not succeed: connection %s: %s", connection.pk, error)
    alerting.alert_staff_of_refusal(connection.registration, connection.endpoint, error, at=at)
    budgeting.failed(connection, error)
    return Result(outcome, until=until, error=error)


def break_off(claim: Claim, *, at: datetime) -> Result:
    """The attempt raised an unexpected error, a fault of ours: the tokens stay, and waits grow. If the server may have
    invalidated our token, the first tries come sooner, because most servers accept it again for a while."""
    tries = claim.stored.tries + 1
    lost_for = _missing_for(claim) if claim.rotates is not False and claim.stored.tries < _GATEWAY_TRIES else None
    left = _left(claim, at=at)
    until = at + protocol.wait(tries=tries, floor=claim.policy.floor, left=left, lost_for=lost_for)
    with transaction.atomic():
        _write(claim, until=until, is_lost=lost_for is not None, tries=tries, broke_off_at=at)
        tallying.count(claim.connection.registration_id, tallying.Outcome.OURS, at=at)
    return Result(Outcome.OURS, until=until)


def release(claim: Claim, *, at: datetime) -> Result:
    """Give back a claim without having asked: the row is as before, and a lost response may be asked for again at
    once."""
    is_lost = claim.stored.attempt_id is not None
    not_before_at = at if is_lost else claim.stored.not_before_at
    _mine(claim).update(
        attempt_id=None,
        attempt_started_at=claim.sent.earlier_started_at,
        lease_until=None,
        not_before_at=not_before_at,
        refresh_due_at=at if is_lost else claim.stored.refresh_due_at,
    )
    return Result(Outcome.RELEASED, until=not_before_at or at)


def _write(
    claim: Claim,
    *,
    until: datetime,
    is_lost: bool,
    tries: int,
    broke_off_at: datetime | None = None,
    silent_at: datetime | None = None,
) -> None:
    """End the attempt, unless another one replaced it. `is_lost`: a response was lost, and is asked for again soon.
    `silent_at`: the provider did not answer then, and perhaps not before."""
    due_at = until if is_lost else claim.stored.refresh_due_at
    unanswered_since = claim.sent.earlier_started_at
    if is_lost:
        unanswered_since = unanswered_since or claim.started_at
    _mine(claim).update(
        attempt_id=None,
        attempt_started_at=unanswered_since,
        lease_until=None,
        not_before_at=until,
        refresh_due_at=due_at and max(due_at, until),
        tries=min(tries, 1000),
        broke_off_at=broke_off_at,
        silent_since=silent_at
        and Case(When(tries=0, then=Value(silent_at)), default=Coalesce("silent_since", silent_at)),
    )


def _mine(claim: Claim) -> QuerySet[StoredTokenSet]:
    """The row, while it still belongs to this attempt."""
    return StoredTokenSet.objects.filter(pk=claim.connection.pk, attempt_id=claim.sent.attempt_id)


def _wait(
    claim: Claim, error: WireError | VaultError, *, tries: int, lost_for: timedelta | None, at: datetime
) -> timedelta:
    floor, left = claim.policy.floor, _left(claim, at=at)
    if _is_of_registration(error):
        return protocol.wait(tries=1, floor=floor, left=left)  # while the registration is in trouble, links wait anyway
    if isinstance(error, VaultError | errors.OrganizationNotEnabled | errors.EndpointMisconfigured):
        return protocol.wait(tries=1, floor=floor, left=left, least=protocol.OPERATOR_WAIT)
    seconds = error.retry_after_seconds if isinstance(error, errors.Unavailable) else None
    asked = None if seconds is None else timedelta(seconds=seconds)
    return protocol.wait(tries=tries, floor=floor, left=left, asked=asked, lost_for=lost_for)


def _left(claim: Claim, *, at: datetime) -> timedelta | None:
    """The time until the deadline, if there is one."""
    deadline_at = claim.stored.refresh_deadline_at
    return deadline_at - at if deadline_at is not None else None


def _outcome(error: WireError | VaultError) -> Outcome:
    """Who must act. A token that cannot be decrypted is for staff: a key is missing."""
    if isinstance(error, VaultError) or error.actor is errors.Actor.OPERATOR:
        return Outcome.OPERATOR
    return Outcome.WAITING if error.actor is errors.Actor.WAIT else Outcome.OURS


def _is_of_registration(error: WireError | VaultError) -> bool:
    return isinstance(error, errors.ClientRejected) and not isinstance(error, errors.OrganizationNotEnabled)


def _lost_for(claim: Claim, error: WireError | VaultError) -> timedelta | None:
    """How long a response has been missing, if the server may have invalidated our token without our knowing."""
    if claim.rotates is False or not _may_have_acted(error, tries=claim.stored.tries):
        return None
    return _missing_for(claim)


def _missing_for(claim: Claim) -> timedelta:
    """The time since the first unanswered attempt."""
    since = claim.sent.earlier_started_at or claim.started_at
    return claim.started_at - since + timedelta(seconds=time.monotonic() - claim.taken_at)


def _may_have_acted(error: WireError | VaultError, *, tries: int) -> bool:
    """Whether the request was sent and no readable response came. A gateway's errors may hide new tokens only at first:
    for a server in trouble, a gateway may send them for a day."""
    if isinstance(error, errors.Unavailable) and error.code in {Code.TIMED_OUT, Code.UNREACHABLE}:
        return error.was_sent
    is_gateway = isinstance(error, errors.Unavailable) and error.status in {408, 500, 502, 504}
    return (is_gateway or isinstance(error, errors.UnexpectedAnswer)) and tries < _GATEWAY_TRIES
