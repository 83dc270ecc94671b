"""The refresh protocol (design, section 5) as decisions on plain data: no clock, no rows, no network.

Two clocks are distinguished. `now` is the database's: leases and attempts use it, whatever the workers' clocks show.
`at` is the worker's: it decides whether a deadline, a floor or a wait has passed.

What is at stake: a server that rotates has invalidated our refresh token as soon as it responds. If that response is
lost, most servers accept the last token once more for a minute or two, so it is sent again soon, whatever the floor
says. And a refusal may only mean that another attempt of ours has just succeeded: while one may still be answered, no
refusal is believed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from uuid import UUID

LEASE = timedelta(seconds=30)  # how long an attempt keeps everybody else away
CALL_WITHIN = timedelta(seconds=15)  # after the claim, or not at all: the call ends ten seconds later, within the lease
MAY_STILL_ANSWER = timedelta(minutes=2)  # for a worker that is delayed, or cannot write the response it has

FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)
AGAIN_AFTER_REFUSAL = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 120, 360, 720))  # since the first one
OPERATOR_WAIT = timedelta(minutes=15)  # after an error that only staff can fix
LEAST_WAIT = timedelta(seconds=5)  # close to a deadline, unless the floor is longer
SOONEST_RESEND = timedelta(seconds=1)  # after a lost response: wait half as long as it has been missing
LATEST_RESEND = timedelta(seconds=30)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What a stored token set says about its refresh. An attempt is open while there is an `attempt_id`. If there is
    none, `attempt_started_at` is that of an earlier attempt on the same generation that was never answered."""

    generation: int
    attempt_id: UUID | None = None
    attempt_started_at: datetime | None = None
    lease_until: datetime | None = None
    not_before_at: datetime | None = None


class Turn(Enum):
    """Whether a refresh may be requested now."""

    ASK = auto()
    RESEND = auto()  # the same token again: a response was lost, and the server may have invalidated the token
    WAIT = auto()


@dataclass(frozen=True)
class Sent:
    """An attempt as it was claimed. `earlier_started_at`: when another attempt on the same generation began that was
    never answered."""

    generation: int
    attempt_id: UUID
    earlier_started_at: datetime | None = None


class Verdict(Enum):
    """What a refusal means."""

    OVERTAKEN = auto()  # another attempt succeeded first
    SUSPECTED = auto()  # another attempt may still be answered
    BELIEVED = auto()


def turn(standing: Standing, *, rotates: bool | None, at: datetime, now: datetime) -> Turn:
    """Whether to ask. `rotates`: as far as we know; if unknown, the token may have been invalidated as well."""
    if standing.lease_until is not None and now < standing.lease_until:
        return Turn.WAIT
    if standing.attempt_id is not None and rotates is not False:
        return Turn.RESEND
    return Turn.WAIT if standing.not_before_at is not None and at < standing.not_before_at else Turn.ASK


def unanswered_since(standing: Standing, *, now: datetime) -> datetime | None:
    """When an attempt began that may still be answered; None if there is none."""
    began_at = standing.attempt_started_at
    return began_at if began_at is not None and now < began_at + MAY_STILL_ANSWER else None


def accepts(standing: Standing, sent: Sent) -> bool:
    """Whether a success is stored: the first one on its generation, however late, and whatever refusal was believed
    meanwhile."""
    return standing.generation == sent.generation


def lease_after(standing: Standing, sent: Sent) -> datetime | None:
    """Until when nobody may claim after this attempt's success. If it came late, another attempt may be calling with
    the tokens that it replaced, and keeps its lease. None if there is no other."""
    return standing.lease_until if standing.attempt_id not in {None, sent.attempt_id} else None


def judge(standing: Standing, sent: Sent, *, now: datetime) -> Verdict:
    """What a refusal of this attempt means."""
    if standing.generation != sent.generation:
        return Verdict.OVERTAKEN
    if standing.attempt_id not in {None, sent.attempt_id}:
        return Verdict.SUSPECTED
    others = {sent.earlier_started_at, None if standing.attempt_id else standing.attempt_started_at}
    may_answer = any(began_at is not None and now < began_at + MAY_STILL_ANSWER for began_at in others)
    return Verdict.SUSPECTED if may_answer else Verdict.BELIEVED


def suspected_until(standing: Standing, sent: Sent, *, floor: timedelta, at: datetime, now: datetime) -> datetime:
    """Until when nobody asks again after a suspected refusal. `at`: when the request was sent. A late refusal never
    shortens the wait of an attempt that was claimed after it and has ended meanwhile."""
    until = at + max(may_answer_since(standing, sent, now=now) + MAY_STILL_ANSWER - now, floor, LEAST_WAIT)
    return until if standing.not_before_at is None else max(until, standing.not_before_at)


def may_answer_since(standing: Standing, sent: Sent, *, now: datetime) -> datetime:
    """When the attempt began because of which the refusal is suspected."""
    return sent.earlier_started_at or standing.attempt_started_at or now


def again_after_refusal(*, refused_for: timedelta) -> timedelta | None:
    """How long to wait before asking again after a doubted refusal; None if it was asked for long enough.
    `refused_for`: the time since the first refusal."""
    return next((after - refused_for for after in AGAIN_AFTER_REFUSAL if after > refused_for), None)


def wait(
    *,
    tries: int,
    floor: timedelta,
    left: timedelta | None,
    asked: timedelta | None = None,
    least: timedelta = FIRST_WAIT,
    lost_for: timedelta | None = None,
) -> timedelta:
    """How long to wait after a failed attempt, the `tries`-th in a row (from 1).

    `left`: the time until the deadline, if there is one; `asked`: the wait that the server asked for; `least`: the
    first wait, before it grows; `lost_for`: if the server may have invalidated the token, how long ago the first
    attempt was sent whose response was lost.

    The wait doubles each time, up to an hour and a quarter of the time left. A wait that the server asks for takes
    precedence over ours, but not over the deadline. It is never shorter than the floor, except after a lost response.
    """
    if asked is None and lost_for is not None and lost_for < MAY_STILL_ANSWER:
        return min(max(lost_for / 2, SOONEST_RESEND), LATEST_RESEND)
    grown: timedelta = min(least * 2 ** min(tries - 1, 10), max(LONGEST_WAIT, least))
    lowest = max(floor, LEAST_WAIT)
    if asked is None:
        chosen = grown if left is None else min(grown, left / 4)
    else:
        chosen = min(asked if tries == 1 else max(asked, grown), LONGEST_WAIT)
        chosen = chosen if left is None else min(chosen, left - lowest)
    return max(chosen, lowest)
