"""Which entries of shelves, or records, a section holds; for the others, it counts why not.

Limited to MOST entries a section, and by the number of different things of which a section shows the newest.
"""

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from apps.records.exporting.ips import judging
from apps.records.exporting.ips.extents import Extent
from apps.records.exporting.ips.sections import Section
from apps.records.exporting.stored import Source
from apps.records.presenters import absences
from apps.records.presenters.absences import Absence
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Entry
from apps.records.subjects import Subject

MOST: Final = 200
_PICKED: Final = MOST * 2  # whose bodies are read: a few entries turn out not to belong here only then

Held = TypeVar("Held")


@dataclass(frozen=True, repr=False)
class NoneKnown:
    """A provider's statement that there is none."""

    source: Source
    logical_id: str
    absence: Absence
    said: str
    when: When


@dataclass(frozen=True, repr=False)
class Ranked(Generic[Held]):
    """Something held, its place in the order, and the key that it shares with entries that say the same: empty if it
    always counts. `again` is the key that it shares with the same procedure done at other times."""

    order: tuple[str, str, str]
    alike: str
    again: str
    held: Held

    @classmethod
    def by(cls, entry: Entry, section: Section, source: Source, held: Held) -> "Ranked[Held]":
        """Ordered by the entry's date, with ties always broken in the same way."""
        order = (entry.when.sorts_at, entry.title, entry.logical_id)
        return cls(order, section.alike_in(entry, source), section.again(entry), held)


@dataclass
class Newest(Generic[Held]):
    """The newest, up to a limit, and only one of those that say the same. Of repeated procedures, the newest has a
    place before the others get any: one operation precedes the fiftieth check-up. `older` counts the rest."""

    most: int
    found: list[Ranked[Held]] = field(default_factory=list)
    older: int = 0

    def add(self, one: Ranked[Held]) -> None:
        """Keep it, provisionally."""
        self.found.append(one)
        if len(self.found) > self.most * 2:
            self.settle()

    def settle(self) -> list[Held]:
        """Those that are kept, newest first."""
        alike: dict[str, Ranked[Held]] = {}
        for number, one in enumerate(sorted(self.found, key=lambda each: each.order, reverse=True)):
            alike.setdefault(one.alike or f"#{number}", one)
        kept = self._fitting(list(alike.values()))
        self.older += len(self.found) - len(kept)
        self.found = kept
        return [one.held for one in kept]

    def _fitting(self, newest_first: list[Ranked[Held]]) -> list[Ranked[Held]]:
        if len(newest_first) <= self.most:
            return newest_first
        first: dict[str, int] = {}
        for number, one in enumerate(newest_first):
            first.setdefault(one.again or f"#{number}", number)
        others = sorted(set(range(len(newest_first))) - set(first.values()))
        fitting = sorted([*first.values(), *others][: self.most])
        return [newest_first[number] for number in fitting]


@dataclass
class Left:
    """What a section does not list. `none_known` are statements that there is none; `left_out` counts what is over,
    ruled out or not done, `withheld` what has no details, `of_other_kinds` what does not fit into the summary, and
    `answers` what the person answered about how they live and feel, if that is beyond the `extent`. `unopened` are the
    providers with entries that do not open and may belong here. What is kept back from others is not counted;
    `keeps_back` says that there is some."""

    extent: Extent = field(default_factory=Extent)
    none_known: dict[tuple[Source, Absence], NoneKnown] = field(default_factory=dict)
    left_out: int = 0
    withheld: int = 0
    of_other_kinds: int = 0
    answers: int = 0
    unopened: set[str] = field(default_factory=set)
    keeps_back: bool = False

    @property
    def hides_some(self) -> bool:
        """Whether something here is unknown."""
        return bool(self.withheld or self.unopened)

    def leaves(self, entry: Entry, section: Section, source: Source, subject: Subject | None) -> bool:
        """Whether the section does not list the entry of this subject, judging by the entry alone. If so, it is
        counted."""
        if self.extent.keeps_back(subject, entry, source):
            self.keeps_back = True
            return True
        return self.has_no_place_for(entry, section, source)

    def has_no_place_for(self, entry: Entry, section: Section, source: Source) -> bool:
        """The same for an entry that is not kept back from others."""
        is_told = self.extent.tells(entry)
        if not section.takes(entry) if is_told else section.is_by_itself:
            return True  # it belongs to another section; an answer that is left out is counted with its subject
        if entry.resource_type not in section.resource_types:
            self.of_other_kinds += 1
        elif entry.is_withheld:
            self.withheld += 1
        elif (absence := judging.absence_of(entry)) in section.none and absence is not None:
            said = entry.title or str(absences.WORDS[absence])
            self._note(NoneKnown(source, entry.logical_id, absence, said, entry.when))
        elif section.leaves_out(entry):
            self.left_out += not section.elsewhere(entry)
        elif not is_told:
            self.answers += 1
        else:
            return entry.says_no_information  # if the section has nothing else, it says so itself
        return True

    def add(self, others: "Left") -> None:
        """Add what another shelf left out."""
        self.left_out += others.left_out
        self.withheld += others.withheld
        self.of_other_kinds += others.of_other_kinds
        self.answers += others.answers
        self.unopened |= others.unopened
        self.keeps_back |= others.keeps_back
        for one in others.none_known.values():
            self._note(one)

    def _note(self, one: NoneKnown) -> None:
        """If the same statement was recorded several times, keep the last."""
        key = (one.source, one.absence)
        before = self.none_known.get(key)
        if before is None or (before.when.sorts_at, before.logical_id) < (one.when.sorts_at, one.logical_id):
            self.none_known[key] = one


@dataclass(frozen=True, repr=False)
class Picked:
    """An entry on a shelf whose body is to be read."""

    source: Source
    record: int
    entry: Entry


@dataclass
class Selection:
    """What one section picked from shelves."""

    newest: Newest[Picked] = field(default_factory=lambda: Newest(_PICKED))
    left: Left = field(default_factory=Left)

    def pick(self, one: Picked, section: Section, *, is_kept_back: bool) -> None:
        """Decide about one entry on a shelf."""
        if is_kept_back:
            self.left.keeps_back = True
        elif not self.left.has_no_place_for(one.entry, section, one.source):
            self.newest.add(Ranked.by(one.entry, section, one.source, one))

    def add(self, other: "Selection") -> None:
        """Add what was picked from another shelf."""
        for one in other.newest.found:
            self.newest.add(one)
        self.newest.older += other.newest.older
        self.left.add(other.left)
