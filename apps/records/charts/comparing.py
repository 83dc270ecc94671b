"""Write and read of a shelved result what a chart and its table tell of it: a third of what the entry says. What many
of them say alike, such as the range of a laboratory, is read once."""

from collections.abc import Container
from functools import cache, reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields

from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.entry import NOT_GIVEN, Doubt
from apps.records.presenters.observations.results import Category, Compared, Component
from apps.records.presenters.observations.values import Value


class _Written(msgspec.Struct, frozen=True):
    """A `Compared` as it is written, its parts still unread that are large, or alike in many."""

    value: msgspec.Raw = msgspec.Raw(b"{}")
    ranges: msgspec.Raw = msgspec.Raw(b"[]")
    usual_range: msgspec.Raw = msgspec.Raw(b"null")
    components: msgspec.Raw = msgspec.Raw(b"[]")
    when: When = When()
    place: str = ""
    place_by: str = ""
    place_words: tuple[str, ...] = ()
    status: str = NOT_GIVEN
    group: str = NOT_GIVEN
    said: tuple[str, ...] = ()
    is_withdrawn: bool = False
    is_withheld: bool = False
    is_modified: bool = False
    doubts: tuple[Doubt, ...] = ()
    test: str = ""
    category: str = Category.OTHER
    at_home: bool = False


_READ: Final = msgspec.json.Decoder(_Written).decode
_PARTS: Final = {
    "value": msgspec.json.Decoder(Value).decode,
    "ranges": msgspec.json.Decoder(tuple[ReferenceRange, ...]).decode,
    "usual_range": msgspec.json.Decoder(ReferenceRange | None).decode,
    "components": msgspec.json.Decoder(tuple[Component, ...]).decode,
}


class Reader:
    """Reads the results of one page. What it remembers is gone with it."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, bytes], Any] = {}

    def read(self, entry: bytes) -> Compared:
        """Raises msgspec.MsgspecError where an earlier release wrote it in another shape."""
        written = _READ(entry)
        return Compared(
            value=self._part("value", written.value),
            ranges=self._part("ranges", written.ranges),
            usual_range=self._part("usual_range", written.usual_range),
            components=self._part("components", written.components),
            when=written.when,
            place=written.place,
            place_by=written.place_by,
            place_words=written.place_words,
            status=written.status,
            group=written.group,
            said=written.said,
            is_withdrawn=written.is_withdrawn,
            is_withheld=written.is_withheld,
            is_modified=written.is_modified,
            doubts=written.doubts,
            test=written.test,
            category=written.category,
            at_home=written.at_home,
        )

    def _part(self, name: str, raw: msgspec.Raw) -> Any:
        key = name, bytes(raw)
        part = self._parts.get(key)
        if part is None:  # a part that is None is read again, which costs as little as finding it
            part = self._parts[key] = _PARTS[name](raw)
        return part


def told(entry: bytes) -> tuple[bytes, bytes]:
    """What `Reader` reads of an entry as it is written, and nothing that is as it is where nothing is said: what a
    laboratory says of many results alike, and the rest of it."""
    alike, rest = (msgspec.json.encode(msgspec.json.decode(entry, type=part)) for part in _parts_told())
    return alike, rest


def joined(alike: bytes, rest: bytes) -> bytes:
    """The two in one."""
    if len(alike) <= len(_NOTHING) or len(rest) <= len(_NOTHING):
        return alike if len(rest) <= len(_NOTHING) else rest
    return b"%b,%b" % (alike[:-1], rest[1:])


_NOTHING: Final = b"{}"
_ALIKE: Final = frozenset(
    {"ranges", "usual_range", "place", "place_by", "place_words", "status", "group", "test", "category"}
)


@cache
def _parts_told() -> tuple[Any, Any]:
    names = {each.name for each in fields(Compared)}
    return _sparse_struct(Compared, names & _ALIKE), _sparse_struct(Compared, names - _ALIKE)


@cache
def _sparse(kind: Any) -> Any:
    """The same shape, which writes no default: a part of which nothing is said is an empty one."""
    if get_origin(kind) is tuple:
        return GenericAlias(tuple, (_sparse(get_args(kind)[0]), ...))
    if get_origin(kind) is UnionType:
        return reduce(or_, map(_sparse, get_args(kind)))
    is_whole = not (isinstance(kind, type) and issubclass(kind, msgspec.Struct))
    return kind if is_whole else _sparse_struct(kind, get_type_hints(kind))


def _sparse_struct(kind: Any, names: Container[str]) -> Any:
    hints = get_type_hints(kind)
    parts = [(each, _sparse(hints[each.name])) for each in fields(kind) if each.name in names]
    return msgspec.defstruct(
        kind.__name__,
        [
            (each.name, part, msgspec.field(default_factory=part) if _is_made(each.default) else each.default)
            for each, part in parts
        ],
        omit_defaults=True,
    )


def _is_made(default: object) -> bool:
    return default is msgspec.NODEFAULT or isinstance(default, msgspec.Struct)
