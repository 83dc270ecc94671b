"""The best that anybody could do: links of one server refreshed strictly by deadline, without a moment lost.

Computed apart from the engine, in plain numbers: seconds, and links as lists. A server answers so many calls a second
and none while it is out; whoever refreshes knows at once what is due, and when the outage is over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True)
class Job:
    """A refresh of one link: when it falls due, by when it must be done, and how long after it the next ones are."""

    due: float
    deadline: float
    due_after: float
    deadline_after: float
    is_last: bool = False


@dataclass
class Best:
    """What was done, and how far off the deadline and the due time it was at worst."""

    done: int = 0
    lost: int = 0
    worst_lateness: float = 0.0
    least_left: float = float("inf")

    def has_done(self, *, due: float, deadline: float, now: float) -> bool:
        """Whether it was in time."""
        if deadline <= now:
            self.lost += 1
            return False
        self.done += 1
        self.worst_lateness = max(self.worst_lateness, now - due)
        self.least_left = min(self.least_left, deadline - now)
        return True


def best(jobs: Sequence[Job], *, per_second: float, out: tuple[float, float], until: float) -> Best:
    """By deadline, from second 0 on."""
    found = Best()
    coming = [(job.due, job.deadline, number) for number, job in enumerate(jobs)]
    heapify(coming)
    ready: list[tuple[float, float, int]] = []
    now = 0.0
    while coming or ready:
        now = now if ready else max(now, coming[0][0])
        now = out[1] if out[0] <= now < out[1] else now
        if now >= until:
            break
        while coming and coming[0][0] <= now:
            due, deadline, number = heappop(coming)
            heappush(ready, (deadline, due, number))
        deadline, due, number = heappop(ready)
        if found.has_done(due=due, deadline=deadline, now=now):
            job = jobs[number]
            if not job.is_last:
                heappush(coming, (now + job.due_after, now + job.deadline_after, number))
            now += 1 / per_second
    found.lost += sum(deadline <= until for deadline, _due, _number in ready)
    return found
