"""A panel: the results that belong to a report or to a result without a value of its own (patient experience 3.3).

Results outside of the usual range come first, the others in the laboratory's order. A result that is referred to but
that we do not have is listed as missing, never passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Measured, ResultEntry
from apps.records.presenters.reports import ReportEntry


@dataclass(frozen=True)
class Panel:
    """The results of a panel. `compared` is how many were compared with the usual range, `outside` how many of these
    are outside of it. `is_all_usual`: every value of every result is within it. `missing` are the references of
    results that we do not have, without repetition; `Observation/id#name` is one that another result contains."""

    results: tuple[ResultEntry, ...] = ()
    outside: int = 0
    compared: int = 0
    missing: tuple[str, ...] = ()
    is_all_usual: bool = False


def of(entry: ReportEntry | ResultEntry, others: Mapping[str, ResultEntry]) -> Panel:
    """The panel of a report or of a result with members. `others` are the results that we have, by `Observation/id`.

    A result that has only members is replaced by them, and each result appears once, even if panels refer to each
    other. Results that the report contains but does not refer to come last. Withdrawn results are left out, and do not
    count as missing.
    """
    contained = {inside.logical_id: inside for inside in entry.inside} if isinstance(entry, ReportEntry) else {}
    paths = entry.results if isinstance(entry, ReportEntry) else entry.members
    found = dict(_followed((*paths, *contained), {**others, **contained}))
    told = [result for result in found.values() if result is not None and not result.is_withdrawn]
    outside = [result for result in told if _is_outside(result)]
    return Panel(
        results=(*outside, *(result for result in told if not _is_outside(result))),
        outside=len(outside),
        compared=sum(_is_compared(result) for result in told),
        missing=tuple(path for path, result in found.items() if result is None),
        is_all_usual=bool(told) and all(map(_is_usual, told)),
    )


def stands_for_members(result: ResultEntry) -> bool:
    """Whether a result has only members, which then appear in its place."""
    return bool(result.members) and not result.value and not result.components


def _followed(paths: tuple[str, ...], others: Mapping[str, ResultEntry]) -> Iterator[tuple[str, ResultEntry | None]]:
    """The results for these paths, each once: panels may contain each other."""
    told: set[str] = set()
    waiting = list(reversed(paths))
    while waiting:
        path = waiting.pop()
        if path in told:
            continue
        told.add(path)
        result = others.get(path)
        if result is not None and stands_for_members(result):
            waiting.extend(_within(path, member) for member in reversed(result.members))
        else:
            yield path, result


def _within(path: str, member: str) -> str:
    """The path of a member. The name of a contained result is unique only within the result that contains it."""
    return f"{path}{member}" if member.startswith("#") and not path.startswith("#") else member


def _is_outside(result: ResultEntry) -> bool:
    return any(part.is_outside for part in _parts(result))


def _is_compared(result: ResultEntry) -> bool:
    """Whether a result was compared with a range. "Germ found", or a value too low to compare, says nothing about a
    range."""
    places = {part.place for part in _parts(result)}
    return _is_outside(result) or (Place.WITHIN in places and not places & {Place.TOO_LOW, Place.TOO_HIGH})


def _is_usual(result: ResultEntry) -> bool:
    """Whether a result has a value, and all of its values are within the usual range."""
    measured = [part for part in _parts(result) if part.value or part.place]
    return bool(measured) and all(part.place == Place.WITHIN for part in measured)


def _parts(result: ResultEntry) -> tuple[Measured, ...]:
    """The result itself and its components."""
    return (result, *result.components)
