"""The list of one subject: fifty rows a page, from every provider, with what is missing and how current it is.

The same code assembles "everything by date", which is the list of all subjects at once.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple
from uuid import UUID

from django.utils.translation import gettext
from msgspec import structs

from apps.records.presenters.normalizing import normalized
from apps.records.shelving import arranging, reading
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.indexing import MOST_ROWS
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.records.subjects import CONDITIONS, LISTED, MEDICINES, RESULTS, VITALS, Order, Subject
from apps.records.viewing.listing import closed_groups, folding, narrowing, rows
from apps.records.viewing.listing.entry_list import FEW, EntryList, Section, Withdrawn
from apps.records.viewing.listing.filters import BY_DATE, BY_NAME, DRAFTS, GONE, Filters
from apps.records.viewing.listing.narrowing import Choices, Narrowing
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Whole
from apps.records.viewing.wording import dates_in_words, words

_MOST_SORTED: Final = 20 * MOST_ROWS  # sorted by the names shown; a longer list keeps the order of its shelves


def of_subject(whole: Whole, subject: Subject, filters: Filters) -> EntryList:
    """The list of one subject. Raises Outdated if the shelf was rebuilt meanwhile, and VaultError."""
    filters = replace(filters, subject="")
    arrangement = _arrangement(subject, filters)
    layout = _layout(subject, arrangement)
    found = replace(
        _assemble(whole, whole.of(subject), {subject.key: arrangement}, filters, layout),
        is_by_name=layout.fold is not folding.apart,
        is_latest=arrangement is Arrangement.LATEST,
    )
    if arrangement is Arrangement.GONE:
        return replace(_as_gone(found), years=(), narrowings=())
    if arrangement is Arrangement.LISTED and layout.heading is not _by_year:
        shelves = [shelf for shelf in whole.of(subject) if filters.source in {None, shelf.connection_id}]
        found = replace(found, sections=closed_groups.close(found.sections, subject, shelves))
    return found if arrangement is not Arrangement.DRAFTS and _has_years(found) else replace(found, years=())


def _as_gone(found: EntryList) -> EntryList:
    """What its provider no longer has keeps no status: it is not a current medicine, for example, although it was one
    when last seen there (patient experience 3.0)."""
    heading = gettext("No longer at the provider")
    told = tuple(structs.replace(row, status="") for each in found.sections for row in each.rows)
    return replace(found, sections=(Section(heading, told),) if told else (), has_dates=any(row.year for row in told))


def of_everything(whole: Whole, subjects: Sequence[Subject], filters: Filters) -> EntryList:
    """Everything by date, or the part of it that belongs to one subject."""
    filters = replace(filters, kind="", author="")
    every = {subject.key: arranging.dated_arrangement(subject) for subject in subjects}
    arrangements = {key: arrangement for key, arrangement in every.items() if filters.subject in {"", key}}
    shelves = [shelf for shelf in whole.shelves if shelf.subject in arrangements]
    found = _assemble(whole, shelves, arrangements, filters, _Layout(_by_year))
    held = [shelf for shelf in whole.shelves if filters.source in {None, shelf.connection_id}]
    return replace(found, narrowings=narrowing.of_subjects(held, every, filters.subject))


def _arrangement(subject: Subject, filters: Filters) -> Arrangement:
    if filters.arranged == GONE and not filters.year:
        return Arrangement.GONE
    if filters.arranged == DRAFTS and subject is MEDICINES:
        return Arrangement.DRAFTS
    if filters.year or filters.arranged == BY_DATE:
        return arranging.dated_arrangement(subject)
    is_by_test = subject is VITALS or (subject is RESULTS and filters.arranged == BY_NAME)
    return Arrangement.LATEST if is_by_test else Arrangement.LISTED


class _Layout(NamedTuple):
    """How a list is laid out: the heading of each row, which rows are grouped, whether rows are sorted by the names
    shown, and whether each says how old it is."""

    heading: Callable[[Row], str]
    fold: Callable[[Sequence[tuple[Shelved, Row]]], tuple[Row, ...]] = folding.apart
    is_sorted: bool = False
    has_ages: bool = False


def _layout(subject: Subject, arrangement: Arrangement) -> _Layout:
    if arrangement is Arrangement.LATEST:  # the newest value of each test, which may be old (patient experience 3.4)
        return _Layout(_by_nothing, folding.by_test, is_sorted=True, has_ages=True)
    if arrangement is Arrangement.LISTED:
        heading = _by_year if arranging.is_dated(subject) else _by_group(subject)
        fold = folding.fold if subject.order is Order.NAMED else folding.apart
        return _Layout(heading, fold, is_sorted=subject is CONDITIONS)
    if arrangement is Arrangement.DRAFTS:
        return _Layout(_by_group(subject))
    return _Layout(_by_year if arrangement is Arrangement.DATED else _by_nothing)


def _has_years(found: EntryList) -> bool:
    return found.filters.year != "" or (not found.is_by_name and sum(count for _year, count in found.years) > FEW)


def _assemble(
    whole: Whole,
    shelves: Sequence[OpenShelf],
    arrangements: Mapping[str, Arrangement],
    filters: Filters,
    layout: _Layout,
) -> EntryList:
    chosen = [shelf for shelf in shelves if filters.source in {None, shelf.connection_id}]
    narrowed = narrowing.asked(whole.user_id, shelves, filters.marks)
    if narrowed:
        page = _narrowed(whole, chosen, arrangements, filters, narrowed)
    else:
        page = _page(whole, chosen, arrangements, filters, is_sorted=layout.is_sorted)
    shown = _shown(whole, page.found, layout)
    sources = whole.sources_of([one for one in LISTED if one.key in arrangements])
    contributing = {shelf.connection_id for shelf in chosen if shelf.index is not None and shelf.index.count}
    return EntryList(
        filters=replace(filters, page=page.number),
        count=page.count,
        pages=page.pages,
        sections=tuple(Section(name, tuple(group)) for name, group in groupby(shown, key=layout.heading)),
        years=tuple(sorted(((year, number) for year, number in page.years.items() if year), reverse=True)),
        sources=tuple(source for key, source in sources.items() if key in contributing),
        withdrawn=_withdrawn(whole, chosen),
        has_dates=any(page.years),
        all_sources=tuple(source for key, source in sources.items() if filters.source in {None, key}),
        narrowings=page.narrowings,
        does_not_open=any(shelf.index is None for shelf in chosen),
        lacks_some=any(shelf.lacks_some for shelf in chosen),
        is_folded=layout.fold is folding.fold,
    )


def _shown(whole: Whole, found: Sequence[Shelved], layout: _Layout) -> tuple[Row, ...]:
    told = rows.paired(found, whole.sources, at=whole.at)
    if layout.heading is _by_year:  # as counted and ordered, whatever the reader's zone is now
        told = [(shelved, _of_year(arranging.year_in(shelved.key), row)) for shelved, row in told]
    if layout.has_ages:
        told = [(shelved, _with_age(shelved, row, whole.at)) for shelved, row in told]
    return layout.fold(told)


@dataclass(frozen=True)
class _Page:
    """The rows of one page of a list, and what is known about the whole list."""

    found: Sequence[Shelved]
    number: int
    pages: int
    count: int
    years: Counter[str]
    narrowings: tuple[Choices, ...] = ()


def _page(
    whole: Whole,
    chosen: Sequence[OpenShelf],
    arrangements: Mapping[str, Arrangement],
    filters: Filters,
    *,
    is_sorted: bool,
) -> _Page:
    years = _years(chosen)
    start, count = _span(chosen, arrangements, years, filters)
    number, pages = _numbered(filters, count)
    first = start + (number - 1) * MOST_ROWS
    read = partial(reading.window_by, _as_called) if is_sorted and count <= _MOST_SORTED else reading.window
    found = read(chosen, arrangements, first, min(first + MOST_ROWS, start + count), whole.ring) if count else ()
    is_of_one = len(arrangements) == 1  # with several subjects, these are the choices (`of_subjects`)
    narrowings = _choices(whole, chosen) if count > FEW and is_of_one else ()
    return _Page(found, number, pages, count, years, narrowings)


def _choices(whole: Whole, chosen: Sequence[OpenShelf]) -> tuple[Choices, ...]:
    return Narrowing(whole.user_id, {}, plain=narrowing.plain_kinds(chosen)).of_all(chosen)


def _narrowed(
    whole: Whole,
    chosen: Sequence[OpenShelf],
    arrangements: Mapping[str, Arrangement],
    filters: Filters,
    narrowed: Narrowing,
) -> _Page:
    """The same for the entries that are wanted only. Every leaf is opened, since no index knows where they are."""
    _start, held = _span(chosen, arrangements, Counter(), replace(filters, year=""))
    every = reading.window(chosen, arrangements, 0, held, whole.ring)
    wanted = [one for one in every if narrowed.has(one.entry)]
    years = Counter(arranging.year_in(one.key) for one in wanted)
    of_year = [one for one in wanted if filters.year in {"", arranging.year_in(one.key)}]
    number, pages = _numbered(filters, len(of_year))
    first = (number - 1) * MOST_ROWS
    return _Page(of_year[first : first + MOST_ROWS], number, pages, len(of_year), years, narrowed.within(every))


def _numbered(filters: Filters, count: int) -> tuple[int, int]:
    """Which page is shown, and how many there are: the last one if the list has become shorter."""
    pages = max(-(-count // MOST_ROWS), 1)
    return min(filters.page, pages), pages


def _with_age(told: Shelved, row: Row, at: datetime) -> Row:
    ago = dates_in_words.how_long_ago(told.entry.when, at=at) if told.entry is not None else ""
    return structs.replace(row, when=gettext("%(date)s (%(ago)s)") % {"date": row.when, "ago": ago}) if ago else row


def _as_called(told: Shelved) -> tuple[int, str, str, str]:
    """A sort key: vital signs in the order in which readers look for them, conditions by group with those in remission
    last, then A to Z by the name that a row shows first, accents ignored: shelves know only the provider's names, and
    no language. Conditions with the same name come newest first, as the first represents all."""
    called = normalized(rows.names(told.entry)[0]) if told.entry is not None else ""
    group, ranked, newest, _pk = told.key
    return (group, ranked[:1], called, newest) if told.subject == CONDITIONS.key else (group, "", called, "")


def _span(
    chosen: Sequence[OpenShelf], arrangements: Mapping[str, Arrangement], years: Counter[str], filters: Filters
) -> tuple[int, int]:
    """Where the list begins within what the shelves hold together, and how long it is. A year is a stretch of the list
    in order newest first; entries without a date are at its end."""
    if filters.year:
        newer = sum(count for year, count in years.items() if year > filters.year)
        return newer, years[filters.year]
    stretches = (shelf.stretch(arrangements[shelf.subject]) for shelf in chosen)
    return 0, sum(head.count for stretch in stretches for head in stretch.heads)


def _years(shelves: Sequence[OpenShelf]) -> Counter[str]:
    years: Counter[str] = Counter()
    for shelf in shelves:
        years.update(shelf.index.years if shelf.index else {})
    return years


def _withdrawn(whole: Whole, shelves: Sequence[OpenShelf]) -> tuple[Withdrawn, ...]:
    withdrawn: Counter[UUID] = Counter()
    gone: Counter[UUID] = Counter()
    drafts: Counter[UUID] = Counter()
    withheld: Counter[UUID] = Counter()
    for shelf in shelves:
        if shelf.index is not None:
            withdrawn[shelf.connection_id] += shelf.index.withdrawn
            gone[shelf.connection_id] += shelf.index.gone
            drafts[shelf.connection_id] += shelf.index.drafts
            withheld[shelf.connection_id] += shelf.index.withheld
    return tuple(
        Withdrawn(source.provider, withdrawn[key], gone[key], drafts[key], withheld[key])
        for key, source in whole.sources.items()
        if withdrawn[key] or gone[key] or drafts[key] or withheld[key]
    )


def _of_year(year: str, row: Row) -> Row:
    return row if row.year == year else structs.replace(row, year=year)


def _by_year(row: Row) -> str:
    return row.year


def _by_nothing(_row: Row) -> str:
    return ""


def _by_group(subject: Subject) -> Callable[[Row], str]:
    if not subject.groups:
        return _by_nothing
    headings: dict[str, str] = {}  # a page has few different ones

    def heading(row: Row) -> str:
        if row.group not in headings:
            headings[row.group] = words.of_group(subject.key, row.group)
        return headings[row.group]

    return heading
