"""The refresh protocol, under every interleaving that Hypothesis finds, and proof that it would find a fault."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Turn, Verdict
from tests.connections.refreshing.memory_ground import MemoryGround
from tests.connections.refreshing.protocol_machine import ProtocolMachine

_HOLDS = settings(max_examples=300, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
_FINDS = settings(_HOLDS, max_examples=3000, derandomize=True, database=None, phases=[Phase.generate])


class InMemory(ProtocolMachine):
    make_ground = MemoryGround


class TestTheProtocol:
    @pytest.mark.conformance("C41", "C42")
    def test_holds_whatever_happens_between_two_workers(self) -> None:
        run_state_machine_as_test(InMemory, settings=_HOLDS)


def _ignores_leases(standing: Any, *, rotates: bool | None, at: Any, now: Any) -> Turn:
    return Turn.WAIT if standing.not_before_at and at < standing.not_before_at else Turn.ASK


def _ignores_the_floor(standing: Any, *, rotates: bool | None, at: Any, now: Any) -> Turn:
    return Turn.WAIT if standing.lease_until and now < standing.lease_until else Turn.ASK


def _never_ends_a_lease(standing: Any, *, rotates: bool | None, at: Any, now: Any) -> Turn:
    return Turn.WAIT if standing.attempt_id else _TURN(standing, rotates=rotates, at=at, now=now)


def _believes_at_once(_standing: Any, _sent: Any, *, now: Any) -> Verdict:
    return Verdict.BELIEVED


def _never_believes(_standing: Any, _sent: Any, *, now: Any) -> Verdict:
    return Verdict.SUSPECTED


def _discards_late_successes(standing: Any, sent: Any) -> bool:
    return bool(standing.attempt_id == sent.attempt_id)


def _waits_less_than_the_floor(**about: Any) -> timedelta:
    return _WAIT(**{**about, "floor": timedelta(0), "asked": timedelta(seconds=5)})


_TURN, _WAIT = protocol.turn, protocol.wait
_FAULTS: list[tuple[str, Callable[..., Any]]] = [
    ("turn", _ignores_leases),
    ("turn", _ignores_the_floor),
    ("turn", _never_ends_a_lease),
    ("judge", _believes_at_once),
    ("judge", _never_believes),
    ("accepts", _discards_late_successes),
    ("wait", _waits_less_than_the_floor),
]


class TestTheMachine:
    @pytest.mark.parametrize(("decision", "fault"), _FAULTS, ids=[fault.__name__ for _, fault in _FAULTS])
    def test_finds_a_fault_in_each_decision(
        self, decision: str, fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(protocol, decision, fault)
        with pytest.raises(AssertionError):
            run_state_machine_as_test(InMemory, settings=_FINDS)
