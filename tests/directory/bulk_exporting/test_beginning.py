"""Requesting an export: what is known about it if the process died before it stored the answer."""

import json
from datetime import timedelta
from functools import partial

import pytest

from apps.directory.bulk_exporting.folder import STATE, Folder
from apps.directory.bulk_exporting.waiting import MOST_FAILURES
from apps.wire.errors import NotFound, RequestRefused, Throttled, Unavailable, WireError

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """Stands for a process that ends: nothing of ours catches it."""


@pytest.fixture
def killed(exporting, monkeypatch):
    """The provider accepted; where the export is was not kept any more."""
    real = Folder.keep

    def keep(folder, state):
        if state["status_url"]:
            raise Killed
        real(folder, state)

    monkeypatch.setattr(Folder, "keep", keep)
    with pytest.raises(Killed):
        exporting.run()
    monkeypatch.undo()
    assert len(exporting.asked("$export")) == 1
    exporting.before = lambda: exporting.sandbox.post("/control/clock", move_seconds=601)  # it ends there by itself
    return exporting


def lose_tokens(exporting):
    """From now on the token we have is old, and no answer of the token endpoint arrives."""
    exporting.ahead = timedelta(minutes=20)
    exporting.sandbox.post("/control/faults", route="token", kind="dropped-after", count=MOST_FAILURES)


def asked_at(exporting):
    return json.loads((exporting.folder / STATE).read_text())["asked_at"]


class TestAKickOff:
    def test_is_remembered_before_it_is_sent_and_told_the_next_time(self, killed):
        at = asked_at(killed)
        assert at
        assert killed.run().lines > 300
        (told,) = (line for line in killed.said if "nobody here can name" in line)
        assert at in told
        assert asked_at(killed) == ""

    def test_that_nobody_can_name_is_told_to_who_gives_up(self, killed):
        killed.give_up()
        assert any("nobody here can name" in line for line in killed.said)
        assert asked_at(killed) == ""

    def test_whose_answer_was_lost_is_told_the_next_time(self, exporting):
        exporting.fault("dropped-after", path="$export")
        with pytest.raises(WireError):
            exporting.run()
        assert asked_at(exporting)

    def test_that_was_refused_left_nothing_there(self, exporting):
        with pytest.raises(NotFound):
            exporting.run(group_id="strangers")
        assert asked_at(exporting) == ""

    @pytest.mark.parametrize("kind", ["throttled", "unavailable"])
    def test_that_was_put_off_each_time_left_nothing_there(self, exporting, kind):
        exporting.fault(kind, path="$export", count=MOST_FAILURES)
        with pytest.raises(Unavailable):
            exporting.run()
        assert asked_at(exporting) == ""

    @pytest.mark.parametrize("kind", ["error", "bad-gateway", "lost"])
    def test_that_broke_on_the_way_may_have_left_one(self, exporting, kind):
        exporting.fault(kind, path="$export", count=MOST_FAILURES)
        with pytest.raises(Unavailable):
            exporting.run()
        assert asked_at(exporting)

    def test_whose_answer_was_lost_once_stays_in_doubt_though_it_was_put_off_afterwards(self, exporting):
        """The provider has one now: that is why it asks us to wait."""
        exporting.fault("dropped-after", path="$export")
        with pytest.raises(Throttled):
            exporting.run()
        assert asked_at(exporting)

    def test_is_not_in_doubt_where_the_token_s_answer_was_lost(self, exporting):
        exporting.fault("throttled", path="$export")
        exporting.before = partial(lose_tokens, exporting)
        with pytest.raises(Unavailable):
            exporting.run()
        assert asked_at(exporting) == ""

    def test_of_what_can_be_no_group_was_never_sent(self, exporting):
        with pytest.raises(RequestRefused):
            exporting.run(group_id="no/group")
        assert asked_at(exporting) == ""

    def test_says_nothing_of_others_where_it_is_the_first(self, exporting):
        exporting.run()
        assert not any("nobody here can name" in line for line in exporting.said)
