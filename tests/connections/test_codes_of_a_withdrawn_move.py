"""A browser leaves for addresses that staff approved, and comes back with a code when they have withdrawn that."""

import pytest
from django.utils import timezone

from apps.connections import moving
from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.directory.models import AuthorizationServer, Endpoint
from tests.connections.moves import STAFF, approve
from tests.connections.provider_stand_in import CODE

pytestmark = pytest.mark.django_db


def asked_at(stand_in) -> list[str]:
    """Under which names the token address was asked."""
    return [request.headers["host"].partition(":")[0] for request in stand_in.token_requests]


class TestACodeIssuedWhereAnApprovalIsTakenBack:
    @pytest.fixture
    def departed(self, traveller, connection, place, stand_in):
        before = place.endpoint.authorization_server
        after = AuthorizationServer.objects.create(
            source="configured", authorize_url=stand_in.server.url("/auth/authorize", host="localhost"),
            token_url=stand_in.server.url("/auth/token", host="localhost"), found_at=timezone.now(), is_sandbox=True,
        )  # fmt: skip
        named = {"named_authorize_url": after.authorize_url, "named_token_url": after.token_url}
        Endpoint.objects.update(authorization_server=after, moved_from=before, **named)
        approve(place)
        left = traveller.leave(place)
        assert left.url.startswith(after.authorize_url)
        stand_in.server.requests.clear()
        return left

    def led_back(self, place):
        """The list names the old addresses again."""
        server = place.registration.authorization_server
        moving.withdraw(Endpoint.objects.get(), actor=STAFF, at=timezone.now())
        Endpoint.objects.update(
            authorization_server=server, moved_from=None, named_authorize_url="", named_token_url=""
        )

    def test_is_sent_to_nobody_else(self, traveller, place, departed, stand_in):
        self.led_back(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        assert asked_at(stand_in) == []
        assert AuthorizationRequest.objects.latest("created_at").outcome == Outcome.REGISTRATION_BROKEN

    def test_does_not_keep_a_sign_in_away_that_began_later(self, traveller, place, departed, stand_in):
        self.led_back(place)
        later = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=later.state)
        assert asked_at(stand_in) == ["127.0.0.1"]

    def test_is_used_where_the_approval_stands(self, traveller, place, departed, stand_in):
        traveller.come_back(place, code=CODE, state=departed.state)
        assert asked_at(stand_in) == ["localhost"]

    def test_is_used_there_where_it_was_given_again(self, traveller, place, departed, stand_in):
        moving.withdraw(Endpoint.objects.get(), actor=STAFF, at=timezone.now())
        approve(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        assert asked_at(stand_in) == ["localhost"]
