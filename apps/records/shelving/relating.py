"""Read what belongs to a visit, or the visits that were about a condition: what names it stands in the lists of all
subjects, and by its name their shelves know where."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from apps.records.shelving import indexing, reading
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.vault.sealing import KeyRing


def related_to(
    found: Sequence[OpenShelf], names: Collection[str], ring: KeyRing, *, most: int
) -> Mapping[str, tuple[Shelved, ...]]:
    """By subject what belongs to any of these, each `Type/id`: of each shelf the newest, at most so many. What stands
    in no list, as what was handed out for a prescription, is left out. Two queries. Raises as `reading.window` does."""
    own: dict[OpenShelf, dict[int, tuple[str, Key]]] = defaultdict(dict)
    for shelf, (_, _name, newest, record), row in reading.rows_of_any(
        found, Arrangement.RELATED, names, ring, most=most
    ):
        own[shelf][record] = newest, reading.understood(indexing.read_place, row.entry)
    places = {shelf: [place for _newest, place in sorted(rows.values())[:most]] for shelf, rows in own.items()}
    at = reading.listed_at(places, ring)
    return {
        shelf.subject: tuple(at[shelf, place] for place in listed if (shelf, place) in at)
        for shelf, listed in places.items()
    }
