"""One page of a list as it is shown: its rows, where they stand among all, and how the list can be narrowed."""

from dataclasses import dataclass
from typing import Final

from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.listing.narrowing import Choices
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source

FEW: Final = 15  # rows that need no years and no search, and documents that need no kinds, to choose from
_YEARS_AT_HAND: Final = 6  # two lines of a phone; a long life has seventy, which would push the list off the screen


@dataclass(frozen=True)
class Section:
    """Rows under one heading, a group or a year; empty where there is none to say. `closed` is how many entries the
    whole list has under it, where they are shown only to who opens it; else 0."""

    heading: str
    rows: tuple[Row, ...]
    closed: int = 0


@dataclass(frozen=True)
class Withdrawn:
    """How many entries a provider marked as recorded by mistake, no longer has, has not made final, or hides."""

    provider: str
    withdrawn: int
    gone: int
    drafts: int = 0
    withheld: int = 0


@dataclass(frozen=True)
class EntryList:
    """One page of a list. `count` is of the whole list, as filtered. `years` are those with entries, newest first, and
    `sources` those that contribute. Where one is chosen, nothing is told of the others: who prints it may have chosen
    one person's."""

    filters: Filters
    count: int
    pages: int
    sections: tuple[Section, ...]
    years: tuple[tuple[str, int], ...]
    sources: tuple[Source, ...]
    withdrawn: tuple[Withdrawn, ...]
    all_sources: tuple[Source, ...] = ()  # those of which nothing is here as well
    narrowings: tuple[Choices, ...] = ()  # of what kind documents are, and who wrote them; of what subject entries are
    is_by_name: bool = False
    has_dates: bool = True
    is_latest: bool = False  # one row for each test, its newest value
    does_not_open: bool = False
    lacks_some: bool = False  # records that do not open
    is_folded: bool = False  # entries of the same thing stand together, as far as one page goes

    @property
    def is_arriving(self) -> bool:
        """Whether what it counts is not all yet: a first copy is on its way."""
        return any(source.is_arriving for source in self.all_sources)

    @property
    def is_long(self) -> bool:
        """Whether somebody would rather look for a name than through its rows."""
        return self.count > FEW

    @property
    def has_parts(self) -> bool:
        """Whether one year, or what one provider sent, can be chosen, or is."""
        is_chosen = bool(self.filters.year or self.filters.source)
        return is_chosen or len(self.years) > 1 or bool(self.sources_to_choose)

    @property
    def sources_to_choose(self) -> tuple[Source, ...]:
        """Those that it can be narrowed to. Of several people's records nobody's yet: whose comes before which."""
        of_several = len({source.person for source in self.all_sources}) > 1
        return self.sources if len(self.sources) > 1 and not of_several else ()

    @property
    def narrowed_to(self) -> tuple[str, ...]:
        """What was chosen of the list, in words: on paper nothing else says that it is a part."""
        names = (one.name for each in self.narrowings for one in each.choices if one.is_on)
        sources = (source.provider for source in self.all_sources if self.filters.source)
        return tuple(filter(None, (self.filters.year, *names, *sources)))

    @property
    def is_empty_by_choice(self) -> bool:
        """Whether there is nothing here of what was chosen, though the list has some."""
        if self.count or self.does_not_open:
            return False
        return self.filters.are_chosen and bool(self.sources or self.filters.source or self.filters.subject)

    @property
    def is_of_nothing(self) -> bool:
        """Whether there is nothing to list, though nobody chose a part, and all of it opens."""
        return not (self.count or self.filters.arranged or self.is_empty_by_choice or self.does_not_open)

    @property
    def sent_again(self) -> int:
        """How many entries of this page came more than once, and are shown once."""
        rows_of_it = (row for section in self.sections for head in section.rows for row in (head, *head.others))
        return len({row.record for row in rows_of_it if row.sent > 1})

    @property
    def clinic(self) -> str:
        """The provider to ask, by its name alone, where all comes from one, or could: however its record is read,
        somebody calls the clinic."""
        clinics = {source.connection.provider.name for source in self.sources or self.all_sources}
        return clinics.pop() if len(clinics) == 1 else ""

    @property
    def years_at_hand(self) -> tuple[str, ...]:
        """The newest years, to choose one."""
        return tuple(year for year, _count in self.years[: len(self.years) - len(self.earlier_years)])

    @property
    def earlier_years(self) -> tuple[str, ...]:
        """Those that are folded away: none where it would be one, which takes no more room than the fold."""
        earlier = self.years[_YEARS_AT_HAND:]
        return tuple(year for year, _count in earlier) if len(earlier) > 1 else ()
