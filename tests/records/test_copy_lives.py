"""Events of a copy's life, in any order: what must hold is in `copy_life_machine`.

To look further, see `searching_lives`.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

from apps.records import shelving
from apps.records.syncing import updating_shelves
from apps.records.syncing.received_rows import doubting, storing
from tests.records.copy_life_machine import CopyLifeMachine
from tests.records.copy_life_provider import CopyLifeProvider
from tests.records.copy_lives import DAY, START
from tests.searching_lives import lives
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

_HOLDS = lives(3, steps=15)


@pytest.fixture
def machine(make_user: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[CopyLifeMachine]]:
    with serving(http(500)) as server:

        class OfThisTest(CopyLifeMachine):
            patch = monkeypatch

            @staticmethod
            def make_provider(**kind: Any) -> CopyLifeProvider:
                return CopyLifeProvider(server, now=START, **kind)

        OfThisTest.make_user = staticmethod(make_user)
        yield OfThisTest


class TestACopy:
    def test_holds_whatever_happens_in_its_life(self, machine):
        run_state_machine_as_test(machine, settings=_HOLDS)


class TestTheMachine:
    """Faults that were there, or that would be without a rule of ours."""

    @pytest.fixture
    def scene(self, machine):
        found = machine()
        found.begin(version="r4", kind=0)
        yield found
        found.lives = None  # it does not end well
        found.teardown()

    def test_passes_where_all_is_right(self, machine):
        scene = machine()
        scene.begin(version="dstu2", kind=1)
        for event in ("change", "rename", "is_born", "delete", "changes_version"):
            scene.something_changes(event, 4)
        scene.crosses("sync", 3, 9, "add")
        scene.somebody_looks(0)
        scene.teardown()

    @pytest.mark.parametrize("event", ["rename", "is_born"])
    def test_finds_shelves_that_nobody_rebuilt(self, scene, monkeypatch, event):
        monkeypatch.setattr(updating_shelves, "_naming", lambda _run: set())
        monkeypatch.setattr(shelving, "_birth_dates", lambda _connection: None)
        scene.something_changes(event, 1)
        scene.time_passes(8 * DAY)
        with pytest.raises(AssertionError, match="out of date"):
            scene.happens("sync", 0)

    def test_finds_rows_on_no_shelf(self, scene, monkeypatch):
        monkeypatch.setattr(storing.StoreCounts, "differing", 0)
        scene.something_changes("change", 0)
        with pytest.raises(AssertionError, match="out of date"):
            scene.happens("sync", 0)

    def test_finds_what_is_called_whole_and_is_not(self, scene, monkeypatch):
        monkeypatch.setattr(doubting, "settle", lambda *_rows, **_run: (0, False))
        scene.something_changes("delete", 0)
        scene.time_passes(8 * DAY)
        with pytest.raises(AssertionError, match="is said to be complete"):
            scene.happens("sync", 0)
