"""Whether each resource shows what it is and when, counted by FHIR version and type.

A name is what the provider wrote, or our plain name for its code: never a type, a code, an id or the word "unknown". A
date is expected only of resources that contain one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.viewing.listing import rows

Kind = tuple[str, str]  # version, resource type

_DATE = re.compile(r"\d{4}(-\d\d){0,2}(T.*)?", re.ASCII)
_NAMES_NOTHING: Final = frozenset({"", "unnamed entry", "unknown", "unk", "null", "none", "n/a"})
# Top-level dates that do not say when it happened: when a device was made, when a value was sent.
_OTHER_DATES: Final = frozenset(
    {"meta", "extension", "contained", "text", "birthDate", "manufactureDate", "expirationDate"}
)


@dataclass
class Count:
    """Of one type in one version. `masked` resources were withdrawn or are empty, and rightly show no name. `pages` got
    their own page; `failed` could not be presented, or had no page."""

    resources: int = 0
    masked: int = 0
    titled: int = 0
    datable: int = 0
    dated: int = 0
    pages: int = 0
    failed: int = 0

    @property
    def shown(self) -> int:
        """Those that should show what they are."""
        return self.resources - self.masked

    def add(self, other: "Count") -> None:
        """Add the counts of another."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Tally:
    """Counts of every kind, and the ids of those without a name or a date, so that they can be looked at."""

    counts: dict[Kind, Count] = field(default_factory=lambda: defaultdict(Count))
    nameless: list[tuple[str, str, str]] = field(default_factory=list)
    dateless: list[tuple[str, str, str]] = field(default_factory=list)

    def see(self, version: str, resource: Element, entry: Entry) -> None:
        """Count one resource by the entry made of it."""
        count = self.counts[version, entry.resource_type]
        count.resources += 1
        if entry.is_withdrawn or entry.is_withheld:
            count.masked += 1
            return
        if is_titled(resource, entry):
            count.titled += 1
        else:
            self.nameless.append((version, entry.resource_type, entry.logical_id))
        if has_date(resource):
            count.datable += 1
            if entry.when.starts or entry.when.ends or entry.when.text:
                count.dated += 1
            else:
                self.dateless.append((version, entry.resource_type, entry.logical_id))

    def total(self, version: str = "") -> Count:
        """All of a version, or all."""
        whole = Count()
        for (of, _type), count in self.counts.items():
            if version in {"", of}:
                whole.add(count)
        return whole


def is_titled(resource: Element, entry: Entry) -> bool:
    """Whether its name says what it is. "None known" and "no information" are our words, and count."""
    if entry.is_known_absence or entry.says_no_information:
        return True
    said = rows.names(entry)[0].strip()
    if said.casefold() in _NAMES_NOTHING | {entry.resource_type.casefold()}:
        return False
    return said not in {entry.logical_id, *_codes(resource)}


def has_date(resource: Element) -> bool:
    """Whether one of its own elements is a date, or a period with one."""
    return any(_is_date(value) for name, value in resource.items() if name not in _OTHER_DATES)


def _is_date(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(isinstance(value.get(end), str) and _DATE.fullmatch(value[end]) for end in ("start", "end"))
    return isinstance(value, str) and "-" in value and _DATE.fullmatch(value) is not None


def _codes(value: Any) -> Iterator[str]:
    """Every code of the resource, but for those that are themselves what the provider displays."""
    if isinstance(value, Mapping):
        code = value.get("code")
        if isinstance(code, str) and value.get("display") != code:
            yield code.strip()
        for member in value.values():
            yield from _codes(member)
    elif isinstance(value, list):
        for member in value:
            yield from _codes(member)
