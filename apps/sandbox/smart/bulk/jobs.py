"""Export jobs. They live in this process, like the switches, and are lost with a restart.

A job is done once its status was requested often enough (switch `bulk_polls`); it is kept for thirty days.
"""

import threading
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.sandbox.smart.addresses import Place

KEPT = timedelta(days=30)
_RUNS_AT_MOST = timedelta(
    minutes=10
)  # a job whose status nobody requests ends by itself, or it would block others for ever

_jobs: dict[str, "Job"] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Job:
    """One export: who requested what, where, and when. `started_at` is its transaction time; `polls_left` is how many
    more status responses say that it runs. With the switch `bulk_pace`, no poll may come before `next_poll_at`."""

    id: str
    account_id: str
    place: Place
    group_id: str
    types: tuple[str, ...]
    since: datetime | None
    request: str
    started_at: datetime
    polls: int
    polls_left: int
    next_poll_at: datetime

    def runs(self, at: datetime) -> bool:
        """Whether it is still running."""
        return self.polls_left > 0 and at < self.started_at + _RUNS_AT_MOST

    @property
    def expires_at(self) -> datetime:
        """Until when its files are kept."""
        return self.started_at + KEPT


class Busy(Exception):
    """The same system has another export running at the same organization."""


def begin(account_id: str, place: Place, group_id: str, types: tuple[str, ...], *, since: datetime | None,
          request: str, polls: int, at: datetime) -> Job:  # fmt: skip
    """Start a job. Raises Busy."""
    job = Job(
        str(uuid.uuid4()),
        account_id,
        place,
        group_id,
        types,
        since,
        request,
        at,
        polls,
        polls_left=polls,
        next_poll_at=at,
    )
    with _lock:
        others = [one for one in _jobs.values() if (one.account_id, one.place.tenant) == (account_id, place.tenant)]
        if any(one.runs(at) for one in others):
            raise Busy
        _jobs[job.id] = job
    return job


def find(job_id: str, place: Place, *, at: datetime) -> Job | None:
    """The job with this id at this root, if it is still kept."""
    job = anywhere(job_id, at=at)
    return job if job is not None and job.place == place else None


def anywhere(job_id: str, *, at: datetime) -> Job | None:
    """The same, at any root."""
    job = _jobs.get(job_id)
    return job if job is not None and at < job.expires_at else None


def polled(job: Job, *, next_poll_at: datetime) -> None:
    """Its status was requested once more."""
    with _lock:
        known = _jobs.get(job.id)
        if known is not None:
            _jobs[job.id] = replace(known, polls_left=max(0, known.polls_left - 1), next_poll_at=next_poll_at)


def remove(job: Job) -> None:
    """Delete the job and its files."""
    with _lock:
        _jobs.pop(job.id, None)


def forget() -> None:
    """Delete all jobs."""
    with _lock:
        _jobs.clear()
