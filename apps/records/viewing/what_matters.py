"""What matters most in a whole record: current allergies, conditions and medicines, and the latest results.

Names and dates, but no values of results: people decide themselves whether to look at those. One query per person.
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
    """A few entries of a subject, each thing once; `is_cut` if there are more, or more than were read."""

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
    """What matters about one person. `owner` is that person if there are several, else None."""

    owner: Owner | None
    matters: WhatMatters


def of_each(whole: Whole) -> tuple[OfOne, ...]:
    """For each person whose record this is, separately: nobody must take somebody else's medicines for their own. One
    query per person. Raises as `of` does."""
    owners = whole.owners
    if len(owners) < 2:
        return (OfOne(None, of(whole)),)
    return tuple(OfOne(owner, of(whole.of_one_person(owner.connection_id))) for owner in owners)


def of(whole: Whole) -> WhatMatters:
    """For one person. Raises Outdated if a shelf was rebuilt meanwhile, and VaultError."""
    found = reading.begun(whole.shelves, [one.key for one in (ALLERGIES, CONDITIONS, MEDICINES, RESULTS)], whole.ring)
    return WhatMatters(
        allergies=_allergies(whole, found[ALLERGIES.key]),
        conditions=_current(whole, CONDITIONS, found[CONDITIONS.key]),
        medicines=_current(whole, MEDICINES, found[MEDICINES.key]),
        results=_latest(whole, found[RESULTS.key]),
    )


def allergies_of(whole: Whole) -> Allergies:
    """Only the allergies, for a page whose shelves include them. Raises as `of` does."""
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
    """How many entries the shelves hold in one group."""
    return sum(shelf.index.groups.get(group, 0) for shelf in whole.of(subject) if shelf.index is not None)


def _latest(whole: Whole, found: Sequence[Shelved]) -> NamedEntries:
    """Without what was ordered and has no result yet, or was canceled. Impossible dates come last: a mistyped year
    would otherwise stand there as the latest for ever."""
    held = sum(shelf.index.count for shelf in whole.of(RESULTS) if shelf.index is not None)
    told = [one for one in found if one.entry is None or one.entry.group not in results.WITHOUT_RESULT]
    told.sort(key=lambda one: one.entry is not None and dates_in_words.looks_wrong(one.entry, born=None, at=whole.at))
    return _named(whole, RESULTS, told, has_unread=held > len(found))


def _named(whole: Whole, subject: Subject, found: Sequence[Shelved], *, has_unread: bool) -> NamedEntries:
    """Several entries may be one thing: so what was read may give few names although more exist."""
    folded = folding.fold(rows.paired(found, whole.sources, has_details=False))
    return NamedEntries(subject, folded[:MOST_NAMED], has_unread or len(folded) > MOST_NAMED)
