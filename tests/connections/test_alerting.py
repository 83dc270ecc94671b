"""After one refusal, nobody uses that registration or organization for a while; one successful attempt ends that."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, Model
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.directory.models import ClientRegistration, Enablement, Endpoint
from tests.connections.provider_stand_in import CODE, tokens
from tests.connections.test_failing import refused
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

STAFF = "Staff must look into client registration"


def later(model: type[Model], column: str) -> None:
    """A quarter of an hour passes since it was last seen."""
    rows: Any = model._default_manager
    rows.update(**{column: F(column) - timedelta(minutes=15)})


def try_it(traveller, place) -> None:
    """One patient leaves and comes back with a code."""
    departed = traveller.leave(place)
    traveller.come_back(place, code=CODE, state=departed.state)


class TestAClientThatIsRefused:
    @pytest.fixture(autouse=True)
    def _refused(self, traveller, place, stand_in):
        stand_in.token = refused("invalid_client", 401)
        try_it(traveller, place)

    def test_is_not_used_for_a_while_and_then_tried_by_somebody(self, traveller, place):
        assert traveller.client.get(place.before_you_go).status_code == 409
        later(ClientRegistration, "trouble_seen_at")
        assert traveller.client.get(place.before_you_go).status_code == 200
        try_it(traveller, place)
        assert traveller.client.get(place.before_you_go).status_code == 409

    def test_throws_no_code_away_of_somebody_who_had_left_before(self, traveller, place, stand_in):
        later(ClientRegistration, "trouble_seen_at")
        departed = traveller.leave(place)
        ClientRegistration.objects.update(trouble_seen_at=timezone.now())
        stand_in.token = tokens()
        traveller.come_back(place, code=CODE, state=departed.state)
        assert Connection.objects.get().status == "awaiting_confirmation"
        assert ClientRegistration.objects.get().trouble == ""

    def test_stays_switched_off_in_its_trouble(self, traveller, place, stand_in):
        """What was seen meanwhile hides nothing that staff decided meanwhile."""
        later(ClientRegistration, "trouble_seen_at")
        departed = traveller.leave(place)
        ClientRegistration.objects.update(trouble_seen_at=timezone.now(), is_switched_on=False)
        stand_in.server.requests.clear()
        traveller.come_back(place, code=CODE, state=departed.state)
        assert stand_in.server.requests == []
        assert AuthorizationRequest.objects.latest("created_at").outcome == Outcome.SWITCHED_OFF

    def test_is_as_good_as_new_after_one_exchange(self, traveller, place, stand_in):
        later(ClientRegistration, "trouble_seen_at")
        stand_in.token = tokens()
        try_it(traveller, place)
        assert ClientRegistration.objects.get().trouble == ""


class TestAnOrganizationThatHasNotEnabledUs:
    @pytest.mark.conformance("C53")
    def test_is_named_to_the_next_patient_and_to_staff_once(self, traveller, place, stand_in, caplog):
        stand_in.token = refused("unauthorized_client")
        try_it(traveller, place)
        page = traveller.client.get(place.before_you_go)
        assert page.status_code == 409
        assert "has not turned on this app yet" in page.content.decode()
        later(Enablement, "refused_at")
        try_it(traveller, place)
        assert caplog.text.count(STAFF) == 1

    @pytest.mark.conformance("C53")
    def test_heals_with_the_first_exchange(self, traveller, place, stand_in):
        stand_in.token = refused("unauthorized_client")
        try_it(traveller, place)
        later(Enablement, "refused_at")
        stand_in.token = tokens()
        try_it(traveller, place)
        assert Enablement.objects.get().is_enabled
        assert traveller.client.get(place.before_you_go).status_code == 200

    @pytest.mark.conformance("C53")
    def test_throws_no_code_away_of_somebody_who_had_left_before(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        stand_in.token = refused("unauthorized_client")
        try_it(traveller, place)
        Endpoint.objects.update(discovery_fault="unauthorized_client")
        stand_in.token = tokens()
        traveller.come_back(place, code=CODE, state=departed.state)
        assert Connection.objects.get().status == "awaiting_confirmation"
        assert Enablement.objects.get().is_enabled

    def test_is_not_asked_where_it_was_switched_off_meanwhile(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        Endpoint.objects.update(discovery_fault="unauthorized_client")
        ClientRegistration.objects.update(is_switched_on=False)
        traveller.come_back(place, code=CODE, state=departed.state)
        assert stand_in.server.requests == []
        assert AuthorizationRequest.objects.get().outcome == Outcome.SWITCHED_OFF

    def test_keeps_nobody_away_where_it_may_be_about_one_code(self, traveller, place, stand_in, caplog):
        stand_in.token = http(403)
        for _ in range(2):
            try_it(traveller, place)
        assert traveller.client.get(place.before_you_go).status_code == 200
        assert caplog.text.count(STAFF) == 1


class TestTokensThatAreRenewed:
    @pytest.fixture
    def renew(self, traveller, place, stand_in):
        """Refreshes the tokens of somebody who linked before."""
        linked = traveller.link(place)
        connection = confirming.confirm(linked, candidate=0, at=linked.created_at).connection

        def now() -> None:
            stand_in.token = tokens(access_token="fresh")
            connection.refresh_from_db()
            assert refreshing.usable_token(connection, at=linked.created_at + timedelta(days=1)).reveal() == "fresh"

        return now

    @pytest.mark.conformance("C53")
    def test_leave_an_organization_refused_that_refuses_at_its_data(self, traveller, place, stand_in, renew, caplog):
        smart = {"interface": "smart", "dialect": "smart", "discovered_at": timezone.now()}
        Endpoint.objects.update(**smart, discovery_tried_at=timezone.now() + timedelta(days=1))
        ClientRegistration.objects.update(authentication="none")
        stand_in.patient = http(403)
        try_it(traveller, place)
        renew()
        assert not Enablement.objects.get().is_enabled
        try_it(traveller, place)
        assert caplog.text.count(STAFF) == 1

    def test_mend_what_was_refused_where_they_are_given(self, traveller, place, stand_in, renew):
        stand_in.token = refused("unauthorized_client")
        try_it(traveller, place)
        renew()
        assert Enablement.objects.get().is_enabled


class TestATokenEndpointThatIsNotThere:
    @pytest.mark.conformance("C22")
    @pytest.mark.parametrize("answer", [http(404), http(302, Location="https://elsewhere.example/")], ids=[404, 302])
    def test_is_asked_for_again_before_the_next_one_leaves(self, traveller, place, stand_in, answer):
        now = timezone.now()
        smart = {"interface": "smart", "dialect": "smart", "discovered_at": now, "discovery_tried_at": now}
        Endpoint.objects.update(**smart)
        ClientRegistration.objects.update(authentication="none")
        stand_in.token = answer
        try_it(traveller, place)
        assert Endpoint.objects.get().discovered_at is None
        later(Endpoint, "discovery_tried_at")
        traveller.leave(place)
        endpoint = Endpoint.objects.get()
        assert endpoint.discovery_tried_at is not None
        assert endpoint.discovery_tried_at >= now
        assert endpoint.discovery_fault == "no_smart_configuration"
        assert endpoint.authorization_server is not None

    def test_is_asked_for_again_before_tokens_are_refreshed(self, traveller, place, stand_in):
        linked = traveller.link(place)
        connection = confirming.confirm(linked, candidate=0, at=linked.created_at).connection
        Endpoint.objects.update(interface="smart", dialect="smart", discovered_at=linked.created_at)
        ClientRegistration.objects.update(authentication="none")
        connection = Connection.objects.get(pk=connection.pk)
        at = linked.created_at + timedelta(days=1)
        stand_in.token = tokens(access_token="fresh")
        assert refreshing.usable_token(connection, at=at).reveal() == "fresh"
        assert Endpoint.objects.get().discovery_tried_at == at
