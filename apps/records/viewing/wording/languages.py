"""The language of a provider's own words on a page in another one, for readers who have the page read aloud (WCAG
3.1.2)."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

import msgspec
from django.utils.translation import get_language

from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.entry import Code, Entry
from apps.records.viewing.wording import snomed_kinds

_LANGUAGE: Final = re.compile("[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_MOST_WORDS: Final = 200  # per line: the longest ones
_MOST_TIMES: Final = 20  # occurrences of one of them in a line


def of(said: str) -> str:
    """The language that a resource states, if it is a valid language tag (BCP 47) and not the page's language; else
    empty."""
    if not said or _LANGUAGE.fullmatch(said) is None:
        return ""
    return said if said[:2].lower() != (get_language() or "")[:2] else ""


def theirs(entry: Entry) -> frozenset[str]:
    """The provider's own words in an entry: every text as it was sent, except codes, names of people, units, and texts
    without letters."""
    found: set[str] = set()
    _gather(entry, found)
    found |= {snomed_kinds.without(said) for said in found}  # as lines show them
    return frozenset(found - {entry.resource_type, entry.logical_id, *entry.people})


def parted(line: str, words: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """The parts of a line in order, each with whether it is one of these words of a provider; the longest match wins.
    The text between matches is ours."""
    end = 0
    for start, stop in [(0, len(line))] if line in words else sorted(_places(line, words)):
        if start > end:
            yield line[end:start], False
        yield line[start:stop], True
        end = stop
    if end < len(line) or not line:
        yield line[end:], False


def _places(line: str, words: frozenset[str]) -> list[tuple[int, int]]:
    """The places of these words in the line that are not inside other words. A single regular expression would be tried
    at each letter: somebody who sends thousands of nearly equal texts could make that take minutes."""
    within = sorted((said for said in words if said in line), key=len, reverse=True)
    found: list[tuple[int, int]] = []
    is_taken = bytearray(len(line))
    for said in within[:_MOST_WORDS]:
        start = line.find(said)
        for _time in range(_MOST_TIMES):
            if start < 0:
                break
            stop = start + len(said)
            beside = line[start - 1 : start], line[stop : stop + 1]
            if not any(map(_is_of_a_word, beside)) and is_taken.find(1, start, stop) < 0:
                found.append((start, stop))
                is_taken[start:stop] = b"\1" * len(said)
            start = line.find(said, stop)
    return found


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _gather(value: Any, found: set[str]) -> None:
    """Enumerations are our words, and dates are shown in ours."""
    if isinstance(value, str):
        if not isinstance(value, Enum) and any(map(str.isalpha, value)):
            found.add(value)
    elif isinstance(value, tuple | list):
        for each in value:
            _gather(each, found)
    elif isinstance(value, msgspec.Struct) and not isinstance(value, Code | Quantity):
        if isinstance(value, When):
            _gather(value.text, found)
            return
        for name in value.__struct_fields__:
            _gather(getattr(value, name), found)
