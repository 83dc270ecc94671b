"""Area `sync`, second part: copies of 20,000 rows, each killed with SIGKILL ten times.

All end complete, with every row, and a kill costs at most the page in flight of each type.
"""

import os
from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured

_RUNS, _ROWS, _KILLS = 20, 20_000, 10


def figures() -> Iterator[Figure]:
    """What is not as it should be, counted. RUNS makes it fewer copies than twenty."""
    runs = int(os.environ.get("RUNS") or _RUNS)
    found = measured("benchmarks.sync_killed_copies", "config.settings.test", str(runs), str(_ROWS), str(_KILLS))
    yield Figure("killed_copies_not_complete", found["not_complete"], 0, "")
    yield Figure("rows_missing_after_kills", found["rows_missing"], 0, "")
    yield Figure("pages_of_a_type_asked_twice_for_one_kill", found["pages_twice"], 1, "")
