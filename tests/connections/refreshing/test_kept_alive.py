"""Links of interface B over idle months: `offline_access` is refreshed before its limit, `online_access` never."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import running

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)


@pytest.fixture
def linked(deploy, patient):
    """The place of a confirmed connection with an empty recorder, and when its tokens were asked for."""

    def link(refresh_scope: str) -> tuple[Any, datetime]:
        place = deploy(refresh_scope=refresh_scope)
        patient.confirm(patient.found(place))
        place.sandbox.delete("/control/requests")
        used_at = StoredTokenSet.objects.get().refresh_used_at
        assert used_at is not None
        return place, used_at

    return link


def beat(at: datetime) -> int:
    return running.pull(clock=lambda: at, call_for_help=lambda: None, seconds=5)


class TestOfflineAccess:
    @pytest.mark.conformance("C44")
    def test_is_used_within_thirty_idle_days_and_counts_from_there(self, linked):
        place, used_at = linked("offline_access")
        assert beat(used_at + 22 * DAY) == 0
        assert place.sent(to="/token") == []
        again_at = used_at + 30 * DAY
        assert beat(again_at) == 1
        (request,) = place.sent(to="/token")
        form = parse_qs(request["body"])
        assert form["grant_type"] == ["refresh_token"]
        assert len(form["refresh_token"]) == 1
        stored = StoredTokenSet.objects.get()
        assert (stored.refresh_used_at, stored.refresh_issued_at) == (again_at, used_at)
        assert stored.refresh_deadline_at == again_at + 92 * DAY
        assert beat(again_at + 22 * DAY) == 0

    @pytest.mark.conformance("C44")
    def test_ends_after_three_idle_months_without_a_question(self, linked):
        """As after a long outage of ours: the provider has revoked it, and says so to nobody."""
        place, used_at = linked("offline_access")
        beat(used_at + 93 * DAY)
        assert place.sent(to="/token") == []
        connection = Connection.objects.get()
        assert (connection.status, connection.reason) == ("needs_reauthorization", "idle_limit_over")

    @pytest.mark.conformance("C44")
    def test_is_asked_for_while_three_months_may_not_be_over(self, linked):
        """From the first of June to the first of September are 92 days: on the 91st the provider has ended nothing."""
        place, used_at = linked("offline_access")
        assert beat(used_at + 91 * DAY) == 1
        assert len(place.sent(to="/token")) == 1
        assert Connection.objects.get().status == "active"
        assert StoredTokenSet.objects.get().refresh_used_at == used_at + 91 * DAY


class TestOnlineAccess:
    def test_is_left_alone(self, linked):
        place, used_at = linked("online_access")
        assert [beat(used_at + days * DAY) for days in (1, 30, 89, 200)] == [0, 0, 0, 0]
        assert place.sent(to="/token") == []
