"""The results of a panel: those that belong to a report, or to a result that has only members."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils import formats, timezone
from django.utils.translation import gettext
from msgspec.structs import replace

from apps.records import bodies, presenting, subjects
from apps.records.models import Record
from apps.records.presenters import panels
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations import results, results_inside
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import grave_entries
from apps.records.shelving.contexts import ContextReader
from apps.records.viewing.listing import rows
from apps.records.viewing.wording import cautions, languages, values_in_words, words
from apps.vault.sealing import KeyRing

_MOST: Final = 200  # results opened for one page
_ROUNDS: Final = 2  # a panel of panels
_OURS: Final = "Observation/"


@dataclass(frozen=True)
class Part:
    """One result. `record` is the one that has its page, or None if the result is contained in the report. `gone` says
    since when the provider no longer has it."""

    record: int | None
    subject: str
    title: str
    theirs: str
    value: str
    place: str
    usual_range: str
    status: str
    caution: str = ""
    gone: str = ""
    language: str = ""  # of the provider's words, if it differs from the page's
    own_words: frozenset[str] = frozenset()  # those words, if so


@dataclass(frozen=True)
class PanelShown:
    """Of the `compared` results, `outside` are outside the usual range and stand first; only results that are shown and
    still at the provider count. `missing` are referred to but not here, or do not open; `left_out` were not read, as
    they exceed what a page shows, and `within` came in the report itself, and exceed what its entry keeps.
    `is_all_usual`: nothing is missing, and every value is in the usual range."""

    parts: tuple[Part, ...]
    outside: int
    compared: int
    missing: int
    left_out: int = 0
    within: int = 0
    is_all_usual: bool = False

    @property
    def is_told_in_part(self) -> bool:
        """Whether more results belong to it than are shown here, so that the counts are incomplete."""
        return bool(self.left_out or self.within)


def of(
    record: Record,
    resource: Element,
    entry: object,
    contexts: ContextReader,
    ring: KeyRing,
    *,
    of_grave: Container[str],
) -> PanelShown | None:
    """The panel, or None if nothing can have results. `entry` is what `resource` says, and `of_grave` are results, as
    `Type/id`, that belong to what may carry grave news. Raises `apps.vault.errors.VaultError` if a key is missing."""
    if not isinstance(entry, ReportEntry | ResultEntry):
        return None
    paths = entry.results if isinstance(entry, ReportEntry) else entry.members
    if not paths and not (isinstance(entry, ReportEntry) and entry.inside):
        return None
    held, asked = dict[str, _Held](), set[str]()
    has_asked = _may_be_grave(entry, of_grave)
    panel = panels.of(entry, {})
    for _round in range(_ROUNDS):
        wanted = [path for path in panel.missing if _is_ours(path) and path not in asked][: _MOST - len(held)]
        if not wanted:
            break
        asked.update(wanted)
        held |= _read(record, wanted, contexts, ring, of_grave=None if has_asked else of_grave)
        panel = panels.of(entry, {path: one.counted for path, one in held.items()})
    parts = tuple(_part(held.get(_path(result)), result) for result in panel.results)
    context = contexts.of(())
    unnamed = (
        *results.unnamed(resource, context),
        *(path for one in held.values() for path in one.unnamed),
    )
    inside = results_inside.names_inside(resource, context)
    lacking = {path for path in (*panel.missing, *unnamed, *_unkept(entry, inside)) if path not in held}
    left_out = sum(path.startswith(_OURS) and path not in asked for path in lacking)
    within = len(lacking & inside)
    missing = len(lacking) - left_out - within
    is_all_usual = panel.is_all_usual and not lacking
    return PanelShown(parts, panel.outside, panel.compared, missing, left_out, within, is_all_usual)


def _is_ours(path: str) -> bool:
    """Whether it is a result that may have its own record here."""
    return path.startswith(_OURS) and "#" not in path


def _unkept(entry: ReportEntry | ResultEntry, inside: frozenset[str]) -> frozenset[str]:
    """What a report contains and its entry does not keep, whether or not anything refers to it."""
    return inside - {one.logical_id for one in entry.inside} if isinstance(entry, ReportEntry) else frozenset()


@dataclass(frozen=True)
class _Held:
    """A result that has its own record, and where that is listed. `unnamed` are members shown in its place, beyond
    those that it names. One that is not open is shown by name only: its own page asks first."""

    pk: int
    subject: str
    result: ResultEntry
    unnamed: tuple[str, ...] = ()
    is_open: bool = True
    gone: str = ""

    @property
    def counted(self) -> ResultEntry:
        """The result without its place in the range if counts and order must not reveal that."""
        if self.is_open and not self.gone:
            return self.result
        components = tuple(replace(component, place="") for component in self.result.components)
        return replace(self.result, place="", components=components)


def _read(
    record: Record,
    paths: Sequence[str],
    contexts: ContextReader,
    ring: KeyRing,
    *,
    of_grave: Container[str] | None,
) -> dict[str, _Held]:
    """Those that open. `of_grave` is None if the page asked first: then all of them may be shown."""
    ids = [path.removeprefix("Observation/") for path in paths]
    mine = Record.objects.filter(
        user_id=record.user_id, connection_id=record.connection_id, resource_type="Observation", logical_id__in=ids
    )
    found = [(one, bodies.find_of(one, ring)) for one in mine]
    opened = [(one, body) for one, body in found if body is not None]
    context = contexts.of(body for _one, body in opened)
    held = {}
    for one, body in opened:
        named = {"resource_type": "Observation", "logical_id": one.logical_id}
        resource, entry = presenting.present(body, **named, context=context)
        subject = subjects.subject_of(resource, resource_type="Observation")
        if isinstance(entry, ResultEntry) and subject is not None:
            unnamed = results.unnamed(resource, context) if panels.stands_for_members(entry) else ()
            is_open = of_grave is None or not _may_be_grave(entry, of_grave)
            held[_path(entry)] = _Held(one.pk, subject.key, entry, unnamed, is_open, _gone(one, record))
    return held


def _gone(result: Record, report: Record) -> str:
    """Empty on the page of a report that is gone itself: that says so for everything on it."""
    if result.removed_at is None or report.removed_at is not None:
        return ""
    return gettext("No longer at %(provider)s. We noticed on %(date)s.") % {
        "provider": report.connection.provider.name,
        "date": formats.date_format(timezone.localtime(result.removed_at), "DATE_FORMAT"),
    }


def _may_be_grave(entry: Entry, of_grave: Container[str]) -> bool:
    return _path(entry) in of_grave or grave_entries.may_carry(entry)


def _path(entry: Entry) -> str:
    return f"{entry.resource_type}/{entry.logical_id}"


def _part(held: _Held | None, counted: ResultEntry) -> Part:
    """One row. A result without its own page makes the whole report ask, and is shown with it."""
    result = held.result if held else counted
    title, theirs = rows.names(result)
    language = languages.of(result.language)
    own_words = languages.theirs(result) if language else frozenset()
    if held and not held.is_open:
        said, status = gettext("Open it to see the result"), words.of_status(result)
        beside = {"gone": held.gone, "language": language}
        return Part(held.pk, held.subject, title, theirs, said, "", "", status, **beside, own_words=own_words)
    return Part(
        record=held.pk if held else None,
        subject=held.subject if held else "",
        title=title,
        theirs=theirs,
        value=values_in_words.of_result(result),
        place=values_in_words.of_place(result),
        usual_range=values_in_words.of_usual_range(result.usual_range) if result.usual_range else "",
        status=words.of_status(result),
        caution=cautions.of(result),
        gone=held.gone if held else "",
        language=language,
        own_words=own_words,
    )
