"""What the row of a list says of an entry beside its name."""

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

_FIRST: Final = 3  # of several
_LAST: Final = 4  # of a member number
_TOLD_WITH_A_LABEL: Final = When, Length


class Known(dict[Hashable, str]):
    """What the rows of one page have said, by the thing that they say, as many have the same reaction, or the same
    dosage; and in which language they say it, which is asked for once as well."""

    @cached_property
    def language(self) -> str:
        """Of the page."""
        return get_language() or ""

    def once(self, thing: Hashable, say: Callable[[], str]) -> str:
        """What is said of it."""
        said = self.get(thing)
        if said is None:
            said = self[thing] = say()
        return said


def of(entry: Entry, known: Known | None = None) -> tuple[str, ...]:
    """What the row of such an entry says beside its name: the fields that `labels` names for it, each on one line. Of
    several things that have parts of their own, each is a line: else a part of one reads as if of the next. `known` is
    what the rows of one page have said so far, where there are others."""
    known, kind = Known() if known is None else known, type(entry).__name__
    names, one_of = labels.in_rows(kind), labels.first_in_rows(kind)
    if one_of:
        names = (*names, *islice((name for name in one_of if any(lines.of(getattr(entry, name, None)))), 1))
    return of_fields(entry, names, known)


def of_fields(entry: Entry, names: Iterable[str], known: Known) -> tuple[str, ...]:
    """The same of these fields."""
    kind, found = type(entry).__name__, list[str]()
    for name in names:
        if not getattr(entry, name, None):  # as most are
            continue
        value = _beside_its_name(entry, name)
        if not value or value == NOT_GIVEN or repeating.is_told(entry, name):
            continue
        told = _first(value, known, more=getattr(entry, f"more_{name}", 0))
        if not told:
            continue
        said = told if any(lines.PART in line for line in told) else (", ".join(told),)
        if isinstance(value, _TOLD_WITH_A_LABEL) or labels.is_named_in_rows(kind, name):
            label = labels.of_field(kind, name)  # a date alone does not say of what
            said = (label,) if value is True else (f"{label}: {said[0]}", *said[1:])
        found += said
    return tuple(found)


def _beside_its_name(entry: Entry, name: str) -> Any:
    """That field as a row tells it, which is called by the one vaccine that is recommended; a severity in words."""
    value = getattr(entry, name, None)
    if say := _SAID_BY_NAME.get(name):
        return say(value)
    if name == "criticality":  # of one that was ruled out nobody is in danger
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
    """The end of a number that is known whole on its entry's page alone: enough to tell two plans apart. Of one so
    short that its end were nearly all of it, nothing."""
    said = number if isinstance(number, str) else ""
    return gettext("ending in %(digits)s") % {"digits": said[-_LAST:]} if len(said) >= 2 * _LAST else ""


def _life(value: Any) -> Any:
    """The key of it, which a shelf holds as a text."""
    return family.Life(value) if value in set(family.Life) else value


_SAID_BY_NAME: Final[Mapping[str, Callable[[Any], Any]]] = {
    "severity": lines.of_severity,
    "life": _life,
    "member_number": _last_digits,
    "substitution": substitutions.forbidden,
}


def _first(value: object, known: Known, *, more: int) -> tuple[str, ...]:
    """The first three of several, each whole, as a dosage without its last lines is another dosage; and how many more
    there are, `more` besides those at hand."""
    several = value if isinstance(value, lines.SEVERAL) else (value,)
    said = [found for each in several[: lines.MOST] if (found := _once(each, known))]
    shown, left = said[:_FIRST], len(said[_FIRST:]) + more
    return (*shown, *lines.and_more(left))


def _once(thing: object, known: Known) -> str:
    """All of it on one line. What has parts of its own takes longest, and like a word of ours it is put into words once
    on a page. A text is not: it may be a provider's, and the same as the key of such a word."""
    if not isinstance(thing, msgspec.Struct | StrEnum):
        return lines.PART.join(lines.of(thing))
    return known.once(thing, lambda: lines.PART.join(lines.of(thing)))
