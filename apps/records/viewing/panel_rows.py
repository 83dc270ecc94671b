"""The results that belong to a report, or to a result that has only members: the panel as it was ordered."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

from apps.records import bodies, presenting, subjects
from apps.records.models import Record
from apps.records.presenters import grave_news, panels, results
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.results import ResultEntry
from apps.records.shelving.surroundings import Surroundings
from apps.records.viewing import cautions, rows, values_in_words, words
from apps.vault.sealing import KeyRing

_MOST: Final = 200  # results that one page opens
_ROUNDS: Final = 2  # a panel of panels
_OURS: Final = "Observation/"


@dataclass(frozen=True)
class Part:
    """One result. `record` is where it has a page; None for one that stands in the report alone."""

    record: int | None
    subject: str
    title: str
    theirs: str
    value: str
    place: str
    usual_range: str
    status: str
    caution: str = ""


@dataclass(frozen=True)
class PanelShown:
    """`outside` of `compared` are outside of the usual range, and stand first; `missing` are referred to and not
    here, or do not open; `left_out` were not looked for, being more than a page shows, and `within` came in the report
    itself, being more than its entry keeps."""

    parts: tuple[Part, ...]
    outside: int
    compared: int
    missing: int
    left_out: int = 0
    within: int = 0


def of(
    record: Record,
    resource: Element,
    entry: object,
    surroundings: Surroundings,
    ring: KeyRing,
    *,
    of_grave: Container[str],
) -> PanelShown | None:
    """None for what has no results. `entry` is what `resource` says, and `of_grave` are results, as `Type/id`, that
    belong to what may carry grave news. Raises `apps.vault.errors.VaultError` where a key is missing."""
    if not isinstance(entry, ReportEntry | ResultEntry):
        return None
    paths = entry.results if isinstance(entry, ReportEntry) else entry.members
    if not paths and not (isinstance(entry, ReportEntry) and entry.inside):
        return None
    held, asked = dict[str, _Held](), set[str]()
    panel = panels.of(entry, {})
    for _round in range(_ROUNDS):
        wanted = [path for path in panel.missing if _is_ours(path) and path not in asked][: _MOST - len(held)]
        if not wanted:
            break
        asked.update(wanted)
        held |= _read(record, wanted, surroundings, ring)
        panel = panels.of(entry, {path: one.result for path, one in held.items()})
    parts = tuple(_parts(entry, panel.results, held, of_grave))
    unnamed = (
        *results.unnamed(resource, surroundings.of(())),
        *(path for one in held.values() for path in one.unnamed),
    )
    inside = results.names_inside(resource)
    lacking = {path for path in (*panel.missing, *unnamed, *_unkept(entry, inside)) if path not in held}
    left_out = sum(path.startswith(_OURS) and path not in asked for path in lacking)
    within = len(lacking & inside)
    missing = len(lacking) - left_out - within
    return PanelShown(parts, panel.outside, panel.compared, missing, left_out, within)


def _is_ours(path: str) -> bool:
    """Whether it is a result that may have a record of its own here."""
    return path.startswith(_OURS) and "#" not in path


def _unkept(entry: ReportEntry | ResultEntry, inside: frozenset[str]) -> frozenset[str]:
    """What a report contains and its entry does not keep, whether or not anything names it."""
    return inside - {one.logical_id for one in entry.inside} if isinstance(entry, ReportEntry) else frozenset()


@dataclass(frozen=True)
class _Held:
    """A result that has a record of its own, and where that is listed. `unnamed` are members that are told in its
    place, beyond those that it names."""

    pk: int
    subject: str
    result: ResultEntry
    unnamed: tuple[str, ...] = ()


def _read(record: Record, paths: Sequence[str], surroundings: Surroundings, ring: KeyRing) -> dict[str, _Held]:
    ids = [path.removeprefix("Observation/") for path in paths]
    mine = Record.objects.filter(
        user_id=record.user_id, connection_id=record.connection_id, resource_type="Observation", logical_id__in=ids
    )
    found = {(one.logical_id, one.pk): bodies.find_of(one, ring) for one in mine}
    opened = {name: body for name, body in found.items() if body is not None}
    context = surroundings.of(opened.values())
    held = {}
    for (logical_id, pk), body in opened.items():
        resource, entry = presenting.present(body, resource_type="Observation", logical_id=logical_id, context=context)
        subject = subjects.subject_of(resource, resource_type="Observation")
        if isinstance(entry, ResultEntry) and subject is not None:
            unnamed = results.unnamed(resource, context) if panels.stands_for_members(entry) else ()
            held[f"Observation/{logical_id}"] = _Held(pk, subject.key, entry, unnamed)
    return held


def _parts(
    entry: ReportEntry | ResultEntry, found: Iterable[ResultEntry], held: Mapping[str, _Held], of_grave: Container[str]
) -> Iterator[Part]:
    """Where the page asked first, all of them open; on another's, what may carry grave news is there by name, and its
    own page asks; what has no page of its own makes the whole report ask."""
    has_asked = getattr(entry, "may_be_grave", False) or _may_be_grave(entry, of_grave)
    for result in found:
        own = held.get(_path(result))
        yield _part(own, result, is_open=own is None or has_asked or not _may_be_grave(result, of_grave))


def _may_be_grave(entry: Entry, of_grave: Container[str]) -> bool:
    return _path(entry) in of_grave or grave_news.is_named_by(entry.title, entry.codes)


def _path(entry: Entry) -> str:
    return f"{entry.resource_type}/{entry.logical_id}"


def _part(held: _Held | None, result: ResultEntry, *, is_open: bool) -> Part:
    title, theirs = rows.names(result)
    if held and not is_open:
        said, status = gettext("Open it to see the result"), words.of_status(result)
        return Part(held.pk, held.subject, title, theirs, said, place="", usual_range="", status=status)
    return Part(
        record=held.pk if held else None,
        subject=held.subject if held else "",
        title=title,
        theirs=theirs,
        value=values_in_words.of_result(result),
        place=values_in_words.of_place(result),
        usual_range=values_in_words.of_range(result.usual_range) if result.usual_range else "",
        status=words.of_status(result),
        caution=cautions.of(result),
    )
