"""One page of a list as it is shown: its rows, where they stand among all, and how the list can be filtered."""

from dataclasses import dataclass
from typing import Final

from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.listing.narrowing import Choices
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source

FEW: Final = 15  # up to so many rows need no links to years and no search, and so many documents none to kinds
_YEARS_AT_HAND: Final = 6  # two lines on a phone; the seventy of a long life would push the list off the screen


@dataclass(frozen=True)
class Section:
    """Rows under one heading, a group or a year; empty if there is none. `closed` is how many entries the whole list
    has under it if the section is collapsed; else 0."""

    heading: str
    rows: tuple[Row, ...]
    closed: int = 0


@dataclass(frozen=True)
class Withdrawn:
    """How many entries a provider marked as recorded by mistake, no longer has, has not finalized, or hides."""

    provider: str
    withdrawn: int
    gone: int
    drafts: int = 0
    withheld: int = 0


@dataclass(frozen=True)
class EntryList:
    """One page of a list. `count` is of the whole list, as filtered. `years` are those with entries, newest first, and
    `sources` those that contribute. If one source is chosen, the page says nothing about the others: it may be printed
    as one person's record."""

    filters: Filters
    count: int
    pages: int
    sections: tuple[Section, ...]
    years: tuple[tuple[str, int], ...]
    sources: tuple[Source, ...]
    withdrawn: tuple[Withdrawn, ...]
    all_sources: tuple[Source, ...] = ()  # including those without any entries here
    narrowings: tuple[Choices, ...] = ()  # by kind and author for documents; by subject for everything by date
    is_by_name: bool = False
    has_dates: bool = True
    is_latest: bool = False  # one row per test, with its newest value
    does_not_open: bool = False
    lacks_some: bool = False  # records that do not open
    is_folded: bool = False  # on each page, entries of the same thing are grouped

    @property
    def is_arriving(self) -> bool:
        """Whether its counts are incomplete because a first copy is under way."""
        return any(source.is_arriving for source in self.all_sources)

    @property
    def is_long(self) -> bool:
        """Whether searching for a name is easier than going through its rows."""
        return self.count > FEW

    @property
    def has_parts(self) -> bool:
        """Whether the list can be, or is, restricted to one year or one provider."""
        is_chosen = bool(self.filters.year or self.filters.source)
        return is_chosen or len(self.years) > 1 or bool(self.sources_to_choose)

    @property
    def sources_to_choose(self) -> tuple[Source, ...]:
        """The sources to which it can be restricted. None if it shows several people's records: the person is chosen
        first."""
        of_several = len({source.person for source in self.all_sources}) > 1
        return self.sources if len(self.sources) > 1 and not of_several else ()

    @property
    def narrowed_to(self) -> tuple[str, ...]:
        """The restrictions chosen, in words: nothing else on a printed list says that it is a part."""
        names = (one.name for each in self.narrowings for one in each.choices if one.is_on)
        sources = (source.provider for source in self.all_sources if self.filters.source)
        return tuple(filter(None, (self.filters.year, *names, *sources)))

    @property
    def is_empty_by_choice(self) -> bool:
        """Whether the list has entries, but none that fit the choice."""
        if self.count or self.does_not_open:
            return False
        return self.filters.are_chosen and bool(self.sources or self.filters.source or self.filters.subject)

    @property
    def is_of_nothing(self) -> bool:
        """Whether there is nothing to list although no part was chosen and all of it opens."""
        return not (self.count or self.filters.arranged or self.is_empty_by_choice or self.does_not_open)

    @property
    def sent_again(self) -> int:
        """How many entries of this page were sent more than once, and are shown once."""
        rows_of_it = (row for section in self.sections for head in section.rows for row in (head, *head.others))
        return len({row.record for row in rows_of_it if row.sent > 1})

    @property
    def clinic(self) -> str:
        """The provider to ask, by its name alone, if all entries come from one, or could: however its record is read,
        people call the clinic."""
        clinics = {source.clinic for source in self.sources or self.all_sources}
        return clinics.pop() if len(clinics) == 1 else ""

    @property
    def years_at_hand(self) -> tuple[str, ...]:
        """The newest years, offered directly."""
        return tuple(year for year, _count in self.years[: len(self.years) - len(self.earlier_years)])

    @property
    def earlier_years(self) -> tuple[str, ...]:
        """The years that are collapsed. None if there were only one, which takes no more room than the fold."""
        earlier = self.years[_YEARS_AT_HAND:]
        return tuple(year for year, _count in earlier) if len(earlier) > 1 else ()
