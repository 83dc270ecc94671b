"""Area `refresh`: renewing a permission, against the bare requests it is made of.

Bound: through the whole engine (claim, call, seal, store, audit) at most 1.2 times a pooled `requests.post` and one
committed row, with a token endpoint of 50 ms and four in flight. Choosing and claiming 500 links that are due takes at
most 1.5 times as long among a million as among ten thousand. In two days with an outage of 20 hours no link is lost
that the best order would have saved; `make bench AREA=refresh LINKS=1000000` lives them with as many.
"""

import os
from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured, told_by

_REFRESHES = 5_000  # whose memory is watched; REFRESHES=100000 takes half an hour
_LINKS = 20_000  # of the two days: some minutes; LINKS=1000000 takes far longer


def figures() -> Iterator[Figure]:
    """By the clock, and in processor time of ours."""
    refreshes = os.environ.get("REFRESHES") or str(_REFRESHES)
    calls = measured("benchmarks.refresh_calls", "config.settings.test", refreshes)
    yield Figure("refresh_to_bare_post", calls["to_bare_post"], 1.2, "")
    yield Figure("refresh_alone_to_bare_post", calls["alone_to_bare_post"], 1.2, "")
    yield Figure("refresh_processor", calls["processor_ms"], 10, " ms")
    yield Figure(f"refresh_memory_growth_over_{refreshes}", calls["memory_growth_mb"], 20, " MB")
    yield from _single_flight()
    yield from _chaos()
    yield from _due()
    yield from _days(int(os.environ.get("LINKS") or _LINKS))


def _single_flight() -> Iterator[Figure]:
    """Whatever was not right when 16 processes wanted the same 200 links at once; the name says how many rounds fitted
    into the time."""
    found = measured("benchmarks.refresh_single_flight", "config.settings.test")
    rounds = int(found.pop("rounds"))
    yield Figure(f"single_flight_faults_in_{rounds}_rounds", sum(found.values()), 0, "")


def _chaos() -> Iterator[Figure]:
    """Links that hold while everything dies (`benchmarks.chaos`): those lost that had not to be, and other faults.
    The links that a server without repeat had to lose stand on the screen, each with why."""
    found = told_by("benchmarks.chaos")
    yield Figure(f"chaos_lost_of_{int(found['links'])}", found["lost"], 0, "")
    wrongs = ("unexplained", "given_up", "believed", "stuck", "too_soon", "left", "twice")
    yield Figure("chaos_other_faults", sum(found[name] for name in wrongs), 0, "")


def _due() -> Iterator[Figure]:
    """Choosing and claiming, by the clock."""
    found = measured("benchmarks.refresh_due", "config.settings.test")
    yield Figure("due_among_a_million_to_ten_thousand", found["to_few"], 1.5, "")
    yield Figure("due_where_all_is_due_to_ten_thousand", found["backlog_to_few"], 2, "")


def _days(links: int) -> Iterator[Figure]:
    """The names say how many links there were. Servers bear ten calls a second where there are a million; how many
    calls one got is said over a step of the simulation, five seconds of a million links. Workers are what the busiest
    step takes, at half a second a call."""
    found = measured("benchmarks.refresh_days", "config.settings.test", str(links))
    name = f"days_of_{links}_links"
    yield Figure(f"{name}_lost_beyond_best", found["lost_beyond_best"], 0, "")
    yield Figure(f"{name}_worst_lateness_to_best", found["lateness_to_best"], 1.2, "")
    over = f"over_{found['step_seconds_of_a_million']:g}_s"
    yield Figure(f"{name}_peak_of_one_server_{over}", found["peak_of_one_server_of_a_million"], 10, " a second")
    yield Figure(f"{name}_workers_of_calls_of_{found['call_seconds']:g}_s", found["workers"], 3, "")
