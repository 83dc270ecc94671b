"""`make bench [AREA=...]`: one line a figure, `<area>.<figure> <value> goal <bound> ok|short`.

Figures are ratios within one run, or processor time, and medians of several tries: absolute times depend on
the machine. The exit code is 1 where a figure is short of its goal.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from benchmarks import bulk, directory, pages, refresh, sync, sync_kills
from benchmarks.figure import Figure

AREAS: Mapping[str, Callable[[], Iterator[Figure]]] = {
    "directory": directory.figures,
    "refresh": refresh.figures,
    "sync": lambda: chain(sync.figures(), sync_kills.figures()),
    "pages": pages.figures,
    "bulk": bulk.figures,
}


def main(arguments: list[str]) -> int:
    """Measure the area named, or all."""
    unknown = [name for name in arguments if name not in AREAS]
    if unknown:
        print(f"No such area: {unknown[0]}. There are {', '.join(AREAS)}.", file=sys.stderr)
        return 2
    short = 0
    for area in arguments or AREAS:
        for figure in AREAS[area]():
            print(f"{area}.{figure}", flush=True)
            short += not figure.is_good_enough
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
