"""What a shelf and its leaves hold, as it is written and read back."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import fields

from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations.values import Value
from apps.records.presenting import KINDS
from apps.records.shelving.arranging import Arrangement, Key

MOST_ROWS: Final = 50  # of a leaf, and of a page

# Count it up with a release whose shelves hold anything else, or hold it otherwise: all that are older are built anew
# by themselves. Shelves of before there were forms have 0.
FORM: Final = 22


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One entry on a leaf. `entry` is decoded when it is shown. `of_its_test` counts the values of its test, where the
    arrangement is the latest value of each."""

    record: int
    kind: str
    entry: msgspec.Raw
    of_its_test: int = 0

    def opened(self, kinds: Mapping[str, type[Entry]] = KINDS) -> Entry:
        """The entry, or as much of it as `kinds` has fields for, by the name of its kind. Raises msgspec.MsgspecError
        where an earlier release wrote it in another shape."""
        kind: Any = kinds.get(self.kind)
        if kind is None:
            raise msgspec.ValidationError("No such kind of entry.")
        entry: Entry = _decoder(kind).decode(self.entry)
        return entry


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Entry]:
    """Made once for each kind: making it takes as long as an entry takes to decode."""
    return msgspec.json.Decoder(kind)


class Standing(NamedTuple):
    """How an entry stands, in the words of its own kind: what a search tells of it beside name and date. `means` is
    what its date is of (`meanings`), and `language` that of its name, where the provider says one. `is_modified`: it
    may mean something else than it seems to."""

    kind: str = ""
    status: str = ""
    group: str = ""
    means: str = ""
    language: str = ""
    is_modified: bool = False


class Words(msgspec.Struct, frozen=True, array_like=True):
    """What a search finds an entry by, and shows of it. `plain` is the key of our own name for it, or for what
    sort of visit it was; `when` its date (`write_when`)."""

    title: str
    plain: str
    when: msgspec.Raw
    words: str
    standing: Standing


class Phrases(msgspec.Struct, frozen=True, array_like=True):
    """What a search looks through: a line of words for each phrase, and how many entries say it. A phrase is what
    several entries say alike."""

    counts: tuple[int, ...]
    lines: bytes


class Phrase(msgspec.Struct, frozen=True, array_like=True):
    """What a search shows of a phrase, and the newest entries that say it: the key of each, and its date. Without
    `standing` where an earlier release wrote it."""

    title: str
    plain: str
    entries: tuple[tuple[Key, msgspec.Raw], ...]
    standing: Standing = Standing()


class Head(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an index knows of one leaf: how many rows, and the key of the first."""

    count: int
    first: Key


class Stretch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The leaves of one arrangement, in order, and the key of the very last row."""

    heads: tuple[Head, ...] = ()
    last: Key | None = None


class Aim(msgspec.Struct, frozen=True, array_like=True):
    """A goal that is pursued now, and the value that it has for a test."""

    record: int
    test: str
    value: Value


class Index(msgspec.Struct, frozen=True):
    """What a shelf says without opening a leaf.

    `count` is what lists show, `groups` and `years` say how it divides, and `names` what documents are found under
    (`document_names`): of a kind, `plain` has the key of our name for it. `withdrawn` the provider marked as recorded
    by mistake, `gone` it no longer has; neither is in the count. `withheld` is: it has no details. `unopened` are
    records that would be here, or perhaps here, and do not open: not in the count. Nor are `drafts`, which no list
    shows, and `fills`, which stand under their prescription. `newest` is the date of the newest entry, as sent. `zone`
    is the one that decided under which year some entries stand; empty where it decided of none. `of_grave` are the
    results, as `Type/id`, that belong to what may carry grave news (`grave_results`). `aims` are what its goals want of
    results. `arrangements` are closed up, each a `Stretch`: of a long list they are nearly all of it, and a page reads
    one.
    """

    build: UUID
    count: int = 0
    groups: dict[str, int] = {}
    years: dict[str, int] = {}
    names: dict[str, dict[str, int]] = {}
    plain: dict[str, str] = {}
    withdrawn: int = 0
    gone: int = 0
    withheld: int = 0
    unopened: int = 0
    drafts: int = 0
    fills: int = 0
    newest: str = ""
    zone: str = ""
    of_grave: frozenset[str] = frozenset()
    aims: tuple[Aim, ...] = ()
    arrangements: dict[str, msgspec.Raw] = {}

    @property
    def sent(self) -> int:
        """How many entries came, those that no list shows as well."""
        return self.count + self.drafts + self.fills

    @property
    def is_searchable(self) -> bool:
        """Whether a search finds its way through the leaves: those of an earlier release were made in another way."""
        return Arrangement.FOUND.value in self.arrangements


def closed(stretches: Mapping[str, Stretch]) -> dict[str, msgspec.Raw]:
    """Arrangements as an index holds them."""
    return {name: msgspec.Raw(msgspec.json.encode(stretch)) for name, stretch in stretches.items()}


def read_stretch(written: msgspec.Raw) -> Stretch:
    """One of them. Raises msgspec.MsgspecError where another release wrote it in another shape."""
    return _READ_STRETCH(written)


_READ_STRETCH: Final = msgspec.json.Decoder(Stretch).decode


def write_row(record: int, entry: Entry) -> bytes:
    """A `Row`, written in one go."""
    return msgspec.json.encode((record, type(entry).__name__, entry, 0))


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where an entry stands: in its subject's own list or, being filled for a prescription that is here, `under` one of
    these. The first four are its key in the list, which is all that an earlier release wrote."""

    number: int
    first: str
    second: str
    record: int
    under: tuple[Key, ...] = ()

    @property
    def listed(self) -> Key:
        """Its key in the list."""
        return self.number, self.first, self.second, self.record


def write_place(record: int, entry: Entry, place: Place) -> bytes:
    """A `Row` that says in place of its entry where that stands."""
    return msgspec.json.encode((record, type(entry).__name__, place, 0))


def read_place(written: msgspec.Raw) -> Place:
    """The same, read. Raises msgspec.MsgspecError where another release wrote it in another shape."""
    return _READ_PLACE(written)


_READ_PLACE: Final[Callable[[msgspec.Raw], Place]] = msgspec.json.Decoder(Place).decode


def write_rows(rows: Sequence[tuple[Key, bytes]]) -> bytes:
    """A leaf of rows that are written already, each with its key."""
    return msgspec.json.encode([(key, msgspec.Raw(row)) for key, row in rows])


def write_phrases(counts: Sequence[int], lines: Sequence[str]) -> bytes:
    """A leaf of `Phrases`: as bytes, so that nothing is decoded of what a search passes by."""
    return msgspec.msgpack.encode(Phrases(tuple(counts), "\n".join(lines).encode()))


def read_phrases(leaf: bytes) -> Phrases:
    """The same, read."""
    return msgspec.msgpack.decode(leaf, type=Phrases)


def read_phrase_list(leaf: bytes) -> tuple[msgspec.Raw, ...]:
    """What a leaf shows of phrases, each still unread."""
    return msgspec.json.decode(leaf, type=tuple[msgspec.Raw, ...])


def read_phrase(written: bytes) -> Phrase:
    """One of them."""
    return msgspec.json.decode(written, type=Phrase)


def write_when(when: When) -> msgspec.Raw:
    """The date of an entry as a search shows it: mostly one day or moment, which is written alone."""
    told = ((name, getattr(when, name), unsaid) for name, unsaid in _SHOWN)
    said = {name: value for name, value, unsaid in told if value != unsaid}
    return msgspec.Raw(msgspec.json.encode(said if said.keys() - {"starts"} else when.starts))


def read_when(written: msgspec.Raw) -> When:
    """The same, read."""
    read = _READ_WHEN(written)
    return When(starts=read) if isinstance(read, str) else read


_UNSHOWN: Final = frozenset({"means", "sorts_at"})
_SHOWN: Final = tuple((field.name, field.default) for field in fields(When) if field.name not in _UNSHOWN)
_READ_WHEN: Final[Callable[[msgspec.Raw], str | When]] = msgspec.json.Decoder(str | When).decode


def read_rows(leaf: bytes) -> tuple[tuple[Key, Row], ...]:
    """The keys and rows of a leaf, the entries still unread."""
    return _READ_ROWS(leaf)


_READ_ROWS: Final = msgspec.json.Decoder(tuple[tuple[Key, Row], ...]).decode
