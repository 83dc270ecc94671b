"""Leave relatives' names out of rows that somebody else reads: authors, informants, participants and helpers (patient
experience 3.10).

Entries have names without roles: only the resource shows, by what it refers to, that a mother reported an allergy. So
the bodies of the rows shown are opened once more; if one does not open, or is very long, it shows no names at all.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import Any, Final

import msgspec
from django.db.models.functions import Length
from msgspec.structs import replace

from apps.records.exporting import reading
from apps.records.exporting.choosing import Choice
from apps.records.models import Record
from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.shelving.reading import Shelved
from apps.vault import sealing
from apps.vault.sealing import Holder

_RELATED: Final = "RelatedPerson"
_DEEPEST: Final = 50
_LONGEST: Final = 256 * 1024  # of a sealed body
_NAMING: Final = ("people", "participants", "members")


def left_out(found: Sequence[Shelved], choices: Sequence[Choice], *, today: date) -> list[Shelved]:
    """The same rows without relatives' names. Raises `apps.vault.errors.VaultError` if nothing of this person can be
    opened."""
    wanted = {one.record for one in found if one.entry is not None and _may_name_any(one.entry)}
    names: dict[int, frozenset[str]] = {}
    opened = _short(wanted, choices)
    with sealing.key_ring(Holder.user(choices[0].source.user_id)) as ring:
        for choice in choices:
            theirs = (one.record for one in found if one.connection_id == choice.connection.pk)
            mine = [record for record in theirs if record in opened]
            for record, resource, context in reading.resources(
                choice.connection, choice.source, mine, ring, today=today
            ):
                names[record] = frozenset(map(normalized, _named(resource, context))) - {""}
    return [_without(one, names) if one.record in wanted else one for one in found]


def _short(records: Collection[int], choices: Sequence[Choice]) -> frozenset[int]:
    """Those of these records that do not contain whole files: a list of such records would take minutes."""
    theirs = Record.objects.filter(user_id=choices[0].source.user_id, pk__in=records)
    short = theirs.annotate(length=Length("sealed_body")).filter(length__lte=_LONGEST)
    return frozenset(short.values_list("pk", flat=True))


def _may_name_any(entry: Entry) -> bool:
    """Results, which are most entries, only if they name somebody; all others always."""
    return bool(entry.people) or not isinstance(entry, ResultEntry | ReportEntry)


def _named(resource: Element, context: Context) -> Iterator[str]:
    """The names by which a resource refers to its patient's relatives, and those in the relatives' own resources."""
    for reference in _references(resource, 0):
        target = context.find(reference, within=resource)
        if _RELATED in (elements.text(target, "resourceType"), _kind(reference)):
            yield from naming.names_of([reference], context, within=resource)
            yield naming.own_name(target, context, within=resource) if target else ""


def _references(part: Any, depth: int) -> Iterator[Element]:
    if depth > _DEEPEST:
        return
    if isinstance(part, dict) and ("reference" in part or "display" in part):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _references(each, depth + 1)


def _kind(reference: Element) -> str:
    """The type of its target, as far as the reference itself shows it."""
    path, asks, _search = elements.text(reference, "reference").partition("?")
    *parts, last = path.partition("/_history/")[0].rstrip("/").split("/")
    return (last if asks else parts[-1] if parts else "") or elements.text(reference, "type")


def _without(one: Shelved, names: dict[int, frozenset[str]]) -> Shelved:
    if one.entry is None:
        return one
    theirs = names.get(one.record)
    if theirs is None:
        naming_some = {name: () for name in _NAMING if name in one.entry.__struct_fields__}
        return one._replace(entry=replace(one.entry, **naming_some))
    return one._replace(entry=_value(one.entry, theirs)) if theirs else one


def _value(value: Any, names: frozenset[str]) -> Any:
    """The same without these names, wherever one of them is the whole text."""
    if isinstance(value, str):
        return "" if value and normalized(value) in names else value
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        told = ((each, _value(each, names)) for each in value)
        return tuple(changed for each, changed in told if changed != "" or each == "")
    if isinstance(value, msgspec.Struct):
        sent = {name: getattr(value, name) for name in value.__struct_fields__}
        changed = {name: _value(each, names) for name, each in sent.items()}
        return replace(value, **{name: each for name, each in changed.items() if each != sent[name]})
    return value
