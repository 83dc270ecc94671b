"""The orders in which a shelf holds its entries, and their sort keys.

All keys have the same shape, so that rows of several shelves merge into one list: a number, two texts and, last, the
record's own id, so that no two keys are equal. Texts sort as they are; the digits of a date are inverted, so that the
newest comes first.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, TypeAlias

from apps.records.presenters.allergies import AllergyEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.datatypes import dates
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations import results, vitals
from apps.records.presenters.observations.results import ResultEntry
from apps.records.subjects import Order, Subject

Key: TypeAlias = tuple[int, str, str, int]

_LAST: Final = "~"  # after every letter and digit: for what has no date or no name
_TURNED: Final = str.maketrans("0123456789", "9876543210")
_LONGEST: Final = 60  # an index holds keys
_AROUND_NEW_YEAR: Final = frozenset({"12-31", "01-01"})  # in UTC; in another zone it may be another year


class Arrangement(StrEnum):
    """`LISTED` is the subject's own order. `DATED` is newest first whatever the group; subjects already listed like
    that have no such arrangement. `TESTS` holds the values of one test together, and `LATEST` the newest value of each
    test, A to Z. `FILLS` holds together what a pharmacy dispensed for one prescription, `DRAFTS` what is not final, and
    `GONE` what the provider no longer has, newest first: these three are in no list. `RELATED` holds together what
    belongs to one visit, and the visits that were about one condition, with the place of each in `LISTED`. `WORDS` is
    what a search looks through, newest first, and `FOUND` what it finds there. `HEADS` is the beginning of one of the
    others (`beginnings`). `POINTS` is what is written for `TESTS` (`point_leaves`)."""

    LISTED = "listed"
    DATED = "dated"
    TESTS = "tests"
    POINTS = "points"
    LATEST = "latest"
    FILLS = "fills"
    DRAFTS = "drafts"
    GONE = "gone"
    RELATED = "related"
    WORDS = "words"
    FOUND = "found"
    HEADS = "heads"


_VITALS: Final = tuple(vitals.Vital)

Keyed: TypeAlias = Callable[[Entry, int], Key]


def listed(subject: Subject) -> Keyed:
    """The order of the subject's own list: by group, and within a group by date or by name."""
    ranks = {group: rank for rank, group in enumerate(subject.groups)}
    if subject.order is Order.NAMED:
        return lambda entry, pk: (ranks.get(entry.group, len(ranks)), _ranked(entry), _newest(entry), pk)
    return lambda entry, pk: (ranks.get(entry.group, len(ranks)) if ranks else 0, _newest(entry), _name(entry), pk)


def dated(entry: Entry, pk: int) -> Key:
    """Newest first."""
    return 0, _newest(entry), _name(entry), pk


def by_test(entry: Entry, pk: int) -> Key:
    """By test, each newest first. A result that nothing names is a test of its own, under a name that no text can
    contain."""
    return 0, results.test_in(entry) or f"\x1f{pk}", _newest(entry), pk


def under(entry: Entry, name: str, pk: int) -> Key:
    """By name, and under each name newest first."""
    return 0, name, _newest(entry), pk


def latest(entry: Entry, newest: str, pk: int) -> Key:
    """One row for each test: vital signs in the order in which readers look for them, then the others by name."""
    vital = vitals.vital_of(entry) if isinstance(entry, ResultEntry) else None
    return _VITALS.index(vital) if vital else len(_VITALS), _name(entry), newest, pk


def is_dated(subject: Subject) -> bool:
    """Whether its own list is newest first throughout."""
    return subject.order is Order.NEWEST and not subject.groups


def dated_arrangement(subject: Subject) -> Arrangement:
    """The arrangement of this subject that is newest first throughout."""
    return Arrangement.LISTED if is_dated(subject) else Arrangement.DATED


def year(entry: Entry) -> str:
    """The year it is listed under, which is the year that its row shows: the writer's own or, for a time sent in UTC,
    the year in the reader's zone, which is the active one. Empty if it has no date."""
    sorts_at = entry.when.sorts_at
    if sorts_at[5:10] not in _AROUND_NEW_YEAR:
        return sorts_at[:4]
    return dates.year(entry.when.starts or entry.when.ends) or sorts_at[:4]


def hangs_on_zone(entry: Entry) -> bool:
    """Whether a reader in another zone would look for it under another year: sent in UTC, around New Year."""
    when = entry.when
    return when.sorts_at[5:10] in _AROUND_NEW_YEAR and (when.starts or when.ends).endswith("Z")


def year_in(key: Key) -> str:
    """The year of an entry, read from its key in an arrangement that is newest first; empty if it had no date."""
    return "" if key[1] == _LAST else key[1][:4].translate(_TURNED)


def _newest(entry: Entry) -> str:
    """By instant within its year: an entry whose year differs from the one in UTC stands at the edge of its year."""
    sorts_at, told = entry.when.sorts_at, year(entry)
    if told != sorts_at[:4]:
        month = "99" if told < sorts_at[:4] else "00"
        sorts_at = f"{told}-{month}{sorts_at[7:]}"
    return sorts_at.translate(_TURNED) if sorts_at else _LAST


def _ranked(entry: Entry) -> str:
    """By name, after the rank that puts some kinds before or after the others: an allergy that could be serious comes
    first."""
    return f"{entry.rank}{_name(entry)}" if isinstance(entry, AllergyEntry | ConditionEntry) else _name(entry)


def _name(entry: Entry) -> str:
    return entry.title.casefold()[:_LONGEST] or _LAST
