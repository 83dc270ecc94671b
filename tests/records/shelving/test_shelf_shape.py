"""A shelf's format has a version: a release that changes the format rebuilds older shelves."""

import hashlib
import types
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from apps.records.presenters.allergies import AllergyEntry, AllergyHead
from apps.records.presenters.observations.results import Compared
from apps.records.presenting import KINDS
from apps.records.shelving import indexing, point_leaves
from apps.records.shelving.indexing import FORM

RECORDED = {
    2: "1a84d6eb1c17f13c", 3: "1a84d6eb1c17f13c",  # 3 has heads beside the same
    4: "6379bad1ef997fb8", 5: "6379bad1ef997fb8",  # 5 has no results of other patients in reports
    6: "2aa5d1e62d55d764", 7: "a5f2fb776e221e1c",  # 6 has points in place of the values of a test
    8: "c2ad3159e2bf975d",  # a search says how each entry stands
    9: "c2ad3159e2bf975d",  # notes that are RTF are held as text, numbers with a unit that begins with one as multiples
    10: "a285e12fa456a4d0",  # a visit that is over does not go on, and conditions are found by plain words
    11: "78740d7431b32c5f",  # documents are counted by kind and author, and entries say in which language they are
    12: "78740d7431b32c5f",  # words are found without their accents
    13: "78740d7431b32c5f",  # what was not done, or was canceled, is not called done or stopped
    14: "09c397a83e94e30b",  # values their provider calls none; appointments are a kind; visits find what is theirs
    15: "928716ffbee888b2",  # where a value was measured, what turns an entry around, brands of medicines
    16: "0f099b816ff9a746",  # intents, aims, orders and plans in full, why medicines are given, relations of documents
    17: "921adedc98326c6b",  # what speaks against a value, ages of ranges, latex, and more of entries of any type
    18: "884e4b28cc8e5088",  # sums of bills, what images were made with, dates of care
    19: "191c84a713a49556",  # what a value was measured with, parts of documents, points without parts
    20: "191c84a713a49556",  # plain names of heart tracings, tissue exams and germ tests; answers to orders of DSTU2
    21: "191c84a713a49556",  # words of statuses of types that lists had none for
    22: "18c1d74dc46e822b",  # our names for kinds of documents, how far a bill is, sides of the family
    23: "3fccd9f4a63d630f",  # without ids and formats that nobody reads; which documents are new versions of others
    24: "3fccd9f4a63d630f",  # with names and rows that came late, and were left off until then
}  # fmt: skip
CHANGED = (
    "What shelves hold has another shape than form {form} had. Count FORM in apps/records/shelving/indexing.py up, so "
    "that shelves of before are built anew, and record its fingerprint here: {found}"
)
STRUCTS = tuple(
    each
    for module in (indexing, point_leaves)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == module.__name__
)


def fingerprint(*kinds: type) -> str:
    """Of the fields of these kinds and of all that they hold, with their types; of a vocabulary, its words."""
    lines = sorted(set(_lines(kinds)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _lines(kinds: tuple[type, ...]) -> Iterator[str]:
    waiting, seen = list(kinds), set(kinds)
    while waiting:
        kind = waiting.pop()
        parts = _parts(kind)
        yield f"{kind.__name__}: {[(name, _written(annotation)) for name, annotation in parts]}"
        held = [part for _name, annotation in parts for part in _types(annotation)]
        waiting += (new := set(held) - seen)
        seen |= new


def _parts(kind: type) -> list[tuple[str, Any]]:
    if issubclass(kind, Enum):
        return [(str(member.value), "") for member in kind]
    assert not is_dataclass(kind), f"{kind.__name__} is no struct, as all are that shelves hold."
    names = kind.__struct_fields__ if issubclass(kind, msgspec.Struct) else ()
    hints = get_type_hints(kind) if names else {}
    return [(name, hints[name]) for name in names]


def _written(annotation: Any) -> str:
    """By name, wherever a class lives."""
    parts = ", ".join(map(_written, get_args(annotation)))
    return f"{_named(get_origin(annotation))}[{parts}]" if parts else _named(annotation)


def _named(annotation: Any) -> str:
    return str(getattr(annotation, "__name__", annotation))


def _types(annotation: Any) -> Iterator[type]:
    """The classes that an annotation names."""
    if get_origin(annotation) is not None or isinstance(annotation, types.UnionType):
        for part in get_args(annotation):
            yield from _types(part)
    elif isinstance(annotation, type):
        yield annotation


class TestAForm:
    def test_has_the_shape_that_was_recorded_of_it(self):
        found = fingerprint(*KINDS.values(), Compared, *STRUCTS)
        assert RECORDED.get(FORM) == found, CHANGED.format(form=FORM, found=found)


class TestTheFingerprint:
    def test_is_of_every_kind_of_entry_and_of_all_that_an_index_holds(self):
        assert len(KINDS) > 15
        assert indexing.Index in STRUCTS
        assert fingerprint(*KINDS.values()) != fingerprint(*tuple(KINDS.values())[1:])

    def test_tells_one_field_more(self):
        more = msgspec.defstruct("AllergyEntry", [("another", int)], bases=(AllergyEntry,), kw_only=True, gc=False)
        assert fingerprint(more) != fingerprint(AllergyEntry)
        assert fingerprint(AllergyHead) != fingerprint(AllergyEntry)

    def test_tells_another_type_deep_within(self):
        assert fingerprint(_outer(_inner(str))) == fingerprint(_outer(_inner(str)))
        assert fingerprint(_outer(_inner(str))) != fingerprint(_outer(_inner(int)))

    def test_tells_one_word_more_in_a_vocabulary(self):
        few, more = Enum("Status", {"A": "a"}), Enum("Status", {"A": "a", "B": "b"})
        assert fingerprint(_outer(few)) != fingerprint(_outer(more))


def _inner(kind: Any) -> Any:
    return msgspec.defstruct("Inner", [("value", kind)])


def _outer(kind: Any) -> Any:
    return msgspec.defstruct("Outer", [("held", tuple[kind, ...])])
