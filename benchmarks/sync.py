"""Area `sync`: copying the record of one person, against fetching and storing the same pages bare.

Goals for the whole record speak of four requests in flight and of several types; today one type is copied page after
page, so the comparator asks page after page too. Bound of ours: half as much again as that, for splitting, sealing and
compressing every resource, digests, and the ledger; with 15 ms of latency and a hundred rows a page. Peak memory with
fifty thousand rows stays within 20 MB of that with five hundred.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured


def figures() -> Iterator[Figure]:
    """Wall time, processor time for a hundred rows, memory."""
    copied = measured("benchmarks.sync_copy", "config.settings.test", "5000", "5")
    yield Figure("copy_of_5000_to_bare_fetch_and_store", copied["to_bare"], 1.5, "")
    yield Figure("unchanged_copy_of_5000_to_bare_fetch_and_store", copied["again_to_bare"], 1.5, "")
    yield Figure("processor_for_100_rows", copied["processor_ms"], 20, " ms")
    small = measured("benchmarks.sync_copy", "config.settings.test", "500", "0")
    large = measured("benchmarks.sync_copy", "config.settings.test", "50000", "0")
    yield Figure("peak_memory_of_50000_over_500", large["grown_mb"] - small["grown_mb"], 20, " MB")
