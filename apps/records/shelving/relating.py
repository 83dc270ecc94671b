"""Read what belongs to a visit, or the visits that were about a condition. Such entries stand in the lists of all
subjects; each shelf knows, by the name of the visit or condition, where they stand."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice

from apps.records.shelving import indexing, reading
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Place
from apps.records.shelving.open_shelf import OpenShelf, understood
from apps.records.shelving.reading import Shelved
from apps.vault.sealing import KeyRing


def related_to(
    found: Sequence[OpenShelf], names: Collection[str], ring: KeyRing, *, most: int
) -> Mapping[str, tuple[Shelved, ...]]:
    """By subject, what belongs to any of these, each given as `Type/id`: of each shelf the newest, at most `most`,
    including what was dispensed for a prescription. What stands in no list is left out. Two queries. Raises as
    `reading.window` does."""
    own: dict[OpenShelf, dict[int, tuple[str, Place]]] = defaultdict(dict)
    for shelf, (_, _name, newest, record), row in reading.rows_of_any(
        found, Arrangement.RELATED, names, ring, most=most
    ):
        own[shelf][record] = newest, understood(indexing.read_place, row.entry)
    places = {
        shelf: [place for _newest, place in sorted(rows.values(), key=_newest_first)[:most]]
        for shelf, rows in own.items()
    }
    asked: dict[tuple[OpenShelf, Arrangement], set[Key]] = defaultdict(set)
    for shelf, sought in places.items():
        for arrangement, key in chain.from_iterable(map(_where, sought)):
            asked[shelf, arrangement].add(key)
    at = reading.standing_at(asked, ring)
    return {shelf.subject: tuple(_found(shelf, sought, at)) for shelf, sought in places.items()}


def _found(
    shelf: OpenShelf, sought: Sequence[Place], at: Mapping[tuple[OpenShelf, Arrangement, Key], Shelved]
) -> Iterator[Shelved]:
    """Each entry once, even if it stands under several prescriptions."""
    for place in sought:
        yield from islice((at[shelf, *where] for where in _where(place) if (shelf, *where) in at), 1)


def _where(place: Place) -> list[tuple[Arrangement, Key]]:
    """Where it may stand: in the list or, if it is not there, under a prescription."""
    return [(Arrangement.LISTED, place.listed), *((Arrangement.FILLS, key) for key in place.under)]


def _newest_first(found: tuple[str, Place]) -> tuple[str, Key]:
    newest, place = found
    return newest, place.listed
