"""Area `sync`: copying one whole record, against programs that only fetch the same pages.

Goals: with 15 ms of latency, a hundred rows a page and four questions at a time, at most 1.2 times the wall time of a
bare program that stores every row as it came, with sealing, summaries and shelves included; at most half of that of
fhirclient, which keeps nothing. Peak memory with fifty thousand rows stays within 20 MB of that with five hundred, and
60 MB of a worker that has nothing to do. Where nothing changed, no page with rows is asked for.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured

_TRIES = {5000: 3, 50_000: 1}


def figures() -> Iterator[Figure]:
    """Wall time of both sizes against both programs, pages of an unchanged copy, memory, processor time."""
    small = _measured(500)
    for rows, tries in _TRIES.items():
        found = _measured(rows, tries)
        yield Figure(f"copy_of_{rows}_to_bare_fetch_and_store", found["to_bare"], 1.2, "")
        yield Figure(f"copy_of_{rows}_to_fhirclient", found["to_fhirclient"], 0.5, "")
        yield Figure(f"full_pages_of_unchanged_copy_of_{rows}", found["again_full_pages"], 0, "")
        yield Figure(f"processor_for_100_rows_of_{rows}", found["processor_ms"], 20, " ms")
    yield Figure("peak_memory_of_50000_over_500", found["grown_mb"] - small["grown_mb"], 20, " MB")
    yield Figure("peak_memory_of_50000_over_idle", found["grown_mb"], 60, " MB")


def _measured(rows: int, tries: int = 0) -> dict[str, float]:
    return measured("benchmarks.sync_copy", "config.settings.test", str(rows), str(tries))
