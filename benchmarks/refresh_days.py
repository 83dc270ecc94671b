"""Measures two days of a million links against the best that anybody could do (`two_days`, `earliest_deadline`).

30 % are links of interface A to eight servers that rotate, of very unlike size, 40 % to eight that do not (one of them
was never seen refreshing), 30 % offline links of interface B to eight. From hour 6 to hour 26 nobody answers. Each
server bears ten calls a second and throttles what is beyond; one bears five, and nobody told us.

With fewer links everything is slower by as much: servers bear less, and workers look more rarely. So the same happens.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from math import ceil

from django.db import connection

from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import running
from benchmarks import earliest_deadline, many_links, two_days
from benchmarks.earliest_deadline import Best, Job
from benchmarks.many_links import NOT_ROTATING, NOT_YET_SEEN, OFFLINE, ROTATING, Server
from benchmarks.two_days import Days, Seen

MILLION = 1_000_000
_PER_SECOND = 10.0  # of a million links
STEP_SECONDS = 5.0  # of a million links
_SEALED_BYTES = 64  # sealing is left out, and its bytes
_UNLIKE = (0.25, 0.2, 0.15, 0.13, 0.1, 0.09, 0.05, 0.03)
_ALIKE = (0.125,) * 8
_WEAK = 2  # bears half of what the others do
_EMPTY = "TRUNCATE connections_connection, connections_refreshpace, directory_authorizationserver CASCADE"


def main(*arguments: str) -> None:
    """One line of JSON, of so many links."""
    began, links = time.perf_counter(), int(arguments[0]) if arguments else MILLION
    seen, best = days(links, begins_at=datetime(2026, 3, 2, tzinfo=UTC))
    took = {"took_seconds": time.perf_counter() - began}
    print(json.dumps(figures(seen, best, scale=links / MILLION) | asdict(seen) | took))


def figures(seen: Seen, best: Sequence[Best], *, scale: float) -> dict[str, float]:
    """What is held against goals; `lost_beyond_best` in links, and `workers` for a million of them: as many as have
    hands enough for the most calls of a step, each taking `call_seconds`. Budgets decide how many those are, not the
    workers there were, whose hands are several times as many."""
    best_lateness_hours = max(one.worst_lateness for one in best) / 3600
    return {
        "lost_beyond_best": seen.lost - sum(one.lost for one in best),
        "best_lost": sum(one.lost for one in best),
        "best_done": sum(one.done for one in best),
        "best_lateness_hours": best_lateness_hours,
        "lateness_to_best": seen.worst_lateness_hours / best_lateness_hours,
        "peak_of_one_server_of_a_million": seen.peak_of_one_server / scale,
        "call_seconds": Days.call_seconds,
        "step_seconds_of_a_million": STEP_SECONDS,
        "workers": ceil(seen.peak_per_second / scale * Days.call_seconds / running.HANDS),
    }


def days(links: int, *, begins_at: datetime) -> tuple[Seen, list[Best]]:
    """Live two days with so many links, and compute the best for the same ones."""
    scale = links / MILLION
    plan = Days(step=timedelta(seconds=STEP_SECONDS / scale))
    with connection.cursor() as cursor:
        cursor.execute(_EMPTY)
    servers = _servers(links, _PER_SECOND * scale, at=begins_at)
    many_links.fill(servers, at=begins_at, token_bytes=_SEALED_BYTES)
    best = [best_of(server, plan, begins_at=begins_at) for server in servers]
    with two_days.budgets(per_second=_PER_SECOND * scale, step=plan.step):
        return two_days.live(servers, plan, begins_at=begins_at), best


def _servers(links: int, per_second: float, *, at: datetime) -> list[Server]:
    made = []
    for kind, share, split in ((ROTATING, 0.3, _UNLIKE), (NOT_ROTATING, 0.4, _ALIKE), (OFFLINE, 0.3, _ALIKE)):
        for number, part in enumerate(split):
            of_kind = NOT_YET_SEEN if kind is NOT_ROTATING and number == 0 else kind
            bears = per_second / 2 if kind is ROTATING and number == _WEAK else per_second
            made.append(many_links.make_server(of_kind, round(links * share * part), at=at, per_second=bears))
    return made


def best_of(server: Server, plan: Days, *, begins_at: datetime) -> Best:
    """The links as they stand, each with what its server does."""

    def second(moment: datetime) -> float:
        return (moment - begins_at).total_seconds()

    rows = StoredTokenSet.objects.filter(registration=server.registration, refresh_due_at__isnull=False)
    jobs = [
        Job(
            due=second(due_at),
            deadline=second(deadline_at),
            due_after=(due_at - used_at).total_seconds(),
            deadline_after=(deadline_at - used_at).total_seconds(),
            is_last=server.kind is NOT_YET_SEEN,
        )
        for due_at, deadline_at, used_at in rows.values_list(
            "refresh_due_at", "refresh_deadline_at", "refresh_used_at"
        ).iterator()
        if due_at and deadline_at and used_at
    ]
    out = plan.outage[0].total_seconds(), plan.outage[1].total_seconds()
    return earliest_deadline.best(jobs, per_second=server.per_second, out=out, until=plan.lasts.total_seconds())
