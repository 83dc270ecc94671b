"""What an export reads from shelves: entries that are presented already, so that a body is opened only if it is needed.

If a shelf has not been built, or is of an earlier release, that part of the record itself is read (`reading`); while a
record is still being copied, what is on no shelf yet is listed as missing.
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
    """The shelf cannot be read, or was rebuilt meanwhile: read the record."""


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
    """Every entry that lists show, a few hundred in memory at a time. Raises Unreadable, possibly midway."""
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
    """Every entry of one subject with a date, newest first, a few hundred in memory at a time. Raises Unreadable,
    possibly midway."""
    arrangement = arranging.dated_arrangement(subject)
    count = sum(shelf.index.count for shelf in shelves if shelf.index)
    for start in range(0, count, _ROWS_AT_ONCE):
        for one in _checked(_window(shelves, arrangement, start, min(start + _ROWS_AT_ONCE, count), ring)):
            if not arranging.year_in(one.key):
                return
            yield one


def window(shelves: Sequence[OpenShelf], start: int, stop: int, ring: KeyRing) -> Sequence[Shelved]:
    """These rows of the list that the shelves of one subject make together. Raises Unreadable."""
    return _window(shelves, Arrangement.LISTED, start, stop, ring)


def _window(
    shelves: Sequence[OpenShelf], arrangement: Arrangement, start: int, stop: int, ring: KeyRing
) -> Sequence[Shelved]:
    if start >= stop:
        return ()
    try:
        return reading.window(shelves, {shelf.subject: arrangement for shelf in shelves}, start, stop, ring)
    except (reading.Outdated, CannotOpen, msgspec.MsgspecError):  # its cause shows what it could not decode
        raise Unreadable from None


def types_off_shelves(choice: Choice, missing: Sequence[Subject]) -> tuple[str, ...]:
    """The resource types for which bodies must be read, because no shelf of these subjects could be read. For a record
    that is still being copied, missing shelves do not count: the ledger lists them."""
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
