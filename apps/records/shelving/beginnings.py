"""The first rows of a few subjects, for pages that show only the names and dates of many entries.

The page of what matters now reads hundreds of entries for a few names. Written as heads, on leaves of their own, they
take a tenth of the bytes.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from apps.records import presenting
from apps.records.presenters.allergies import AllergyEntry, AllergyHead
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Entry
from apps.records.presenters.sensitivity import delicate
from apps.records.shelving import arranging
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Row
from apps.records.subjects import ALLERGIES, CONDITIONS, MEDICINES, RESULTS


class Beginning(NamedTuple):
    """Which arrangement, and at most how many rows of it."""

    arrangement: Arrangement
    most: int


OF: Final[Mapping[str, Beginning]] = {
    ALLERGIES.key: Beginning(Arrangement.LISTED, 100),  # all of a person's: a dozen is usual
    CONDITIONS.key: Beginning(Arrangement.LISTED, 30),
    MEDICINES.key: Beginning(Arrangement.LISTED, 30),
    RESULTS.key: Beginning(arranging.dated_arrangement(RESULTS), 30),
}
# The struct that an entry is decoded to, by the name of its kind.
KINDS: Final[Mapping[str, type[Entry]]] = {
    **dict.fromkeys(presenting.KINDS, Entry),
    AllergyEntry.__name__: AllergyHead,
}


def cut(beginning: Beginning, rows: Iterator[tuple[Key, bytes]]) -> Iterator[tuple[Key, bytes]]:
    """The first rows of that arrangement, each reduced to the head of its entry."""
    for key, row in islice(_named(rows), beginning.most):
        entry = row.opened(KINDS)
        said = entry.said[:1] if entry.is_modified else ()  # only the notice for which `is_modified` stands
        yield key, msgspec.json.encode((row.record, row.kind, _without_defaults(replace(entry, said=said, people=()))))


def _named(rows: Iterator[tuple[Key, bytes]]) -> Iterator[tuple[Key, Row]]:
    """The rows that a first page may name. This is decided while the whole entry is at hand, as heads lack the
    category."""
    for key, written in rows:
        row = msgspec.json.decode(written, type=Row)
        if not delicate.is_delicate(row.opened(presenting.KINDS)):
            yield key, row


def _without_defaults(of: msgspec.Struct) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    nothing = type(of)()
    values = ((name, getattr(of, name)) for name in of.__struct_fields__)
    return {
        name: _without_defaults(value) if isinstance(value, When) else value
        for name, value in values
        if value != getattr(nothing, name)
    }
