"""`python -m benchmarks.chaos.shifted SECONDS MODULE [ARGUMENT...]`: run a program whose clock is so far ahead.

The database's clock, which leases are on, stays right. The one all share (`apps.connections.clocks`) goes by whole
days: of what is less than a day, each process's own clock is wrong alone. Two more things are otherwise than in
production, so that a day passes in minutes: beat says every five seconds that something may be due, and nobody holds
back for a server's sake.
"""

import runpy
import sys
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils import timezone

from apps.connections import clocks
from apps.wire.dialects import DIALECTS
from config import celery

_REFRESHES_PER_SECOND = 500.0
_DAY = timedelta(days=1)
_EVERY = timedelta(seconds=5)
_REFRESHING = "apps.connections.tasks.refresh_due"


def main(seconds: float, module: str, *arguments: str) -> None:
    """Runs the module as `python -m` does."""
    real, ahead = timezone.now, timedelta(seconds=seconds)

    def shifted() -> datetime:
        return real() + ahead

    timezone.now = shifted
    shared, days = clocks.now, timedelta(days=round(ahead / _DAY))
    clocks.now = lambda: shared() + days
    for dialect in DIALECTS.values():
        object.__setattr__(dialect, "refreshes_per_second", _REFRESHES_PER_SECOND)
    celery.SCHEDULE = tuple(replace(row, every=_EVERY) if row.task == _REFRESHING else row for row in celery.SCHEDULE)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
