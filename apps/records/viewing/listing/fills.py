"""What a pharmacy dispensed for a prescription, for the page of that prescription (patient experience 3.1)."""

import logging
from dataclasses import dataclass
from typing import Final

from apps.records.models import Record
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.shelving import reading
from apps.records.shelving.reading import Outdated
from apps.records.subjects import MEDICINES
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.vault.errors import VaultError
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

MOST: Final = 50


@dataclass(frozen=True)
class Fills:
    """The newest fills, newest first. `has_older`: there are more, which are not in any list, either. `does_not_open`:
    there may be some that cannot be read at the moment."""

    rows: tuple[Row, ...] = ()
    has_older: bool = False
    does_not_open: bool = False


def of(record: Record, entry: Entry, ring: KeyRing) -> Fills:
    """No fills if the entry is not a prescription. One query for the shelf, and one for its leaves."""
    if not isinstance(entry, MedicationEntry) or not entry.is_order:
        return Fills()
    shelves = reading.shelves(record.user_id, ring, subjects=[MEDICINES.key])
    mine = [shelf for shelf in shelves if shelf.connection_id == record.connection_id]
    try:
        found = reading.fills_of(mine, record.logical_id, ring, most=MOST + 1)
    except (Outdated, VaultError) as error:
        _LOG.error("Fills do not open: connection %s, %s.", record.connection_id, type(error).__name__)
        return Fills(does_not_open=True)
    source = Source(record.connection, record.connection.last_checked_at, is_out_of_date=False)
    shown = rows.of(found[:MOST], {record.connection_id: source})
    return Fills(shown, len(found) > MOST, does_not_open=any(shelf.index is None for shelf in mine))
