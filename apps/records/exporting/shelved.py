"""What a copy reads of shelves: entries as presented already, so that a body is opened only where it is needed.

Where a shelf is not built, or is of an earlier release, its part of the record is read itself (`reading`); while a
record is still arriving, what is on no shelf yet is named as missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from apps.records import subjects
from apps.records.exporting.choosing import Choice
from apps.records.models import Record, Shelf
from apps.records.shelving import arranging, reading
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.records.subjects import Subject
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing

_ROWS_AT_ONCE: Final = 500


class Unreadable(Exception):
    """The shelf cannot be read, or was built anew meanwhile: read the record."""


def opened(choices: Sequence[Choice], wanted: Sequence[Subject], ring: KeyRing) -> Mapping[tuple[UUID, str], OpenShelf]:
    """The shelves of these subjects that open, by connection and subject. One query."""
    chosen = {choice.source.connection_id for choice in choices}
    (user_id,) = {choice.source.user_id for choice in choices}
    found = reading.shelves(user_id, ring, subjects=[subject.key for subject in wanted])
    return {
        (shelf.connection_id, shelf.subject): shelf
        for shelf in found
        if shelf.connection_id in chosen and shelf.index is not None
    }


def entries(shelf: OpenShelf, ring: KeyRing) -> Iterator[Shelved]:
    """Every entry that lists show, some hundred held at a time. Raises Unreadable, perhaps in the middle."""
    count = sum(head.count for head in shelf.stretch(Arrangement.LISTED).heads)
    for start in range(0, count, _ROWS_AT_ONCE):
        yield from _checked(window([shelf], start, min(start + _ROWS_AT_ONCE, count), ring))


def first(shelves: Sequence[OpenShelf], most: int, ring: KeyRing) -> Sequence[Shelved]:
    """The first entries of one subject, in its own order. Raises Unreadable."""
    count = sum(shelf.index.count for shelf in shelves if shelf.index)
    return list(_checked(window(shelves, 0, min(most, count), ring)))


def latest(shelves: Sequence[OpenShelf], most: int, ring: KeyRing) -> Sequence[Shelved]:
    """The newest value of each test, by name. Raises Unreadable."""
    count = sum(head.count for shelf in shelves for head in shelf.stretch(Arrangement.LATEST).heads)
    return list(_checked(_window(shelves, Arrangement.LATEST, 0, min(most, count), ring)))


def newest(shelves: Sequence[OpenShelf], subject: Subject, ring: KeyRing) -> Iterator[Shelved]:
    """Every entry with a date of one subject, newest first, some hundred held at a time. Raises Unreadable, perhaps in
    the middle."""
    arrangement = arranging.dated_arrangement(subject)
    count = sum(shelf.index.count for shelf in shelves if shelf.index)
    for start in range(0, count, _ROWS_AT_ONCE):
        for one in _checked(_window(shelves, arrangement, start, min(start + _ROWS_AT_ONCE, count), ring)):
            if not arranging.year_in(one.key):
                return
            yield one


def window(shelves: Sequence[OpenShelf], start: int, stop: int, ring: KeyRing) -> Sequence[Shelved]:
    """These rows of what the shelves of one subject list together. Raises Unreadable."""
    return _window(shelves, Arrangement.LISTED, start, stop, ring)


def _window(
    shelves: Sequence[OpenShelf], arrangement: Arrangement, start: int, stop: int, ring: KeyRing
) -> Sequence[Shelved]:
    if start >= stop:
        return ()
    try:
        return reading.window(shelves, {shelf.subject: arrangement for shelf in shelves}, start, stop, ring)
    except (reading.Outdated, CannotOpen, msgspec.MsgspecError):  # no cause: a decoder's shows what it could not decode
        raise Unreadable from None


def types_off_shelves(choice: Choice, missing: Sequence[Subject]) -> tuple[str, ...]:
    """The resource types of the record that only its bodies tell, because no shelf of these subjects could be read. Of
    a record that is still arriving, what has no shelf yet is not counted: the ledger names it."""
    source = choice.source
    if missing and choice.gaps.is_arriving:
        built = Shelf.objects.filter(user_id=source.user_id, connection_id=source.connection_id)
        have = set(built.values_list("subject", flat=True))
        missing = [subject for subject in missing if subject.key in have]
    if not missing:
        return ()
    held = Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id)
    names = held.order_by("resource_type").values_list("resource_type", flat=True).distinct()
    return tuple(name for name in names if set(subjects.shelved_for(name)) & set(missing))


def _checked(rows: Sequence[Shelved]) -> Iterator[Shelved]:
    for row in rows:
        if row.entry is None:
            raise Unreadable
        yield row
