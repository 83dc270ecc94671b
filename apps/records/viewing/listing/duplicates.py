"""Duplicates: the same entry, sent by two providers, or by one in two ways. A list shows one row for them. Entries are
not merged if one says anything that the page of the row's entry does not."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from uuid import UUID

from msgspec.structs import fields, replace

from apps.records.presenters.allergies import AllergyEntry
from apps.records.presenters.care_plans import CarePlanEntry
from apps.records.presenters.care_teams import CareTeamEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.devices import DeviceEntry
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.goals import GoalEntry
from apps.records.presenters.insurance import CoverageEntry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.observations import results
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.observations.values import Attachment
from apps.records.presenters.persons.relatives import Relative
from apps.records.presenters.reports import ReportEntry
from apps.records.shelving.reading import Shelved
from apps.records.viewing import facts, questions
from apps.records.viewing.listing import row_details
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import doubts

_STANDING: Final = (AllergyEntry, CarePlanEntry, CareTeamEntry, ConditionEntry, GoalEntry, MedicationEntry)
_ONLY_ONE: Final = frozenset({Relative.MOTHER, Relative.FATHER})
_DEEPEST: Final = 2  # a report, its panels, and their results


class AtHand:
    """The entries of one page, by the references that lead to them. Built only when two reports may be the same."""

    def __init__(self, shelved: Sequence[Shelved], sources: Mapping[UUID, Source]) -> None:
        self._shelved = shelved
        self._sources = sources

    def are_of_one_provider(self, *several: Shelved) -> bool:
        """Whether one provider sent all of them, in whatever ways."""
        return len({self._sources[each.connection_id].connection.provider_id for each in several}) == 1

    def find(self, holder: Shelved, path: str) -> Shelved | None:
        """The entry to which a report or a panel refers by this path, if it is on this page."""
        return self._by_path.get((holder.connection_id, path))

    @cached_property
    def _by_path(self) -> dict[tuple[UUID, str], Shelved]:
        told = ((one, one.entry) for one in self._shelved)
        return {
            (one.connection_id, f"{entry.resource_type}/{entry.logical_id}"): one
            for one, entry in told
            if entry is not None
        }


def standing_for_both(one: Shelved, other: Shelved, at_hand: AtHand, *, deepest: int = _DEEPEST) -> Shelved | None:
    """If two entries are the same, the one whose page shows everything that the other's does; None if they are two.
    Plans and devices often have no code or date: they can be the same only if one provider's record is read in two
    ways."""
    if one.connection_id == other.connection_id or one.subject != other.subject:
        return None
    first, second = one.entry, other.entry
    if first is None or second is None or type(first) is not type(second) or first.is_withheld:
        return None
    if _forms(first) and not at_hand.are_of_one_provider(one, other):
        return None  # the contents of files are not compared, and two clinics may write a note on the same day
    stands = one if _say_the_same(first, second) else _fuller(one, other, at_hand)
    return stands if stands is not None and _have_same_parts(one, other, at_hand, deepest=deepest) else None


def _fuller(one: Shelved, other: Shelved, at_hand: AtHand) -> Shelved | None:
    """For entries of one provider, the one that says everything that the other does; None if each says something else.
    Each version of FHIR has elements that the other lacks: for whom a care team works, what a number counts."""
    first, second = one.entry, other.entry
    if first is None or second is None or not first.title or not at_hand.are_of_one_provider(one, other):
        return None
    if not _is_known_by_more_than_its_name(first, second):
        return None
    if _forms(first) != _forms(second) or any(
        getattr(first, name, None) != getattr(second, name, None)
        for name in ("title", "codes", "when", "status", "group", "inside")
    ):
        return None
    facts_of_it, facts_of_other = _facts(first), _facts(second)
    if isinstance(first, ReportEntry | ResultEntry) and facts_of_it != facts_of_other:
        return None  # findings are the same only if nothing shown of them differs
    if facts_of_other <= facts_of_it and _words(second.narrative) <= _words(first.narrative, *facts_of_it):
        return one
    tells_all = facts_of_it <= facts_of_other and _words(first.narrative) <= _words(second.narrative, *facts_of_other)
    return other if tells_all else None


def _is_known_by_more_than_its_name(first: Entry, second: Entry) -> bool:
    """Whether two entries with the same name must be one thing: nobody has the same allergy twice, but many have two
    pacemakers, two brothers or two doses. These are identified by a date, by a number that no other has, or by the
    provider's id."""
    if isinstance(first, _STANDING) or first.when.starts or first.logical_id == second.logical_id:
        return True
    numbers = _number_of(first), _number_of(second)
    return bool(numbers[0]) and numbers[0] == numbers[1]


def _number_of(entry: Entry) -> str:
    """A number that no other thing of its kind has. A device's identifier only identifies its model."""
    if isinstance(entry, DeviceEntry):
        return entry.serial
    if isinstance(entry, CoverageEntry):
        return entry.member_number
    if isinstance(entry, FamilyEntry):
        return entry.name or (entry.relative if entry.relative in _ONLY_ONE else "")
    return ""


def _say_the_same(first: Entry, second: Entry) -> bool:
    """Whether code, date and value are equal, and everything else that is shown, even if only on its page: a dose or a
    conclusion that differs must not disappear behind another provider's."""
    if not (first.codes and first.when.starts) or any(
        getattr(first, name) != getattr(second, name) for name in _compared(first)
    ):
        return False
    return _forms(first) == _forms(second) and tuple(row_details.of(first)) == tuple(row_details.of(second))


def _facts(entry: Entry) -> set[str]:
    """What its page shows, line by line."""
    answers = (line for group in questions.of(entry) for asked in group.asked for line in (asked.text, *asked.answers))
    told = (f"{fact.label}: {line}" for fact in facts.of(entry, provider="") for line in fact.lines)
    return {*told, *answers, *entry.said, *doubts.each(entry.doubts)}


def _words(*texts: str) -> set[str]:
    return set(re.findall(r"\w+", " ".join(texts).casefold()))


def _compared(entry: Entry) -> tuple[str, ...]:
    names = {field.name for field in fields(entry)}
    wanted = (
        "title", "codes", "when", "status", "group", "said", "doubts", "value", "components", "place", "reactions",
        "inside", "conclusion_names",
    )  # fmt: skip
    return tuple(name for name in wanted if name in names)


def _forms(entry: Entry) -> tuple[Attachment, ...]:
    """The report or document as files, regardless of the address under which each provider has them."""
    files = tuple(file.described for file in entry.files) if isinstance(entry, DocumentEntry) else ()
    forms = entry.forms if isinstance(entry, ReportEntry) else files
    return tuple(replace(form, url="") for form in forms)


def _have_same_parts(one: Shelved, other: Shelved, at_hand: AtHand, *, deepest: int) -> bool:
    """Whether each result of two reports or panels is the same as its counterpart. A result that is not on this page
    may differ, and of very many some may not be listed: then they are shown as two rows rather than one that hides the
    other."""
    first, second = _parts(one.entry), _parts(other.entry)
    if len(first) != len(second) or len(first) >= results.MOST_MEMBERS or (first and not deepest):
        return False
    for path, its_path in zip(first, second, strict=True):
        if path.startswith("#") and path == its_path and path in _contained(one.entry):
            continue  # what reports contain was compared with them
        part, its_part = at_hand.find(one, path), at_hand.find(other, its_path)
        if part is None or its_part is None or not standing_for_both(part, its_part, at_hand, deepest=deepest - 1):
            return False
    return True


def _parts(entry: Entry | None) -> tuple[str, ...]:
    """The results that belong to it, as references within its own provider's records."""
    if isinstance(entry, ReportEntry):
        return entry.results
    return entry.members if isinstance(entry, ResultEntry) else ()


def _contained(entry: Entry | None) -> set[str]:
    """The ids of contained results, except those that refer to others."""
    return {one.logical_id for one in entry.inside if not one.members} if isinstance(entry, ReportEntry) else set()
