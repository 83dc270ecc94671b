"""What Home shows as new in a record since its owner last looked at it: names and dates, but no values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.translation import gettext

from apps.records.presenters.sensitivity import delicate
from apps.records.subjects import CONDITIONS, HISTORY
from apps.records.viewing import arrivals
from apps.records.viewing.arrivals import Arrival, Arrivals
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source, Whole
from apps.records.viewing.wording import dates_in_words

MOST_NAMED: Final = 5
_LOOKED_THROUGH: Final = 20  # some of what came is in no list


@dataclass(frozen=True)
class News:
    """`since` is when the record was last looked at. `rows` are the newest that came or changed since, among those that
    a first page names; `more` counts the others. `arrived` are the providers whose whole record is new, and `resent`
    those that sent theirs again: their entries are neither named nor counted."""

    since: datetime
    rows: tuple[Row, ...]
    more: int
    arrived: tuple[str, ...]
    resent: tuple[str, ...]


def of(whole: Whole) -> News | None:
    """None if nobody looked before, or if nothing listed came since. Raises VaultError."""
    found = arrivals.of(whole, most=_LOOKED_THROUGH)
    if found is None:
        return None
    named = [one for one in found.came if _may_be_named(one)][:MOST_NAMED]
    more = _more(whole, found, len(named))
    if not (named or more or found.arrived or found.resent):
        return None
    told = tuple(_row(whole, one, found.since) for one in named)
    return News(found.since, told, more, _names(found.arrived), _names(found.resent))


def _names(sources: tuple[Source, ...]) -> tuple[str, ...]:
    return tuple(source.provider for source in sources)


def _may_be_named(came: Arrival) -> bool:
    """Whether a first page may name it: there, somebody may look over a shoulder."""
    return came.subject is not HISTORY and not delicate.is_delicate(came.entry)


def _more(whole: Whole, found: Arrivals, named: int) -> int:
    """The number of others. Those not examined may not all be listed, so it is limited to the size of all lists."""
    more = len(found.came) - named
    if not found.behind:
        return more
    listed_in_all = sum(shelf.index.count for shelf in whole.shelves if shelf.index is not None)
    return max(more, min(more + found.behind, listed_in_all - named))


def _row(whole: Whole, came: Arrival, since: datetime) -> Row:
    entry, source = came.entry, whole.sources[came.record.connection_id]
    title, theirs = rows.names(entry)
    return Row(
        record=came.record.pk,
        subject=came.subject.key,
        title=title,
        theirs=theirs if came.subject is CONDITIONS else "",  # if its code is wrong, so is our name
        when_label="" if dates_in_words.says_itself(entry.when) else dates_in_words.label(entry),
        when=dates_in_words.in_words(entry.when),
        year="",
        group="",
        status="" if came.is_new(since) else gettext("changed"),
        details=(),
        providers=(source.provider,),
        person=source.person,
    )
