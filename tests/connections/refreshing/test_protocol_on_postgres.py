"""The state machine of `test_protocol`, run on the product and a real Postgres: two workers that claim, call and
store."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from apps.connections.callback import confirming
from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Verdict
from tests.connections.refreshing.model_server import Fate, Kind
from tests.connections.refreshing.postgres_ground import PostgresGround
from tests.connections.refreshing.protocol_machine import ProtocolMachine

pytestmark = pytest.mark.django_db

_HOLDS = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


@pytest.fixture
def machine(traveller, place, monkeypatch) -> Callable[[], ProtocolMachine]:
    found = traveller.link(place)
    connection = confirming.confirm(found, candidate=0, at=found.created_at).connection

    class OnPostgres(ProtocolMachine):
        make_ground = partial(PostgresGround, connection, monkeypatch)
        step = 10.0

    return OnPostgres


class TestTheProduct:
    @pytest.mark.conformance("C41", "C42")
    def test_holds_whatever_happens_between_two_workers(self, machine) -> None:
        run_state_machine_as_test(machine, settings=_HOLDS)


def _believes_at_once(_standing: Any, _sent: Any, *, now: Any) -> Verdict:
    return Verdict.BELIEVED


def refuse_while_a_success_is_in_hand(machine: ProtocolMachine) -> None:
    """One worker has the answer and has not stored it; another repeats the token, and is refused."""
    machine.link(kind=Kind.STRICT, floor=0.0, is_known=False, revoked_at=1e9)
    machine.go_on(1, Fate.FINE)
    machine.go_on(1, Fate.FINE)
    machine.wait(seconds=31.0)
    for _claim_call_store in range(3):
        machine.go_on(2, Fate.FINE)


class TestTheMachine:
    def test_passes_where_the_decision_is_right(self, machine) -> None:
        refuse_while_a_success_is_in_hand(machine())

    def test_finds_a_fault(self, machine, monkeypatch) -> None:
        monkeypatch.setattr(protocol, "judge", _believes_at_once)
        with pytest.raises(AssertionError, match="a success was on its way"):
            refuse_while_a_success_is_in_hand(machine())
