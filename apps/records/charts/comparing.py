"""Write and read what a chart and its table show of a shelved result, which is about a third of its entry. Parts that
many results share, such as a laboratory's range, are read only once."""

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
    """A `Compared` as written. Parts that are large, or the same in many results, are not decoded yet."""

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
    """Reads the results of one page. The parts that it keeps are gone when it is."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, bytes], Any] = {}

    def read(self, entry: bytes) -> Compared:
        """Read a result. Raises msgspec.MsgspecError if an earlier release wrote it in another format."""
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
        if part is None:  # None is decoded each time, which takes no longer than a lookup
            part = self._parts[key] = _PARTS[name](raw)
        return part


def told(entry: bytes) -> tuple[bytes, bytes]:
    """The fields of a written entry that `Reader` reads, without default values: those that a laboratory sends alike
    for many results, and the rest."""
    alike, rest = (msgspec.json.encode(msgspec.json.decode(entry, type=part)) for part in _parts_told())
    return alike, rest


def joined(alike: bytes, rest: bytes) -> bytes:
    """The two parts that `told` returned, joined into one JSON object."""
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
    """The same type, but written without default values. A struct that a field requires becomes an empty one."""
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
