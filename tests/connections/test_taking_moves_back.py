"""An approval that is withdrawn: nothing more is sent there, and links return to where they were, or wait."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections import moving, revoking
from apps.connections.ending import disconnecting
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.connections.presenting import states
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
        assert refresh(link) is Outcome.REFRESHED
        place.endpoint.refresh_from_db()
        moving.withdraw(place.endpoint, actor=STAFF, at=timezone.now())
        assert refresh(link) is Outcome.REFRESHED
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
        assert refresh(link) is Outcome.REFRESHED
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


class TestTokensIssuedWhereAnApprovalIsTakenBack:
    """What one host issued is sent to no other organization's: the old address may belong to somebody else by now."""

    @pytest.fixture
    def renewed(self, place, link):
        """The new address handed out a refresh token of its own. Then the approval was withdrawn."""
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        place.sandbox.post("/control/switches", rotation="on")
        look_again(place.endpoint)
        approve(place)
        assert refresh(link) is Outcome.REFRESHED
        moving.withdraw(Endpoint.objects.get(pk=place.endpoint.pk), actor=STAFF, at=timezone.now())
        place.sandbox.delete("/control/requests")
        return link

    def test_wait_until_it_is_given_again(self, place, renewed):
        assert refresh(renewed) is Outcome.OPERATOR
        assert asked_at(place) == []
        renewed.refresh_from_db()
        assert renewed.status == Connection.Status.ACTIVE
        look_again(place.endpoint)
        move = moving.look(place.endpoint)
        assert move is not None
        assert (move.awaits, move.links, move.waiting, move.going_on) == (True, 1, 1, 0)
        approve(place)
        move = moving.look(Endpoint.objects.get(pk=place.endpoint.pk))
        assert move is not None
        assert move.waiting == 0
        assert refresh(renewed) is Outcome.REFRESHED
        assert asked_at(place) == [("localhost", 200)]

    def test_are_over_once_the_endpoint_leads_back(self, place, renewed):
        """Nobody can approve it any more, and what the old address would answer is known."""
        place.sandbox.post("/control/scenarios", name="usual")
        look_again(place.endpoint)
        assert not moving.look(place.endpoint)
        StoredTokenSet.objects.update(refresh_used_at=timezone.now() - timedelta(days=2))
        refresh(renewed)
        assert asked_at(place) == []
        stored = StoredTokenSet.objects.get()
        renewed.refresh_from_db()
        assert (stored.refused_at, stored.refresh_due_at) == (None, None)
        assert (renewed.status, renewed.reason) == ("needs_reauthorization", "address_dropped")
        assert not AuditEvent.objects.filter(event=EventType.TOKENS_REFUSED).exists()
        said = states.of(renewed, at=timezone.now())
        assert (said.word, said.needs_you) == ("Sign in to get updates", True)
        assert "gave the permission at an address that we do not use any more" in said.sentence
        assert "ask" not in said.sentence.partition("stopped asking")[2]

    def test_are_revoked_nowhere_else(self, place, renewed):
        assert disconnecting.end(renewed, at=timezone.now()) is False
        assert not PendingRevocation.objects.exists()
        assert place.sent(to="/revoke") == []

    def test_are_revoked_nowhere_else_where_that_was_still_to_be_done(self, place, link):
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        place.sandbox.post("/control/switches", rotation="on")
        look_again(place.endpoint)
        approve(place)
        assert refresh(link) is Outcome.REFRESHED
        assert disconnecting.end(link, at=timezone.now()) is True
        moving.withdraw(Endpoint.objects.get(pk=place.endpoint.pk), actor=STAFF, at=timezone.now())
        place.sandbox.delete("/control/requests")
        assert revoking.tell_providers(at=timezone.now()) == 0
        assert [request["path"] for request in place.sent(to="/")] == []

    def test_of_a_sign_in_there_wait_as_well(self, place, patient):
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        first = patient.found(place)
        patient.confirm(first)
        look_again(place.endpoint)
        approve(place)
        patient.confirm(patient.found(place))
        assert StoredTokenSet.objects.get().token_origin.startswith("http://localhost:")
        moving.withdraw(Endpoint.objects.get(pk=place.endpoint.pk), actor=STAFF, at=timezone.now())
        place.sandbox.delete("/control/requests")
        assert refresh(first) is Outcome.OPERATOR
        assert asked_at(place) == []

    def test_that_nobody_noted_are_sent_on_as_before(self, place, renewed):
        """By the previous release, which runs on during a deploy."""
        StoredTokenSet.objects.update(token_origin="")
        refresh(renewed)
        assert [host for host, _status in asked_at(place)] == ["127.0.0.1"]
