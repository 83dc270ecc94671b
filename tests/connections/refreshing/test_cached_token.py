"""A cached access token is used again only as long as nothing about its link has changed."""

from datetime import timedelta

import pytest

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import CachedToken, token_columns
from apps.directory.models import ClientRegistration, Endpoint
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ACCESS = "access-canary-77c0"


@pytest.fixture
def opened(monkeypatch):
    """How often an access token was opened."""
    times = []
    open_it = token_columns.access_token

    def noted(connection, stored):
        times.append(connection.pk)
        return open_it(connection, stored)

    monkeypatch.setattr(token_columns, "access_token", noted)
    return times


@pytest.fixture
def in_hand(connection, issued_at):
    """Used once."""
    held = CachedToken(connection)
    assert held.usable(at=issued_at).reveal() == ACCESS
    return held


class TestATokenInHand:
    def test_is_opened_once_and_asked_about_each_time(
        self, connection, issued_at, opened, in_hand, django_assert_num_queries
    ):
        with django_assert_num_queries(1):
            assert in_hand.usable(at=issued_at + timedelta(seconds=269)).reveal() == ACCESS
        assert len(opened) == 1

    def test_is_refreshed_near_its_end(self, issued_at, in_hand, stand_in):
        stand_in.token = http(body={"access_token": "fresh", "expires_in": 600})
        assert in_hand.usable(at=issued_at + timedelta(seconds=271)).reveal() == "fresh"
        assert in_hand.usable(at=issued_at + timedelta(seconds=272)).reveal() == "fresh"
        assert len(stand_in.token_requests) == 1

    def test_is_never_handed_out_again_once_it_was_refused(self, issued_at, in_hand, stand_in):
        stand_in.token = http(body={"access_token": "fresh", "expires_in": 600})
        refused = in_hand.usable(at=issued_at)
        assert in_hand.usable(at=issued_at, refused=refused).reveal() == "fresh"
        assert in_hand.usable(at=issued_at).reveal() == "fresh"

    def test_gives_way_to_one_that_somebody_else_was_given(self, connection, issued_at, in_hand, stand_in):
        stand_in.token = http(body={"access_token": "theirs", "expires_in": 600})
        refreshing.usable_token(connection, at=issued_at + timedelta(seconds=271))
        assert in_hand.usable(at=issued_at + timedelta(seconds=272)).reveal() == "theirs"

    @pytest.mark.parametrize("model", [Endpoint, ClientRegistration])
    def test_is_of_no_use_while_staff_switched_it_off(self, issued_at, in_hand, model):
        model.objects.update(is_switched_on=False)
        with pytest.raises(refreshing.SwitchedOff):
            in_hand.usable(at=issued_at)
        model.objects.update(is_switched_on=True)
        assert in_hand.usable(at=issued_at).reveal() == ACCESS

    @pytest.mark.parametrize("status", ["needs_reauthorization", "ended", "disconnected"])
    def test_is_of_no_use_where_the_connection_is_not_active(self, issued_at, in_hand, status):
        Connection.objects.update(status=status)
        with pytest.raises(refreshing.NeedsReauthorization):
            in_hand.usable(at=issued_at)

    def test_is_of_no_use_where_its_tokens_were_forgotten(self, issued_at, in_hand):
        StoredTokenSet.objects.all().delete()
        with pytest.raises(refreshing.NeedsReauthorization):
            in_hand.usable(at=issued_at)

    def test_that_was_renewed_while_it_was_opened_is_not_kept(self, connection, issued_at, opened, monkeypatch):
        """Nobody can tell which of the two it is."""
        held = CachedToken(connection)
        open_it = token_columns.access_token

        def renewed_meanwhile(connection, stored):
            token = open_it(connection, stored)
            StoredTokenSet.objects.update(generation=stored.generation + 1)
            return token

        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(token_columns, "access_token", renewed_meanwhile)
            held.usable(at=issued_at)
        before = len(opened)
        held.usable(at=issued_at)
        assert len(opened) == before + 1

    def test_tells_nothing_of_itself(self, in_hand):
        assert ACCESS not in repr(in_hand)
        assert "canary" not in str(in_hand)
