"""A panel: the results that belong to a report or to a result without a value of its own (patient experience 3.3).

Those outside of the usual range come first, the rest in the laboratory's order. What is referred to and not here is
named, never passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.reports import ReportEntry


@dataclass(frozen=True)
class Panel:
    """`compared` counts those of which a place is said, `outside` those of them outside of the usual range; `missing`
    are the references of those that are not at hand, each once: `Observation/id#name` of what that one contains."""

    results: tuple[ResultEntry, ...] = ()
    outside: int = 0
    compared: int = 0
    missing: tuple[str, ...] = ()


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
        compared=sum(bool(result.place or any(part.place for part in result.components)) for result in told),
        missing=tuple(path for path, result in found.items() if result is None),
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
    return result.is_outside or any(part.is_outside for part in result.components)
