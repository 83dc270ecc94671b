"""The contents of a shelf and its leaves, as they are written and read back."""

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

MOST_ROWS: Final = 50  # rows on a leaf, and on a page

# Increment it in a release that changes what shelves hold, or how: all older ones are then rebuilt automatically.
# Shelves from before there were forms have 0.
FORM: Final = 24


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One entry on a leaf. `entry` is decoded when it is shown. `of_its_test` is the number of values of its test, in
    the arrangement of the latest value of each test."""

    record: int
    kind: str
    entry: msgspec.Raw
    of_its_test: int = 0

    def opened(self, kinds: Mapping[str, type[Entry]] = KINDS) -> Entry:
        """The entry, decoded as `kinds` says for the name of its kind: whole, or only some fields. Raises
        msgspec.MsgspecError if an earlier release wrote it in another format."""
        kind: Any = kinds.get(self.kind)
        if kind is None:
            raise msgspec.ValidationError("No such kind of entry.")
        entry: Entry = _decoder(kind).decode(self.entry)
        return entry


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Entry]:
    """Cached for each kind: making a decoder takes as long as decoding an entry."""
    return msgspec.json.Decoder(kind)


class Standing(NamedTuple):
    """What a search shows of an entry beside name and date, in the words of its kind: its status and group. `means` is
    what its date stands for (`meanings`), and `language` that of its name, if the provider states one. `is_modified`:
    it may mean something else than it seems to."""

    kind: str = ""
    status: str = ""
    group: str = ""
    means: str = ""
    language: str = ""
    is_modified: bool = False


class Words(msgspec.Struct, frozen=True, array_like=True):
    """What a search finds an entry by, and shows of it. `plain` is the key of our name for it, or for the kind of
    visit; `when` is its date (`write_when`)."""

    title: str
    plain: str
    when: msgspec.Raw
    words: str
    standing: Standing


class Phrases(msgspec.Struct, frozen=True, array_like=True):
    """What a search looks through: a line of words for each phrase, and how many entries have it. A phrase is what
    several entries have in common."""

    counts: tuple[int, ...]
    lines: bytes


class Phrase(msgspec.Struct, frozen=True, array_like=True):
    """What a search shows of a phrase, and the newest entries that have it: the key of each, and its date. Without
    `standing` if an earlier release wrote it."""

    title: str
    plain: str
    entries: tuple[tuple[Key, msgspec.Raw], ...]
    standing: Standing = Standing()


class Head(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an index knows of one leaf: how many rows it has, and the key of the first."""

    count: int
    first: Key


class Stretch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The leaves of one arrangement, in order, and the key of the very last row."""

    heads: tuple[Head, ...] = ()
    last: Key | None = None


class Aim(msgspec.Struct, frozen=True, array_like=True):
    """A goal that is pursued now, and the value that it sets for a test."""

    record: int
    test: str
    value: Value


class Index(msgspec.Struct, frozen=True):
    """What a shelf says without any leaf being opened.

    `count` is what lists show, `groups` and `years` how it divides, and `names` what documents are found under
    (`document_names`); for a kind, `plain` has the key of our name for it. `withdrawn` counts entries that the provider
    marked as recorded by mistake, `gone` those that it no longer has; neither is in `count`. `withheld` entries are in
    it, but have no details. `unopened` counts records that belong here, or may, and do not open: they are not in
    `count`. Nor are `drafts`, which no list shows, and `fills`, which stand under their prescription. `newest` is the
    date of the newest entry, as sent. `zone` is the time zone that decided under which year some entries stand; empty
    if it made no difference. `of_grave` are the results, as `Type/id`, that belong to what may carry grave news
    (`grave_results`). `aims` are the values that its goals set for tests. `arrangements` stay encoded, each a
    `Stretch`: for a long list they are nearly all of the index, and a page reads one.
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
        """How many entries came, including those that no list shows."""
        return self.count + self.drafts + self.fills

    @property
    def is_searchable(self) -> bool:
        """Whether searches can use its leaves: earlier releases wrote them in another format."""
        return Arrangement.FOUND.value in self.arrangements


def closed(stretches: Mapping[str, Stretch]) -> dict[str, msgspec.Raw]:
    """Arrangements, encoded as an index holds them."""
    return {name: msgspec.Raw(msgspec.json.encode(stretch)) for name, stretch in stretches.items()}


def read_stretch(written: msgspec.Raw) -> Stretch:
    """Decode one of them. Raises msgspec.MsgspecError if another release wrote it in another format."""
    return _READ_STRETCH(written)


_READ_STRETCH: Final = msgspec.json.Decoder(Stretch).decode


def write_row(record: int, entry: Entry) -> bytes:
    """A `Row`, encoded in one go."""
    return msgspec.json.encode((record, type(entry).__name__, entry, 0))


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where an entry stands: in its subject's own list or, if it was dispensed for a prescription that is here, `under`
    one of these. The first four fields are its key in the list, which is all that an earlier release wrote."""

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
    """A `Row` that holds the place of its entry instead of the entry itself."""
    return msgspec.json.encode((record, type(entry).__name__, place, 0))


def read_place(written: msgspec.Raw) -> Place:
    """Decode such a place. Raises msgspec.MsgspecError if another release wrote it in another format."""
    return _READ_PLACE(written)


_READ_PLACE: Final[Callable[[msgspec.Raw], Place]] = msgspec.json.Decoder(Place).decode


def write_rows(rows: Sequence[tuple[Key, bytes]]) -> bytes:
    """A leaf of rows that are encoded already, each with its key."""
    return msgspec.json.encode([(key, msgspec.Raw(row)) for key, row in rows])


def write_phrases(counts: Sequence[int], lines: Sequence[str]) -> bytes:
    """A leaf of `Phrases`, as bytes: a search decodes nothing that it passes by."""
    return msgspec.msgpack.encode(Phrases(tuple(counts), "\n".join(lines).encode()))


def read_phrases(leaf: bytes) -> Phrases:
    """Decode such a leaf."""
    return msgspec.msgpack.decode(leaf, type=Phrases)


def read_phrase_list(leaf: bytes) -> tuple[msgspec.Raw, ...]:
    """What a leaf shows of phrases, each still encoded."""
    return msgspec.json.decode(leaf, type=tuple[msgspec.Raw, ...])


def read_phrase(written: bytes) -> Phrase:
    """Decode one of them."""
    return msgspec.json.decode(written, type=Phrase)


def write_when(when: When) -> msgspec.Raw:
    """The date of an entry as a search shows it. Mostly it is one day or moment, which is written by itself."""
    told = ((name, getattr(when, name), unsaid) for name, unsaid in _SHOWN)
    said = {name: value for name, value, unsaid in told if value != unsaid}
    return msgspec.Raw(msgspec.json.encode(said if said.keys() - {"starts"} else when.starts))


def read_when(written: msgspec.Raw) -> When:
    """Decode such a date."""
    read = _READ_WHEN(written)
    return When(starts=read) if isinstance(read, str) else read


_UNSHOWN: Final = frozenset({"means", "sorts_at"})
_SHOWN: Final = tuple((field.name, field.default) for field in fields(When) if field.name not in _UNSHOWN)
_READ_WHEN: Final[Callable[[msgspec.Raw], str | When]] = msgspec.json.Decoder(str | When).decode


def read_rows(leaf: bytes) -> tuple[tuple[Key, Row], ...]:
    """The keys and rows of a leaf, the entries still encoded."""
    return _READ_ROWS(leaf)


_READ_ROWS: Final = msgspec.json.Decoder(tuple[tuple[Key, Row], ...]).decode
