"""The whole report: files into the sandbox, records out of it, and the table."""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from development.example_coverage import copying, ground, showing, table
from development.example_coverage.copying import Copied
from development.example_coverage.counting import Tally

_LOADED = re.compile(r": (\d+) resources in (dstu2|r4)")


@dataclass(frozen=True)
class Covered:
    """The result. `served` is how many resources of these files the sandbox holds, by version."""

    tally: Tally
    copies: list[Copied]
    served: dict[str, int]
    said: str

    @property
    def is_enough(self) -> bool:
        """Whether nothing failed and enough shows what it is."""
        whole = self.tally.total()
        return whole.resources > 0 and not whole.failed and table.titled(whole) >= table.LEAST_TITLED


def cover(paths: Sequence[Path], *, database_url: str, scratch: Path, is_told: bool = False) -> Covered:
    """Serve these files, sync every record, and check all of it. Needs a migrated database of the site."""
    tally, copies = Tally(), []
    with ground.serving(paths, database_url=database_url, folder=scratch) as (sandbox, said):
        for copied in copying.everything(sandbox):
            copies.append(copied)
            showing.count(copied.connection, tally)
            if is_told:
                print(f"\r{len(copies)} records", end="", file=sys.stderr, flush=True)
    served: Counter[str] = Counter()
    for number, version in _LOADED.findall(said):
        served[version] += int(number)
    return Covered(tally, copies, dict(served), said)


def report(paths: Sequence[Path], *, database_url: str, scratch: Path) -> int:
    """Print the table."""
    covered = cover(paths, database_url=database_url, scratch=scratch, is_told=sys.stderr.isatty())
    print("\n".join(table.lines(covered.tally, covered.copies, held=covered.served)))
    return 0 if covered.is_enough else 1
