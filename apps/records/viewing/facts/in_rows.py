"""What a row of a list says about an entry besides its name."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Any, Final

import msgspec
from django.utils.translation import get_language, gettext
from msgspec.structs import replace

from apps.records.presenters import allergies, family, immunizations
from apps.records.presenters.datatypes.lengths import Length
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import NOT_GIVEN, Entry
from apps.records.presenters.generic import particular_words
from apps.records.presenters.medicines import substitutions
from apps.records.presenters.visits import VisitEntry
from apps.records.viewing.facts import labels, lines, repeating

_FIRST: Final = 3  # shown of several
_LAST: Final = 4  # shown digits of a member number
_LABELED: Final = When, Length


class Known(dict[Hashable, str]):
    """Texts that the rows of one page have shown so far, by the value they stand for, since many rows have the same
    reaction or dosage; and the language of the page, which is also looked up once."""

    @cached_property
    def language(self) -> str:
        """The language of the page."""
        return get_language() or ""

    def once(self, thing: Hashable, say: Callable[[], str]) -> str:
        """The text for this value, produced by `say` the first time."""
        said = self.get(thing)
        if said is None:
            said = self[thing] = say()
        return said


def of(entry: Entry, known: Known | None = None) -> tuple[str, ...]:
    """What such a row says besides the entry's name: the fields that `labels` lists for it, each on one line. Of
    several things that have parts of their own, each gets a line, since otherwise a part of one would seem to belong to
    the next. `known` holds the texts of the page's other rows, if there are any."""
    known, kind = Known() if known is None else known, type(entry).__name__
    names, one_of = labels.in_rows(kind), labels.first_in_rows(kind)
    if one_of:
        names = (*names, *islice((name for name in one_of if any(lines.of(getattr(entry, name, None)))), 1))
    return of_fields(entry, names, known)


def of_fields(entry: Entry, names: Iterable[str], known: Known) -> tuple[str, ...]:
    """The same for these fields."""
    kind, found = type(entry).__name__, list[str]()
    for name in names:
        if not getattr(entry, name, None):  # as in most entries
            continue
        value = _beside_its_name(entry, name)
        if not value or value == NOT_GIVEN or repeating.is_told(entry, name):
            continue
        told = _first(value, known, more=getattr(entry, f"more_{name}", 0))
        if not told:
            continue
        together = ", ".join(told)
        said = told if lines.PART in together else (together,)
        if isinstance(value, _LABELED) or labels.is_named_in_rows(kind, name):
            label = labels.of_field(kind, name)  # a date alone does not say what it stands for
            said = (label,) if value is True else (f"{label}: {said[0]}", *said[1:])
        found += said
    return tuple(found)


def _beside_its_name(entry: Entry, name: str) -> Any:
    """The value of that field as a row shows it: the only recommended vaccine is the row's name and left out, and a
    severity is put into words."""
    value = getattr(entry, name, None)
    if say := _SAID_BY_NAME.get(name):
        return say(value)
    if name == "criticality":  # an allergy that was ruled out is no danger
        is_danger = value == allergies.Criticality.COULD_BE_SERIOUS and entry.group != allergies.Group.RULED_OUT
        return value if is_danger else NOT_GIVEN
    if isinstance(entry, VisitEntry) and name == "places":
        return tuple(dict.fromkeys(place.name for place in entry.places if place.name != entry.clinic))
    if name == "particulars":
        return tuple(one for one in value or () if one.what in particular_words.TURNING)
    if isinstance(entry, immunizations.RecommendationEntry) and len(entry.recommendations) == 1:
        (only,) = entry.recommendations
        vaccine, illness = ("" if one == entry.title else one for one in (only.vaccine, only.illness))
        return (replace(only, vaccine=vaccine, illness=illness),)
    return value


def _last_digits(number: Any) -> str:
    """The end of a number that only the page of its entry shows in full: enough to tell two plans apart. Empty for a
    number so short that its end would reveal most of it."""
    said = number if isinstance(number, str) else ""
    return gettext("ending in %(digits)s") % {"digits": said[-_LAST:]} if len(said) >= 2 * _LAST else ""


def _life(value: Any) -> Any:
    """The key, which shelves store as text."""
    return family.Life(value) if value in set(family.Life) else value


_SAID_BY_NAME: Final[Mapping[str, Callable[[Any], Any]]] = {
    "severity": lines.of_severity,
    "life": _life,
    "member_number": _last_digits,
    "substitution": substitutions.forbidden,
}


def _first(value: object, known: Known, *, more: int) -> tuple[str, ...]:
    """The first three of several, each complete, since a dosage without its last lines is another dosage; and the
    number of the others, `more` in addition to those given."""
    several = value if isinstance(value, lines.SEVERAL) else (value,)
    said = [found for each in several[: lines.MOST] if (found := _once(each, known))]
    shown, left = said[:_FIRST], len(said[_FIRST:]) + more
    return (*shown, *lines.and_more(left))


def _once(thing: object, known: Known) -> str:
    """All of it on one line. Things with parts of their own take longest; like our own words, they are put into words
    once per page. Plain texts are not cached: a provider's text may equal the key of one of our words."""
    if not isinstance(thing, msgspec.Struct | StrEnum):
        return lines.PART.join(lines.of(thing))
    return known.once(thing, lambda: lines.PART.join(lines.of(thing)))
