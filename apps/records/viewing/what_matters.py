"""What matters first of a whole record: current allergies, conditions and medicines, and the latest results.

Names and dates, and no value of a result: whether to look at that somebody decides. One query for all of one person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.records.presenters import allergies
from apps.records.presenters.observations import results
from apps.records.shelving import reading
from apps.records.shelving.reading import Shelved
from apps.records.subjects import ALLERGIES, CONDITIONS, MEDICINES, RESULTS, Subject
from apps.records.viewing.listing import allergy_words, folding, rows
from apps.records.viewing.listing.allergy_words import Allergies
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Owner, Whole
from apps.records.viewing.wording import dates_in_words

MOST_NAMED: Final = 5


@dataclass(frozen=True)
class NamedEntries:
    """A few entries of a subject, each thing once; `is_cut` where there are more of them, or more than were read."""

    subject: Subject
    rows: tuple[Row, ...]
    is_cut: bool


@dataclass(frozen=True)
class WhatMatters:
    """What the page says first."""

    allergies: Allergies
    conditions: NamedEntries
    medicines: NamedEntries
    results: NamedEntries


@dataclass(frozen=True)
class OfOne:
    """What matters of one person. `owner` is who that is, where there are several, else None."""

    owner: Owner | None
    matters: WhatMatters


def of_each(whole: Whole) -> tuple[OfOne, ...]:
    """Of everybody whose record this is, each apart: nobody may take somebody else's medicines for their own. One query
    a person. Raises as `of` does."""
    owners = whole.owners
    if len(owners) < 2:
        return (OfOne(None, of(whole)),)
    return tuple(OfOne(owner, of(whole.of_one_person(owner.connection_id))) for owner in owners)


def of(whole: Whole) -> WhatMatters:
    """Of one person. Raises Outdated where a shelf was built anew meanwhile, and VaultError."""
    found = reading.begun(whole.shelves, [one.key for one in (ALLERGIES, CONDITIONS, MEDICINES, RESULTS)], whole.ring)
    return WhatMatters(
        allergies=_allergies(whole, found[ALLERGIES.key]),
        conditions=_current(whole, CONDITIONS, found[CONDITIONS.key]),
        medicines=_current(whole, MEDICINES, found[MEDICINES.key]),
        results=_latest(whole, found[RESULTS.key]),
    )


def allergies_of(whole: Whole) -> Allergies:
    """The allergies alone, for a page whose shelves have them. Raises as `of` does."""
    found = reading.begun(whole.shelves, [ALLERGIES.key], whole.ring)
    return _allergies(whole, found[ALLERGIES.key])


def _allergies(whole: Whole, found: Sequence[Shelved]) -> Allergies:
    sent = (shelf.connection_id for shelf in whole.of(ALLERGIES) if shelf.index is not None and shelf.index.count)
    held = _held(whole, ALLERGIES, allergies.Group.CURRENT)
    return allergy_words.of(found, whole.sources_of([ALLERGIES]), {*sent, *whole.held_unseen(ALLERGIES)}, held=held)


def _current(whole: Whole, subject: Subject, found: Sequence[Shelved]) -> NamedEntries:
    current = [one for one in found if one.entry is not None and one.entry.group == "current"]
    return _named(whole, subject, current, has_unread=_held(whole, subject, "current") > len(current))


def _held(whole: Whole, subject: Subject, group: str) -> int:
    """How many the shelves hold of one group."""
    return sum(shelf.index.groups.get(group, 0) for shelf in whole.of(subject) if shelf.index is not None)


def _latest(whole: Whole, found: Sequence[Shelved]) -> NamedEntries:
    """Without what is ordered and not there yet, or was canceled. Those of a date that cannot be come last: a year
    mistyped would stand there as the latest for ever."""
    held = sum(shelf.index.count for shelf in whole.of(RESULTS) if shelf.index is not None)
    told = [one for one in found if one.entry is None or one.entry.group not in results.WITHOUT_RESULT]
    told.sort(key=lambda one: one.entry is not None and dates_in_words.looks_wrong(one.entry, born=None, at=whole.at))
    return _named(whole, RESULTS, told, has_unread=held > len(found))


def _named(whole: Whole, subject: Subject, found: Sequence[Shelved], *, has_unread: bool) -> NamedEntries:
    """Many entries may be one thing: then what was read names few, and more may stand behind."""
    folded = folding.fold(rows.paired(found, whole.sources, has_details=False))
    return NamedEntries(subject, folded[:MOST_NAMED], has_unread or len(folded) > MOST_NAMED)
