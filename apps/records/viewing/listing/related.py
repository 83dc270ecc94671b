"""What belongs to a visit, for the page of that visit; the visits that were about a condition, for that condition's
page; and the visit that any other entry is part of (patient experience 3.5 and 3.7)."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from apps.records.models import Record
from apps.records.presenters import related
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.visits import VisitEntry
from apps.records.shelving import relating
from apps.records.shelving.reading import OpenShelf, Outdated, Shelved
from apps.records.subjects import LISTED, VISITS, Subject
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.vault.errors import VaultError
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

MOST: Final = 20  # of one subject
_MOST_READ: Final = 100  # of one subject, to leave out what the reports among them already show


@dataclass(frozen=True)
class Part:
    """The newest of one subject, newest first. `has_older`: there are more."""

    subject: Subject
    rows: tuple[Row, ...]
    has_older: bool


class Way(StrEnum):
    """How they are related."""

    OF_VISIT = "of-visit"  # the entries belong to the visit
    ABOUT_CONDITION = "about-condition"  # the visits were about the condition
    PART_OF_VISIT = "part-of-visit"  # the entry is part of these visits


class RelatedQuery(NamedTuple):
    """What to look for, each as `Type/id`, and the subjects whose shelves to search. Empty for an entry that is not a
    visit and refers to none."""

    way: Way
    names: frozenset[str] = frozenset()
    subjects: tuple[Subject, ...] = ()


@dataclass(frozen=True)
class Related:
    """By subject, in the order of pages. `does_not_open`: there may be some that cannot be read at the moment."""

    way: Way = Way.PART_OF_VISIT
    parts: tuple[Part, ...] = ()
    does_not_open: bool = False


def asked(record: Record, resource: Element, entry: Entry, context: Context) -> RelatedQuery:
    """What the page of a record asks for. `entry` is what `resource` says."""
    way = _way(entry)
    if entry.is_withdrawn or entry.is_withheld:
        return RelatedQuery(way)
    names = set() if way is Way.OF_VISIT else set(related.named_by(resource, context))
    if way is not Way.PART_OF_VISIT:
        names.add(f"{record.resource_type}/{record.logical_id}")
    return RelatedQuery(way, frozenset(names), (LISTED if way is Way.OF_VISIT else (VISITS,)) if names else ())


def of(record: Record, wanted: RelatedQuery, shelves: Iterable[OpenShelf], ring: KeyRing) -> Related:
    """What stands on those of these shelves that belong to the record's connection. Two queries; none if nothing is
    asked for."""
    keys = {subject.key for subject in wanted.subjects}
    mine = [shelf for shelf in shelves if shelf.connection_id == record.connection_id and shelf.subject in keys]
    if not mine:
        return Related()
    try:
        found = relating.related_to(mine, wanted.names, ring, most=_MOST_READ + 1)
    except (Outdated, VaultError) as error:
        _LOG.error("What is related does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        return Related(wanted.way, does_not_open=True)
    is_closed = any(shelf.index is None for shelf in mine)
    return Related(wanted.way, tuple(_parts(found, record)), does_not_open=is_closed)


def _way(entry: Entry) -> Way:
    if isinstance(entry, VisitEntry):
        return Way.OF_VISIT
    return Way.ABOUT_CONDITION if isinstance(entry, ConditionEntry) else Way.PART_OF_VISIT


def _parts(found: Mapping[str, Sequence[Shelved]], record: Record) -> Iterator[Part]:
    source = Source(record.connection, record.connection.last_checked_at, is_out_of_date=False)
    for subject in LISTED:
        others = [one for one in found.get(subject.key, ()) if one.record != record.pk]
        told = _in_reports(others)
        shown = [
            one
            for one in others
            if one.entry is None or f"{one.entry.resource_type}/{one.entry.logical_id}" not in told
        ]
        if shown:
            has_older = len(shown) > MOST or len(others) >= _MOST_READ
            yield Part(subject, rows.of(shown[:MOST], {record.connection_id: source}), has_older=has_older)


def _in_reports(found: Sequence[Shelved]) -> frozenset[str]:
    """The results that are also shown on the page of a report among these."""
    return frozenset(path for one in found if isinstance(one.entry, ReportEntry) for path in one.entry.results)
