"""The page with everything new in a record since its owner last looked at it: by subject, as lists show it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils.translation import gettext
from msgspec import structs

from apps.records.shelving.reading import Shelved
from apps.records.subjects import LISTED, RESULTS
from apps.records.viewing import arrivals
from apps.records.viewing.arrivals import Arrival, Arrivals
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.entry_list import Section
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Whole

MOST_ROWS: Final = 100


@dataclass(frozen=True)
class WhatIsNew:
    """`since` is when the record was last looked at. `count` is the number of entries in all sections; `behind` is the
    number of those that came before them, for which the page has no room."""

    since: datetime
    sections: tuple[Section, ...]
    count: int
    behind: int
    arrived: tuple[str, ...]
    resent: tuple[str, ...]


def of(whole: Whole) -> WhatIsNew | None:
    """None if nobody looked before: then everything is new. Raises VaultError."""
    found = arrivals.of(whole, most=MOST_ROWS)
    if found is None:
        return None
    return WhatIsNew(
        found.since,
        tuple(_sections(whole, found)),
        len(found.came),
        found.behind,
        tuple(source.provider for source in found.arrived),
        tuple(source.provider for source in found.resent),
    )


def _sections(whole: Whole, found: Arrivals) -> Iterator[Section]:
    changed = {one.record.pk for one in found.came if not one.is_new(found.since)}
    for subject in LISTED:
        if mine := [_shelved(whole, one, found.unshelved) for one in found.came if one.subject is subject]:
            told = rows.of(mine, whole.sources, at=whole.at)
            yield Section(str(subject.name), tuple(_marked(row) if row.record in changed else row for row in told))


def _shelved(whole: Whole, came: Arrival, unshelved: Collection[UUID]) -> Shelved:
    """The entry as its shelf has it. A result that belongs to grave news, or may do so, shows no value in its row: only
    shelves know which do."""
    record = came.record
    name = f"{record.resource_type}/{record.logical_id}"
    theirs = [one for one in whole.of(RESULTS) if one.connection_id == record.connection_id and one.index is not None]
    is_known = bool(theirs) and record.connection_id not in unshelved
    is_of_grave = came.subject is RESULTS and (not is_known or any(name in shelf.of_grave for shelf in theirs))
    key = (0, "", "", record.pk)
    return Shelved(record.pk, record.connection_id, came.subject.key, key, came.entry, is_of_grave=is_of_grave)


def _marked(row: Row) -> Row:
    said = filter(None, (row.status, gettext("changed")))
    return structs.replace(row, status=", ".join(said))
