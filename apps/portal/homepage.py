"""The contents of Home: whose record it is, what needs the patient, what is new, how much there is of each subject, and
the providers with their last check. Names and dates, but no value of any entry (patient experience 2.1).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext

from apps.connections.models import Connection
from apps.connections.presenting.standing import ShownConnection
from apps.records.presenters.datatypes import dates
from apps.records.viewing import subject_summaries
from apps.records.viewing.opening import last_checks
from apps.records.viewing.opening.last_checks import LastCheck
from apps.records.viewing.opening.whole import Owner, Source, Whole
from apps.records.viewing.subject_summaries import Summary

# More would hide the first; of the others only the number is shown, with a link (patient experience 2.1).
MOST_NEEDS: Final = 3


@dataclass(frozen=True)
class Line:
    """One provider, and the standing of its connection. `is_refused`: the provider lets us have nothing at all."""

    standing: ShownConnection
    is_refused: bool = False


@dataclass(frozen=True)
class Home:
    """`needs_you` has at most MOST_NEEDS entries; `more_needs` counts the others. `arriving` are connections whose
    first copy is on its way; `unchecked` has a sentence for each whose last check brought nothing. `providers` has a
    line for each confirmed connection."""

    needs_you: Sequence[ShownConnection]
    more_needs: int
    arriving: Sequence[ShownConnection]
    unchecked: Sequence[str]
    providers: Sequence[Line]
    summaries: Sequence[Summary] = ()


def of(found: Sequence[ShownConnection], record: Whole | None, owner: Owner | None, *, at: datetime) -> Home:
    """Home, from the opened record; one query. With an owner, it is about that person only; of the others it says how
    many connections need somebody, and no more."""
    shown = [one for one in found if owner is None or record is None or _is_of(one, record)]
    needs = [one for one in shown if one.needs_you]
    kept = [one for one in shown if one.connection.confirmed_at is not None]
    checks = last_checks.of(one.connection.pk for one in kept)
    waiting = [one for one in kept if _is_going_on(one)]
    sources = record.sources if record is not None else {}
    return Home(
        needs_you=needs[:MOST_NEEDS],
        more_needs=sum(one.needs_you for one in found) - len(needs[:MOST_NEEDS]),
        arriving=[one for one in waiting if _is_arriving(sources.get(one.connection.pk), checks)],
        unchecked=tuple(_unchecked(waiting, checks, at=at)),
        providers=_lines(kept, checks),
        summaries=subject_summaries.of(record) if record is not None else (),
    )


def lines(kept: Sequence[ShownConnection]) -> list[Line]:
    """The providers of these connections, each with its last check; one query."""
    return _lines(kept, last_checks.of(one.connection.pk for one in kept))


def _lines(kept: Sequence[ShownConnection], checks: Mapping[UUID, LastCheck]) -> list[Line]:
    return [Line(one, is_refused=_is_refused(one, checks)) for one in kept]


def _is_of(one: ShownConnection, record: Whole) -> bool:
    """Whether this connection is to the person whose record this is, or not confirmed yet."""
    return one.connection.confirmed_at is None or one.connection.pk in record.sources


def _is_going_on(one: ShownConnection) -> bool:
    """Whether we check this connection regularly, and nothing more urgent is said about it."""
    is_active = one.connection.status == Connection.Status.ACTIVE
    return is_active and not one.needs_you and not one.is_stopped


def _is_arriving(source: Source | None, checks: Collection[UUID]) -> bool:
    return source is not None and not source.is_copied and source.connection.pk not in checks


def _is_refused(one: ShownConnection, checks: Mapping[UUID, LastCheck]) -> bool:
    check = checks.get(one.connection.pk)
    return check is not None and check.is_refused and _is_going_on(one)


def _unchecked(going_on: Sequence[ShownConnection], checks: Mapping[UUID, LastCheck], *, at: datetime) -> Iterator[str]:
    """U7 of the patient experience in one line, for each provider whose last check brought nothing, unless an earlier
    check on the same day succeeded."""
    today = timezone.localdate(at)
    for one in going_on:
        check = checks.get(one.connection.pk)
        provider, checked_at = one.connection.provider.name, one.connection.last_checked_at
        if check is None or not check.is_failed or check.is_refused:
            continue
        if checked_at is not None and timezone.localdate(checked_at) == today:
            continue
        if timezone.localdate(check.at) == today:
            failed = gettext("We could not check %(provider)s today.") % {"provider": provider}
        else:
            told = {"provider": provider, "date": dates.day(check.at)}
            failed = gettext("We could not check %(provider)s on %(date)s.") % told
        if checked_at is None:
            kept = gettext("Not everything has come from there yet. We try again by ourselves.")
        else:
            kept = gettext("This is what we had on %(date)s.") % {"date": dates.day(checked_at)}
        yield f"{failed} {kept}"
