"""Events of the life of shares, in any order: what must hold is in `life_cycle_machine`.

To look further, see `searching_lives`.
"""

import time

import pytest
from django.core.cache import cache
from django.utils import timezone
from hypothesis.stateful import run_state_machine_as_test

from apps.connections import clocks
from apps.records.exporting import offered_files
from apps.sharing import visiting
from tests.searching_lives import lives
from tests.sharing.life_cycle_machine import ShareMachine
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

_HOLDS = lives(4, steps=12)


def look(scene):
    for number in range(3):
        scene.happens("look", number)


@pytest.fixture
def machine(make_user, monkeypatch, caplog):
    caplog.set_level("DEBUG")

    def move_clocks(lives):
        monkeypatch.setattr(timezone, "now", lambda: lives.at)
        monkeypatch.setattr(clocks, "now", lambda: lives.at)
        monkeypatch.setattr(time, "time", lambda: lives.at.timestamp())

    def heard():
        said = caplog.text
        caplog.clear()
        return said

    before = cache.key_prefix  # the machine counts under others
    with serving(http(500)) as one, serving(http(500)) as other:

        class OfThisTest(ShareMachine):
            servers = (one, other)
            patch = staticmethod(move_clocks)

        OfThisTest.make_user = staticmethod(make_user)
        OfThisTest.heard = staticmethod(heard)
        yield OfThisTest
    cache.key_prefix = before


class TestAShare:
    def test_holds_whatever_happens_in_its_life(self, machine):
        run_state_machine_as_test(machine, settings=_HOLDS)


class TestTheMachine:
    @pytest.fixture
    def scene(self, machine):
        found = machine()
        found.begin()
        yield found
        found.teardown()

    def test_finds_files_of_what_was_grave_before(self, scene, monkeypatch):
        monkeypatch.setattr(offered_files, "_ever_grave", lambda _pks, _user: set())
        row = next(row for row in scene.lives.sources[0].provider.rows if row.kind == "DocumentReference")
        for reveals in (2, 0):
            row.reveals = reveals
            scene.happens("copy", 0)
        with pytest.raises(AssertionError):
            look(scene)

    def test_finds_openings_that_nobody_noted(self, scene, monkeypatch):
        monkeypatch.setattr(visiting, "note_file", lambda *_given, **_named: None)
        with pytest.raises(AssertionError):
            look(scene)
