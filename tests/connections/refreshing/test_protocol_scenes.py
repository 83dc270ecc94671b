"""Faults in the protocol's decisions that only a long chain of events reveals, each replayed as a fixed scene.

The same scene must pass if the decision is right, so that nothing but the fault makes it fail.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Turn, Verdict
from tests.connections.refreshing.memory_ground import MemoryGround
from tests.connections.refreshing.model_server import Fate, Kind
from tests.connections.refreshing.protocol_machine import ProtocolMachine

_WAIT = protocol.wait
_NEVER = 1e9


class InMemory(ProtocolMachine):
    make_ground = MemoryGround


@dataclass(frozen=True)
class Scene:
    """What workers do in turn: 1 and 2 go on, with what becomes of their call, or die; a float is so many seconds."""

    kind: Kind
    steps: tuple[tuple[int, Fate | None] | float, ...]
    floor: float = 0.0
    is_known: bool = False
    revoked_at: float = _NEVER

    def play(self) -> None:
        """Raises AssertionError where something does not hold."""
        machine = InMemory()
        machine.link(kind=self.kind, floor=self.floor, is_known=self.is_known, revoked_at=self.revoked_at)
        for step in self.steps:
            if isinstance(step, float):
                machine.wait(seconds=step)
                continue
            worker, fate = step
            if fate is None:
                machine.at_work.pop(worker)
            else:
                machine.go_on(worker, fate)
        machine.teardown()


_ONE, _TWO = (1, Fate.FINE), (2, Fate.FINE)
_REFUSED_WHILE_A_SUCCESS_IS_IN_HAND = Scene(Kind.STRICT, (_ONE, _ONE, 31.0, _TWO, _TWO, _TWO))
_A_SUCCESS_OF_LONG_AGO = Scene(Kind.LENIENT, (_ONE, _ONE, 31.0, _TWO, _TWO, _TWO, 61.0, _TWO, _TWO, _TWO, _ONE))
_A_LATE_SUCCESS_BESIDE_A_CLAIM = Scene(Kind.FIXED, (_ONE, (1, None), 31.0, _TWO, _TWO, 31.0, _ONE, _TWO, _TWO))
_AN_ANSWER_GOT_LOST = Scene(Kind.LENIENT, (_ONE, (1, Fate.LOST_AFTER), _ONE, *([20.0] * 6), _ONE, _ONE, _ONE))


_REPEATED_WHERE_NONE_IS_USED_UP = Scene(
    Kind.FIXED, (_ONE, (1, Fate.LOST_BEFORE), 31.0, _TWO, _TWO), floor=60.0, is_known=True
)
_A_LATE_REFUSAL_AFTER_ANOTHER = Scene(
    Kind.FIXED, (41.0, _ONE, _ONE, 62.0, _TWO, _TWO, _TWO, *([_ONE] * 3)), floor=60.0, revoked_at=40.0
)
_TURN = protocol.turn


def _always_repeats(standing: Any, *, rotates: bool | None, at: Any, now: Any) -> Turn:
    return _TURN(standing, rotates=None, at=at, now=now)


def _believes_once_the_row_is_its_own(standing: Any, sent: Any, *, now: Any) -> Verdict:
    if standing.generation != sent.generation:
        return Verdict.OVERTAKEN
    return Verdict.SUSPECTED if standing.attempt_id not in {None, sent.attempt_id} else Verdict.BELIEVED


def _forgets_who_may_answer(_standing: Any, *, now: Any) -> None:
    return None


def _drops_every_lease(_standing: Any, _sent: Any) -> None:
    return None


def _takes_every_success(_standing: Any, _sent: Any) -> bool:
    return True


def _waits_after_losses(**about: Any) -> timedelta:
    return max(timedelta(minutes=2), _WAIT(**{**about, "lost_for": None}))


def _waits_for_its_own(_standing: Any, _sent: Any, *, floor: timedelta, at: datetime, now: datetime) -> datetime:
    return at + max(floor, protocol.LEAST_WAIT)


_FAULTS: list[tuple[str, Callable[..., Any], Scene]] = [
    ("turn", _always_repeats, _REPEATED_WHERE_NONE_IS_USED_UP),
    ("judge", _believes_once_the_row_is_its_own, _REFUSED_WHILE_A_SUCCESS_IS_IN_HAND),
    ("unanswered_since", _forgets_who_may_answer, _REFUSED_WHILE_A_SUCCESS_IS_IN_HAND),
    ("accepts", _takes_every_success, _A_SUCCESS_OF_LONG_AGO),
    ("lease_after", _drops_every_lease, _A_LATE_SUCCESS_BESIDE_A_CLAIM),
    ("wait", _waits_after_losses, _AN_ANSWER_GOT_LOST),
    ("suspected_until", _waits_for_its_own, _A_LATE_REFUSAL_AFTER_ANOTHER),
]


@pytest.mark.parametrize(("decision", "fault", "scene"), _FAULTS, ids=[fault.__name__ for _, fault, _ in _FAULTS])
class TestAScene:
    def test_passes_where_the_decision_is_right(self, decision: str, fault: Callable[..., Any], scene: Scene) -> None:
        scene.play()

    def test_shows_the_fault(
        self, decision: str, fault: Callable[..., Any], scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(protocol, decision, fault)
        with pytest.raises(AssertionError):
            scene.play()
