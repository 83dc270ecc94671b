"""Every refresh that reached a provider is counted once, by its result; one that was never sent is not counted."""

from datetime import timedelta

import pytest

from apps.connections import refreshing, tallying
from apps.connections.callback import confirming
from apps.connections.models import StoredTokenSet
from apps.connections.tallying import Outcome
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)

ANSWERS = {
    "succeeded": tokens(),
    "waited": http(503, {}),
    "refused": http(400, {"error": "invalid_grant"}),
    "operator": http(401, {"error": "invalid_client"}),
    "ours": http(400, {"error": "invalid_request"}),
}


@pytest.fixture
def link(traveller, place):
    found = traveller.link(place)
    return confirming.confirm(found, candidate=0, at=found.created_at).connection


def refresh(link, *, hours=1):
    try:
        refreshing.usable_token(link, at=link.created_at + hours * HOUR)
    except Exception as error:  # noqa: BLE001 - how it ended is what is counted
        return error
    return None


class TestARefresh:
    @pytest.mark.parametrize("outcome", ANSWERS)
    def test_is_counted_as_it_ended(self, outcome, link, stand_in):
        stand_in.token = ANSWERS[outcome]
        refresh(link)
        assert tallying.totals() == {(link.registration_id, Outcome(outcome)): 1}

    def test_that_was_not_needed_is_not_counted(self, link):
        assert refresh(link, hours=0) is None
        assert tallying.totals() == {}

    def test_that_nobody_was_asked_for_is_not_counted(self, link, stand_in):
        asked = len(stand_in.token_requests)
        StoredTokenSet.objects.update(refresh_deadline_at=link.created_at)
        assert isinstance(refresh(link), refreshing.NeedsReauthorization)
        assert (len(stand_in.token_requests), tallying.totals()) == (asked, {})
