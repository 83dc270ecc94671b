"""One test over time: all its values from all providers, as charts and as tables."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from apps.accounts.models import User
from apps.records.charts import number_line, over_time, series, windows
from apps.records.charts.number_line import NumberLine
from apps.records.charts.over_time import OverTime
from apps.records.charts.series import Observed, Series, SeriesValue
from apps.records.charts.windows import Window
from apps.records.models import Record
from apps.records.presenters.observations import vitals
from apps.records.presenters.observations.results import ResultEntry
from apps.records.senders import Sender
from apps.records.shelving import reading, values_over_time
from apps.records.subjects import RESULTS, VITALS, Subject
from apps.records.viewing import asking_first, corrections, entries
from apps.records.viewing.opening import whole
from apps.records.viewing.opening.whole import Source, Whole
from apps.records.viewing.wording import languages
from apps.vault import sealing
from apps.vault.sealing import Holder

MOST_VALUES: Final = 500  # on a page
MOST_SAVED: Final = 10_000  # in a file
MOST_ROWS: Final = 50  # in a table, until all are requested
SUBJECTS: Final = (RESULTS, VITALS)
_MANY_SOURCES: Final = 3  # up to two are distinguished by their marks (patient experience 4.2)
_ENOUGH = 3  # fewer values are as easy to read in a table (patient experience 4.2)


@dataclass(frozen=True)
class ChartQuery:
    """What the address asks for: how far back the chart goes, whether the table has all values, how many of the newest
    values at most, and whether only those of one connection's provider."""

    span: str = ""
    all_rows: bool = False
    most: int = MOST_VALUES
    source: UUID | None = None


@dataclass(frozen=True)
class Drawn:
    """One series: always its table, and its chart if there are enough values; otherwise the newest value on a number
    line, if it has a range. `windows` are the periods that the chart can show."""

    series: Series
    chart: OverTime | None
    line: NumberLine | None
    windows: tuple[Window, ...]
    window: Window | None
    table: Series

    @property
    def is_cut(self) -> bool:
        """Whether the table leaves out values."""
        return len(self.table.rows) < len(self.series.rows)


@dataclass(frozen=True)
class OneTest:
    """A test: its series, and how many values are `closed`, because they belong to what may carry grave news and was
    not read yet. `cut_at` is how many were requested if there are more, else 0. `sources` are those to choose from if
    there are many, one for each provider, and `source` is the chosen one."""

    drawn: tuple[Drawn, ...] = ()
    closed: int = 0
    cut_at: int = 0
    sources: tuple[Source, ...] = ()
    source: UUID | None = None


@dataclass(frozen=True)
class Page:
    """The entry that was asked about, its test, and the record of its person: `person` is the name, if this reader has
    records of several."""

    entry: ResultEntry
    test: OneTest
    whole: Whole
    person: str

    @property
    def language(self) -> str:
        """The language of the provider's words, if it differs from the page's."""
        return languages.of(self.entry.language)

    @property
    def behind(self) -> tuple[Source, ...]:
        """The sources from which values may be missing."""
        return tuple(source for source in self._sources if _is_behind(source))

    @property
    def checked(self) -> tuple[Source, ...]:
        """The others."""
        return tuple(source for source in self._sources if not _is_behind(source))

    @property
    def _sources(self) -> Iterable[Source]:
        """With how current their observations are: all vital signs are observations, and no other subject has only
        these."""
        return self.whole.sources_of([VITALS]).values()


def _is_behind(source: Source) -> bool:
    return source.is_out_of_date or source.checked_at is None


class IsNoResult(Exception):
    """The entry belongs to no test."""


class IsListedElsewhere(Exception):
    """The entry is listed under another subject than requested; it may have been moved."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject


def of(
    record: Record, subject: Subject, asked: ChartQuery, *, user: User, session: MutableMapping[str, Any], at: datetime
) -> Page | None:
    """The page for the test of this record's entry; None if the entry's own page asks first. Raises IsNoResult,
    IsListedElsewhere, Outdated, Record.DoesNotExist if it was deleted a moment ago, and VaultError if the record or a
    leaf does not open."""
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        shelves = reading.shelves(user.pk, ring, subjects={RESULTS.key, subject.key})
        if asking_first.is_due_beside(shelves, record, ring, session=session):
            return None
        entry = entries.by_itself(record, ring)
        if not isinstance(entry, ResultEntry):
            raise IsNoResult
        everything = whole.of(user, shelves, ring, session=session, at=at)
        if record.connection_id not in everything.sources:
            raise Record.DoesNotExist
        all_of_it, owner = everything.of_one(record.connection_id)
        is_open = asking_first.opener(user, session=session)
        test = _test(all_of_it, subject, entry, asked, is_open=is_open, at=at)
        if not (test.drawn or test.closed):
            listed = entries.subject_of(record)
            if listed is not None and listed in SUBJECTS and listed != subject:
                raise IsListedElsewhere(listed)
        rows = (row for one in test.drawn for row in one.table.rows)
        before = corrections.before(rows, ring, is_open=is_open)
        test = replace(test, drawn=tuple(_corrected(one, before) for one in test.drawn))
        return Page(entry, test, all_of_it, owner.name if owner else "")


def _test(
    all_of_it: Whole,
    subject: Subject,
    entry: ResultEntry,
    asked: ChartQuery,
    *,
    is_open: Callable[[int], bool],
    at: datetime,
) -> OneTest:
    """`is_open` says whether a record may be shown without asking first."""
    if not entry.test:
        return OneTest()
    senders = {pk: Sender(source.name, source.provider) for pk, source in all_of_it.sources.items()}
    found = values_over_time.of(
        all_of_it.of(subject), entry.test, all_of_it.ring, most=asked.most, senders=senders, is_open=is_open
    )
    # Five hundred values have only one or two connections, and these are the same objects as those of their shelves.
    connections = dict.fromkeys({id(told.connection_id): told.connection_id for told in found.values}.values())
    sent_by = {pk: all_of_it.sources[pk] for pk in connections if pk is not None}
    providers: dict[UUID, Source] = {}
    for source in sent_by.values():
        providers.setdefault(source.connection.provider_id, source)
    sources = tuple(providers.values()) if len(providers) >= _MANY_SOURCES else ()
    chosen = sent_by.get(asked.source) if sources and asked.source else None
    values = [told for told in found.values if _is_of(told, chosen, sent_by)] if chosen else found.values
    drawn = tuple(_drawn(each, asked, at=at) for each in _series(entry, values))
    shown = providers[chosen.connection.provider_id].connection.pk if chosen else None
    return OneTest(drawn, found.closed, asked.most if found.has_older else 0, sources, shown)


def _is_of(told: SeriesValue, chosen: Source, sent_by: Mapping[UUID, Source]) -> bool:
    """Whether that provider sent it, in any way."""
    return told.connection_id is not None and (
        sent_by[told.connection_id].connection.provider_id == chosen.connection.provider_id
    )


def _series(entry: ResultEntry, values: Sequence[SeriesValue]) -> tuple[Series, ...]:
    if entry.components and vitals.blood_pressure(entry) is not None:
        return (series.of_pressures(Observed(told.entry(), told.senders[0], told.record) for told in values),)
    return series.of(values)


def _drawn(each: Series, asked: ChartQuery, *, at: datetime) -> Drawn:
    choices = windows.choices(each.readings, at)
    window = windows.chosen(choices, asked.span)
    is_drawn = window is not None and len(each.readings) >= _ENOUGH
    chart = over_time.draw(each, window) if is_drawn and window is not None else None
    table = each if asked.all_rows else replace(each, rows=each.rows[:MOST_ROWS])
    return Drawn(each, chart, None if chart else _line(each), choices, window, table)


def _corrected(one: Drawn, before: Mapping[int, str]) -> Drawn:
    """The same, with earlier values in the table's corrected rows."""
    return replace(one, table=replace(one.table, rows=corrections.beside(one.table.rows, before)))


def _line(each: Series) -> NumberLine | None:
    if each.latest is None:
        return None
    newest = each.latest.measured
    return number_line.draw(newest.value.measured, newest.usual_range, newest.place, newest.ranges)
