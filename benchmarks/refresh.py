"""Area `refresh`: renewing a permission, against the bare requests it is made of.

Bound: through the whole engine (claim, call, seal, store, audit) at most 1.2 times a pooled `requests.post` and one
committed row, with a token endpoint of 50 ms and four in flight. Choosing what is due belongs to what comes next.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured


def figures() -> Iterator[Figure]:
    """By the clock, and in processor time of ours."""
    calls = measured("benchmarks.refresh_calls", "config.settings.test")
    yield Figure("refresh_to_bare_post", calls["to_bare_post"], 1.2, "")
    yield Figure("refresh_processor", calls["processor_ms"], 25, " ms")
    yield Figure("refresh_memory_growth", calls["memory_growth_mb"], 20, " MB")
