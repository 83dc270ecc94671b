"""What goes wrong, and when: kills, restarts, flushes, and whatever a network does to a token request."""

import random
import time
from collections.abc import Callable
from typing import Any

from benchmarks.chaos.fleet import Fleet
from benchmarks.chaos.servers import Servers
from development.control import Sandbox

_STEP_SECONDS = 1.0
_KILL_EVERY, _FLUSH_EVERY, _RESTART_EVERY, _THROTTLE_EVERY = 4, 9, 20, 30  # steps

# Of each step's token requests. Slow ones answer after we stopped waiting: the work is done by then.
_FAULTS: tuple[dict[str, Any], ...] = (
    {"kind": "dropped", "count": 2},
    {"kind": "dropped-after", "count": 2},
    {"kind": "lost", "after": 1},
    {"kind": "cut", "after": 2},
    {"kind": "unavailable", "retry_after": ""},
    {"kind": "slow", "seconds": 1.5, "after": 1},
    {"kind": "slow", "seconds": 12},
)
_TOO_MANY: dict[str, Any] = {"kind": "throttled", "retry_after": "1"}


def go_wrong(
    seconds: float,
    *,
    fleet: Fleet,
    servers: Servers,
    sandbox: Sandbox,
    chance: random.Random,
    note: Callable[[], None],
) -> dict[str, int]:
    """For so many seconds; how often each thing was done. `note` is called after each kill, and before each restart of
    the database: who was waiting for an answer then may never see it."""
    done: dict[str, int] = {}
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        step += 1
        time.sleep(_STEP_SECONDS)
        fault = chance.choice(_FAULTS) if step % _THROTTLE_EVERY else _TOO_MANY
        sandbox.post("/control/faults", route="token", **fault)
        happened = [fault["kind"]]
        if step % _KILL_EVERY == 0:
            happened.append(f"killed {fleet.kill_one(chance)}")
            note()
        if step % _FLUSH_EVERY == 0:
            servers.flush_redis()
            happened.append("flushed")
        if step % _RESTART_EVERY == _RESTART_EVERY // 2:
            note()
            servers.restart_postgres(crashes=step % (2 * _RESTART_EVERY) < _RESTART_EVERY)
            happened.append("restarted")
        fleet.mend()
        for name in happened:
            done[name] = done.get(name, 0) + 1
    sandbox.delete("/control/faults?route=token")
    return done
