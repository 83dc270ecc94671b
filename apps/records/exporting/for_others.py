"""What a page for other readers shows of an entry: no names of relatives, who have not agreed (patient experience
3.10), and no number of the things that belong to it."""

from msgspec.structs import replace

from apps.records.presenters.care_teams import CareTeamEntry, Circle
from apps.records.presenters.entry import NOT_GIVEN, Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.persons.relatives import RELATIVE_WORDS, Relative
from apps.records.presenters.reports import ReportEntry
from apps.records.shelving.reading import Shelved


def told(one: Shelved) -> Shelved:
    """The row of a list as others may read it."""
    return one if one.entry is None else one._replace(entry=_for_others(one.entry))


def _for_others(entry: Entry) -> Entry:
    if isinstance(entry, FamilyEntry):
        return _of_a_relative(entry)
    if isinstance(entry, CareTeamEntry):
        relatives = {member.name for member in entry.members if member.circle == Circle.FAMILY}
        return replace(entry, people=tuple(name for name in entry.people if name not in relatives))
    if isinstance(entry, ReportEntry):  # the number of results would reveal some that are not shown
        return replace(entry, results=())
    return entry


def _of_a_relative(entry: FamilyEntry) -> FamilyEntry:
    """The entry under the kinship to the patient, without notes, as these may name the relative."""
    is_named = bool(entry.name) and normalized(entry.name) in normalized(entry.title)
    unnamed = "" if entry.relative != NOT_GIVEN else str(RELATIVE_WORDS[Relative.FAMILY])
    return replace(
        entry,
        title=unnamed if is_named else entry.title,
        name="",
        said=(),
        conditions=tuple(replace(one, said=()) for one in entry.conditions),
    )
