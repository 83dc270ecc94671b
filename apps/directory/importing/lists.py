"""Control an import: read and stage rows, merge them wave by wave, and finally mark what the list no longer has.

It is one transaction: a file that ends early, or turns out to be something else, leaves nothing behind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import BinaryIO, NamedTuple

from django.db import connection, transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory.importing import (
    list_identity,
    merge_report,
    moved_endpoints,
    published_lists,
    sites,
    strangers,
    tables,
    vanishing,
)
from apps.directory.importing.list_identity import Held
from apps.directory.importing.reporting import Report
from apps.directory.importing.staging import Stage
from apps.directory.importing.waves import Waves
from apps.directory.list_formats.lists import ListFile
from apps.directory.list_formats.rows import Inactive, Refused, Row
from apps.directory.list_formats.terms import Terms
from apps.directory.searching import vocabulary

_WAVE = 6000  # lines: some two thousand providers with an endpoint each
_WAVE_LENGTH = 4_000_000  # characters, where lines are long: twice what such a wave usually has
_MANY = 1000  # rows written, of which the planner should know
_LOCK = 0x686F6C64  # one import at a time
# JIT compilation takes longer than any of our statements. Foreign keys are checked with each wave, while we read, and
# not all at the end; and words are inserted into their indexes in small batches, for the same reason.
_SETTINGS = "SET LOCAL jit = off; SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL gin_pending_list_limit = '256kB'"


class Source(NamedTuple):
    """An open file, and what to call it."""

    name: str
    file: BinaryIO


@dataclass(frozen=True)
class Wishes:
    """What the caller wants: the directory's name (empty: the name that the first file gives itself, or else its file
    name), whether a list may be much shorter than before, and whether to roll everything back in the end."""

    directory: str = ""
    accepts_shrinking: bool = False
    is_rehearsal: bool = False


def import_lists(
    sources: Sequence[Source],
    *,
    terms: Terms,
    wishes: Wishes = Wishes(),  # noqa: B008 - frozen
    actor: Actor,
    at: datetime,
    tell: Callable[[int], None] | None = None,
) -> Report:
    """Store what the files list, together one directory. A refused row changes nothing. `tell` is called now and then
    with the number of rows read. Raises NotADirectory, AnotherList, Broken and OSError; then nothing was stored."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            cursor.execute(_SETTINGS)
            cursor.execute(tables.WAVE + tables.JUDGED + tables.MEMORY)
        vocabulary.hold()
        strangers.note_relied_on()
        journey = _Journey(sources, terms, wishes, tell, at)
        journey.read()
        report = journey.close(actor=actor)
        recording.record(
            EventType.DIRECTORY_IMPORTED,
            actor=actor,
            at=at,
            subject="directory",
            facts={
                Fact.DIRECTORY: list_identity.as_fact(report.directory),
                Fact.ROWS: report.endpoints,
                Fact.COUNT: report.providers,
                Fact.GAPS: report.refused,
            },
        )
        if wishes.is_rehearsal:
            transaction.set_rollback(True)
        else:
            with connection.cursor() as cursor:
                cursor.execute(tables.DROP)
    return report


class _Journey:
    def __init__(
        self, sources: Sequence[Source], terms: Terms, wishes: Wishes, tell: Callable[[int], None] | None, at: datetime
    ) -> None:
        numbers = count(1)
        self._lists = [(source.name, ListFile(source.file, terms, numbers)) for source in sources]
        self._wishes, self._tell, self._at = wishes, tell, at
        self._report = Report()
        self._stage = Stage()
        self._directory = ""
        self._before: Held | None = None
        self._waves: Waves | None = None
        self._rows = 0
        self._is_complete = True  # no row was refused that may be what is missing

    def read(self) -> None:
        """Stage and merge all rows. Rows of nested formats are complete, and merged as they come."""
        is_loose = False
        for name, one in self._lists:
            for row in one.rows():
                if one.is_first and (self._stage.pending >= _WAVE or self._stage.length >= _WAVE_LENGTH):
                    self._send(merges=one.is_nested and not is_loose)
                self._take(row if len(self._lists) == 1 else _placed(row, name))
            is_loose = is_loose or not one.is_nested
        self._send(merges=True, is_whole_list=is_loose)
        self._merger().finish()

    def close(self, *, actor: Actor) -> Report:
        """What can only be decided when everything is stored."""
        report, at = self._report, self._at
        self._merger().count_in(report)
        if report.written > _MANY:  # before anything is asked of all of them
            with connection.cursor() as cursor:
                cursor.execute(tables.ANALYZE)
        report.providers_changed += sites.settle(self._directory, at=at)
        strangers.switch_off_strangers(actor=actor, at=at)
        moved_endpoints.ask_staff(at=at)
        has_shrunk = self._has_shrunk()
        if self._is_complete:
            report.vanished, report.spared = vanishing.mark(self._directory, is_spared=has_shrunk, at=at)
        accepts = self._wishes.accepts_shrinking
        report.published_lists, gone, spared = published_lists.store(
            self._directory, is_complete=self._is_complete, accepts_shrinking=accepts, at=at
        )
        report.vanished, report.spared = report.vanished + gone, report.spared + spared
        merge_report.tell(report)
        vocabulary.learn_missing()
        return report

    def _has_shrunk(self) -> bool:
        """Whether missing rows should not be believed to be gone. Raises AnotherList."""
        assert self._before is not None  # noqa: S101 - set with the first wave
        list_identity.check_kind(self._directory, self._before)
        return not self._wishes.accepts_shrinking and list_identity.has_shrunk(self._directory, self._before)

    def _take(self, row: Row) -> None:
        self._rows += 1
        self._stage.add(row)
        if isinstance(row, Refused):
            self._report.refuse(row.place, row.reason)
            self._is_complete = self._is_complete and not row.blocks
        elif isinstance(row, Inactive):
            self._report.inactive += 1

    def _send(self, *, merges: bool, is_whole_list: bool = False) -> None:
        waves = self._merger()
        waves.finish()
        self._stage.send()
        if merges:
            waves.start(is_whole_list=is_whole_list)
        if self._tell is not None:
            self._tell(self._rows)

    def _merger(self) -> Waves:
        """Made with the first rows: by then the file has given its name."""
        if self._waves is None:
            name, first = self._lists[0]
            self._directory = self._wishes.directory or first.name or name
            self._report.directory = self._directory
            self._before = list_identity.held(self._directory)
            self._waves = Waves(self._directory, at=self._at)
        return self._waves


def _placed(row: Row, name: str) -> Row:
    """The row, with the file's name added to its place."""
    place = getattr(row, "place", None)
    return row if place is None else row._replace(place=f"{name}, {place}")  # type: ignore[call-arg]  # it has one
