"""A panel: the results that belong to a report or to a result without a value of its own (patient experience 3.3).

Those outside of the usual range come first, the rest in the laboratory's order. What is referred to and not here is
named, never passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Measured, ResultEntry
from apps.records.presenters.reports import ReportEntry


@dataclass(frozen=True)
class Panel:
    """`compared` counts those that were compared with the usual range, `outside` those of them outside of it; of
    `is_all_usual` every value of every result is in it. `missing` are the references of those that are not at hand,
    each once: `Observation/id#name` of what that one contains."""

    results: tuple[ResultEntry, ...] = ()
    outside: int = 0
    compared: int = 0
    missing: tuple[str, ...] = ()
    is_all_usual: bool = False


def of(entry: ReportEntry | ResultEntry, others: Mapping[str, ResultEntry]) -> Panel:
    """The panel of a report or of a result with members. `others` are the results at hand by `Observation/id`.

    A result that has only members stands for them; one that refers back to itself is told once. What the report
    contains and names nowhere comes last. What was withdrawn is left out and is not missing.
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
    """Whether it has members and nothing of its own: they are told in its place."""
    return bool(result.members) and not result.value and not result.components


def _followed(paths: tuple[str, ...], others: Mapping[str, ResultEntry]) -> Iterator[tuple[str, ResultEntry | None]]:
    """Each path once: panels may hold each other."""
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
    """What a result contains under a name of its own is nothing that another contains under the same."""
    return f"{path}{member}" if member.startswith("#") and not path.startswith("#") else member


def _is_outside(result: ResultEntry) -> bool:
    return any(part.is_outside for part in _parts(result))


def _is_compared(result: ResultEntry) -> bool:
    """Not where a test found a germ, or the value is too low to tell: that says nothing about a range."""
    places = {part.place for part in _parts(result)}
    return _is_outside(result) or (Place.WITHIN in places and not places & {Place.TOO_LOW, Place.TOO_HIGH})


def _is_usual(result: ResultEntry) -> bool:
    """Whether it has a value, and each of its values is in the usual range."""
    measured = [part for part in _parts(result) if part.value or part.place]
    return bool(measured) and all(part.place == Place.WITHIN for part in measured)


def _parts(result: ResultEntry) -> tuple[Measured, ...]:
    """It and its components."""
    return (result, *result.components)
