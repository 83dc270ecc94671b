"""Duplicates: the very same entry, sent by two providers, or by one in two ways. A list has one row for them. No two
are merged if one says anything that the page of the row does not."""

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
    """The entries of one page by what refers to them. Put in order only where two reports may be the very same."""

    def __init__(self, shelved: Sequence[Shelved], sources: Mapping[UUID, Source]) -> None:
        self._shelved = shelved
        self._sources = sources

    def are_of_one_provider(self, *several: Shelved) -> bool:
        """Whether it sent all of them, in whichever ways."""
        return len({self._sources[each.connection_id].connection.provider_id for each in several}) == 1

    def find(self, holder: Shelved, path: str) -> Shelved | None:
        """What a report or a panel refers to so, if it stands on this page."""
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
    """Of two entries that are the very same, the one whose page tells all that the other's does; None where they are
    two. A plan or a device often has no code or no date: only of one provider, read in two ways, can they be one."""
    if one.connection_id == other.connection_id or one.subject != other.subject:
        return None
    first, second = one.entry, other.entry
    if first is None or second is None or type(first) is not type(second) or first.is_withheld:
        return None
    if _forms(first) and not at_hand.are_of_one_provider(one, other):
        return None  # what is in files is not compared, and two clinics write a note on the same day
    stands = one if _say_the_same(first, second) else _fuller(one, other, at_hand)
    return stands if stands is not None and _have_same_parts(one, other, at_hand, deepest=deepest) else None


def _fuller(one: Shelved, other: Shelved, at_hand: AtHand) -> Shelved | None:
    """Of one provider, the entry that tells all that the other does; None where each tells something else. One version
    of FHIR has places that the other has not: for whom a care team works, what a number counts."""
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
        return None  # what was found is one thing only where nothing that is told of it differs
    if facts_of_other <= facts_of_it and _words(second.narrative) <= _words(first.narrative, *facts_of_it):
        return one
    tells_all = facts_of_it <= facts_of_other and _words(first.narrative) <= _words(second.narrative, *facts_of_other)
    return other if tells_all else None


def _is_known_by_more_than_its_name(first: Entry, second: Entry) -> bool:
    """Whether two entries of one name can be but one thing: nobody has the same allergy twice, and many have two
    pacemakers, two brothers or two doses. A date tells those, or a number that no other has, or the provider's id."""
    if isinstance(first, _STANDING) or first.when.starts or first.logical_id == second.logical_id:
        return True
    numbers = _number_of(first), _number_of(second)
    return bool(numbers[0]) and numbers[0] == numbers[1]


def _number_of(entry: Entry) -> str:
    """What no other thing of its kind has. A device's identifier is one of its model."""
    if isinstance(entry, DeviceEntry):
        return entry.serial
    if isinstance(entry, CoverageEntry):
        return entry.member_number
    if isinstance(entry, FamilyEntry):
        return entry.name or (entry.relative if entry.relative in _ONLY_ONE else "")
    return ""


def _say_the_same(first: Entry, second: Entry) -> bool:
    """Code, date and value are equal, and all that is told of them, though the row keeps it for its page: a dose or a
    conclusion that differs must not vanish behind another provider's."""
    if not (first.codes and first.when.starts) or any(
        getattr(first, name) != getattr(second, name) for name in _compared(first)
    ):
        return False
    return _forms(first) == _forms(second) and tuple(row_details.of(first)) == tuple(row_details.of(second))


def _facts(entry: Entry) -> set[str]:
    """What its page tells, a line for each."""
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
    """The report or the document as files, whatever address each provider has them at."""
    files = tuple(file.described for file in entry.files) if isinstance(entry, DocumentEntry) else ()
    forms = entry.forms if isinstance(entry, ReportEntry) else files
    return tuple(replace(form, url="") for form in forms)


def _have_same_parts(one: Shelved, other: Shelved, at_hand: AtHand, *, deepest: int) -> bool:
    """Whether each result of two reports, or of two panels, is the very same as the one in its place. One that does not
    stand on this page may say something else, and of so many some may not be named: they are two rows rather than one
    that hides the other."""
    first, second = _parts(one.entry), _parts(other.entry)
    if len(first) != len(second) or len(first) >= results.MOST_MEMBERS or (first and not deepest):
        return False
    for path, its_path in zip(first, second, strict=True):
        if path.startswith("#") and path == its_path and path in _contained(one.entry):
            continue  # the reports were compared with what they contain
        part, its_part = at_hand.find(one, path), at_hand.find(other, its_path)
        if part is None or its_part is None or not standing_for_both(part, its_part, at_hand, deepest=deepest - 1):
            return False
    return True


def _parts(entry: Entry | None) -> tuple[str, ...]:
    """The results that belong to it, as references into its own provider's records."""
    if isinstance(entry, ReportEntry):
        return entry.results
    return entry.members if isinstance(entry, ResultEntry) else ()


def _contained(entry: Entry | None) -> set[str]:
    """What it holds itself, without what refers on to others."""
    return {one.logical_id for one in entry.inside if not one.members} if isinstance(entry, ReportEntry) else set()
