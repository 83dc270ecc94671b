"""The table: what was synced, by type and version, and how much of it shows a name and a date."""

from collections.abc import Iterator

from development.example_coverage.copying import Copied
from development.example_coverage.counting import Count, Tally

LEAST_TITLED = 0.98


def lines(tally: Tally, copies: list[Copied], *, held: dict[str, int]) -> Iterator[str]:
    """The lines of the report. `held` is how many resources the sandbox loaded, by version."""
    yield f"{'':24}{'version':8}{'synced':>8}{'named':>8}{'of':>8}{'dated':>8}{'of':>8}{'pages':>8}{'failed':>8}"
    for (version, name), count in sorted(tally.counts.items(), key=lambda one: (one[0][1], one[0][0])):
        yield _line(name, version, count)
    for version in sorted(held):
        yield _line("all", version, tally.total(version))
    whole = tally.total()
    yield _line("all", "both", whole)
    yield ""
    for version, number in sorted(held.items()):
        copied = [one for one in copies if one.version == version]
        shown = tally.total(version).resources
        yield f"{version}: {len(copied)} records; {number} resources loaded; {shown} synced that pages list"
    for one in copies:
        if one.outcome != "complete":
            yield f"{one.version}, {one.username}: {one.outcome} ({', '.join(map(' '.join, sorted(one.gaps.items())))})"
    yield f"named: {titled(whole):.2%} (at least {LEAST_TITLED:.0%}); dated, where there is a date: {dated(whole):.2%}"


def titled(count: Count) -> float:
    """The share of those shown that show what they are."""
    return count.titled / count.shown if count.shown else 1.0


def dated(count: Count) -> float:
    """The share of those with a date that show it."""
    return count.dated / count.datable if count.datable else 1.0


def _line(name: str, version: str, count: Count) -> str:
    numbers = (count.resources, count.titled, count.shown, count.dated, count.datable, count.pages, count.failed)
    return f"{name:24}{version:8}" + "".join(f"{number:8}" for number in numbers)
