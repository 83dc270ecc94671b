"""A refresh is dated by when its request was sent, however long the steps before took."""

from datetime import timedelta

import pytest

from apps.connections import refreshing
from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import early_refreshes
from apps.directory import discovering
from apps.directory.models import ClientRegistration
from tests.connections.provider_stand_in import tokens

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
LATER = timedelta(seconds=3)


@pytest.fixture
def _server_looked_for_first(monkeypatch, stopwatch):
    def look(*_about, **_at):
        stopwatch.seconds += LATER.total_seconds()

    monkeypatch.setattr(discovering, "keep_fresh", look)


@pytest.mark.usefixtures("_server_looked_for_first")
class TestARefreshAfterALookForItsServer:
    @pytest.fixture(autouse=True)
    def _floor(self, connection, stand_in):
        ClientRegistration.objects.update(minimum_refresh_seconds=60)
        stand_in.token = tokens(access_token="a2", refresh_token="r2")

    def test_counts_from_when_it_was_sent_where_somebody_waits_for_it(self, connection, issued_at):
        refreshing.usable_token(connection, at=issued_at + HOUR)
        self._check(issued_at + HOUR + 2 * LATER)  # once before the claim, once before the call

    def test_counts_from_when_it_was_sent_where_staff_ask_for_it(self, connection, issued_at):
        assert early_refreshes.refresh_one(connection.pk, at=issued_at + HOUR).outcome == "refreshed"
        self._check(issued_at + HOUR + LATER)

    def _check(self, sent_at):
        row = StoredTokenSet.objects.get()
        assert row.refresh_issued_at == sent_at
        assert row.not_before_at == sent_at + timedelta(seconds=61)
