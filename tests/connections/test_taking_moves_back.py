"""An approval that is withdrawn: nothing more is sent there, and links return to where they were, or wait."""

import pytest
from django.utils import timezone

from apps.connections import moving
from apps.connections.models import Connection
from apps.connections.refreshing.results import Outcome
from apps.directory import reaching
from apps.directory.models import Endpoint, KnownOrigins
from tests.connections.moves import STAFF, approve, asked_at, link, look_again, place, refresh

__all__ = ["link", "place"]  # fixtures

pytestmark = pytest.mark.django_db


class TestAnApprovalThatIsTakenBack:
    def test_leads_links_back(self, place, link):
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        approve(place)
        assert refresh(link) is Outcome.RENEWED
        place.endpoint.refresh_from_db()
        moving.withdraw(place.endpoint, actor=STAFF, at=timezone.now())
        assert refresh(link) is Outcome.RENEWED
        assert asked_at(place) == [("localhost", 200), ("127.0.0.1", 200)]
        with pytest.raises(moving.NothingMoved):
            moving.withdraw(place.endpoint, actor=STAFF, at=timezone.now())

    def test_holds_links_that_were_first_made_there_until_it_is_given_again(self, place, link):
        """Their tokens are of there: where our registration was made they belong to nobody."""
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        approve(place)
        place.endpoint.refresh_from_db()
        Endpoint.objects.update(moved_from=None)  # as of one that has never been elsewhere
        served = Endpoint.objects.get(pk=place.endpoint.pk)
        moving.withdraw(served, actor=STAFF, at=timezone.now())
        place.sandbox.delete("/control/requests")
        look_again(place.endpoint)
        assert refresh(link) is Outcome.OPERATOR
        assert asked_at(place) == []
        link.refresh_from_db()
        assert link.status == Connection.Status.ACTIVE
        assert [move.endpoint for move in moving.waiting()] == [place.endpoint]
        approve(place)
        assert list(moving.waiting()) == []
        assert refresh(link) is Outcome.RENEWED
        assert asked_at(place) == [("localhost", 200)]

    @pytest.mark.parametrize("leads", ["to a third", "back"])
    def test_may_be_so_wherever_the_document_leads_since(self, place, link, attacker, leads):
        """Whoever writes it could keep what was approved by mistake otherwise."""
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        approve(place)
        place.sandbox.post("/control/scenarios", name="usual")
        if leads == "to a third":
            place.sandbox.post("/control/rogue-root", token_origin=attacker.origin)
        look_again(place.endpoint)
        move = moving.look(place.endpoint)
        assert move is not None
        assert (move.awaits, move.approved_at, move.may_withdraw) == (leads == "to a third", None, True)
        moving.withdraw(place.endpoint, actor=STAFF, at=timezone.now())
        assert KnownOrigins.objects.filter(withdrawn_at=None).count() == 0
        there = reaching.authorization_server(Endpoint.objects.get(pk=place.endpoint.pk), place.registration)
        assert there.pk == place.registration.authorization_server_id
        place.sandbox.delete("/control/rogue-root")
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        assert [move.endpoint for move in moving.waiting()] == [place.endpoint]
