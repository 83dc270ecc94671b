"""Events of a link's life, in any order: what must hold is in `life_cycle_machine`.

To look further, see `searching_lives`.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

from apps.directory import pinning
from tests.portal.life_cycle_machine import LifeCycleMachine
from tests.portal.life_cycle_provider import LifeCycleProvider
from tests.searching_lives import lives
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

_HOLDS = lives(10, steps=20)


@pytest.fixture
def machine(make_user: Any, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[type[LifeCycleMachine]]:
    settings.SITE_ORIGIN = "http://127.0.0.1:8000"
    with serving(http(500)) as server:

        class OfThisTest(LifeCycleMachine):
            patch = monkeypatch

            @staticmethod
            def make_provider(**kind: Any) -> LifeCycleProvider:
                return LifeCycleProvider(server, **kind)

        OfThisTest.make_user = staticmethod(make_user)
        yield OfThisTest


class TestALink:
    def test_holds_whatever_happens_in_its_life(self, machine):
        run_state_machine_as_test(machine, settings=_HOLDS)


class TestTheMachine:
    """Faults that were there, and were found in an order of events."""

    @pytest.fixture
    def scene(self, machine):
        found = machine()
        found.begin(interface="smart", rotates=True)
        yield found
        found.teardown()

    @pytest.mark.parametrize("interface", ["smart", "patient-access"])
    def test_passes_where_all_is_right(self, machine, interface):
        scene = machine()
        scene.begin(interface=interface, rotates=True)
        for event in ("goes_over", "leave", "goes_back", "come_back", "refresh_one"):
            scene.happens(event, 2)
        scene.teardown()

    def test_finds_tokens_sent_to_another_host(self, scene, monkeypatch):
        monkeypatch.setattr(pinning, "knows_issuer", lambda _registration, _origin: True)
        scene.happens("goes_over", 2)
        scene.lives.withdraw(0)
        scene.time_passes(420.0)
        scene.lives.refresh_one(0)
        assert scene.provider.faults == ["a refresh_token of localhost went to 127.0.0.1"]
        scene.provider.faults.clear()

    def test_finds_codes_sent_to_another_host(self, scene, monkeypatch):
        monkeypatch.setattr(pinning, "may_be_of_elsewhere", lambda _registration, *, asked_at: False)
        for event in ("goes_over", "leave", "goes_back"):
            scene.happens(event, 2)
        scene.lives.come_back(0)
        assert scene.provider.faults == ["a code of localhost went to 127.0.0.1"]
        scene.provider.faults.clear()
