"""Area `bulk`: exporting a group of 200,000 resources.

Goals: at most 1.3 times the wall time of a bare program that streams the same files onto the same disk, with counting,
checking and writing down included. Peak memory with 200,000 resources stays within 5 MB of that with 2,000. Killed with
SIGKILL ten times and resumed, nothing is missing or there twice, and a kill costs at most the beginning of one file.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured

_ROWS, _FEW, _TRIES, _KILLS = 200_000, 2_000, 7, 10


def figures() -> Iterator[Figure]:
    """Wall time, memory, and what kills cost."""
    few = _measured(_FEW)
    found = _measured(_ROWS, _TRIES, _KILLS)
    yield Figure(f"export_of_{_ROWS}_to_bare_streaming", found["to_bare"], 1.3, "")
    yield Figure(f"peak_memory_of_{_ROWS}_over_{_FEW}", found["grown_mb"] - few["grown_mb"], 5, " MB")
    yield Figure("rows_missing_after_kills", found["missing"], 0, "")
    yield Figure("rows_twice_after_kills", found["twice"], 0, "")
    yield Figure("kills_that_did_not_happen", _KILLS - found["kills"], 0, "")
    yield Figure("files_begun_again_for_one_kill", found["begun_again"] / max(found["kills"], 1), 1, "")


def _measured(rows: int, tries: int = 0, kills: int = 0) -> dict[str, float]:
    return measured("benchmarks.bulk_exports", "config.settings.test", str(rows), str(tries), str(kills))
