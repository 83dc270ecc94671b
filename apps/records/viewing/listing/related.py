"""What belongs to a visit, for the page of that visit, and the visits that were about a condition, for the condition's
(patient experience 3.5 and 3.7)."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.records.models import Record
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.visits import VisitEntry
from apps.records.shelving import reading, relating
from apps.records.shelving.reading import Outdated, Shelved
from apps.records.subjects import LISTED, VISITS, Subject
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.vault.errors import VaultError
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

MOST: Final = 20  # of one subject


@dataclass(frozen=True)
class Part:
    """The newest of one subject, newest first. `has_older`: there are more."""

    subject: Subject
    rows: tuple[Row, ...]
    has_older: bool


@dataclass(frozen=True)
class Related:
    """By subject, in the order that pages have. `is_of_visit`: of all subjects, else of visits alone. `does_not_open`:
    there may be some that nobody can tell of just now."""

    parts: tuple[Part, ...] = ()
    is_of_visit: bool = False
    does_not_open: bool = False


def of(record: Record, entry: Entry, ring: KeyRing) -> Related:
    """None of what is neither a visit nor a condition. One query for the shelves, and two for what stands on them."""
    if entry.is_withdrawn or not isinstance(entry, VisitEntry | ConditionEntry):
        return Related()
    is_of_visit = isinstance(entry, VisitEntry)
    names = [f"{record.resource_type}/{record.logical_id}"]
    if isinstance(entry, ConditionEntry):
        names += [f"Encounter/{logical_id}" for logical_id in entry.visits]
    shelves = reading.shelves(
        record.user_id, ring, subjects=[one.key for one in (LISTED if is_of_visit else (VISITS,))]
    )
    mine = [shelf for shelf in shelves if shelf.connection_id == record.connection_id]
    try:
        found = relating.related_to(mine, names, ring, most=MOST + 2)  # itself, and one more than are shown
    except (Outdated, VaultError) as error:
        _LOG.error("What is related does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        return Related(is_of_visit=is_of_visit, does_not_open=True)
    source = Source(record.connection, record.connection.last_checked_at, is_out_of_date=False)
    parts = tuple(_parts(found, record, source))
    return Related(parts, is_of_visit, does_not_open=any(shelf.index is None for shelf in mine))


def _parts(found: Mapping[str, Sequence[Shelved]], record: Record, source: Source) -> Sequence[Part]:
    parts = []
    for subject in LISTED:
        others = [one for one in found.get(subject.key, ()) if one.record != record.pk]
        if others:
            shown = rows.of(others[:MOST], {record.connection_id: source})
            parts.append(Part(subject, shown, has_older=len(others) > MOST))
    return parts
