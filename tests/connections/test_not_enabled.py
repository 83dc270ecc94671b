"""An organization has not turned us on, which servers say in several ways: pages say so, staff hear of it once, and it
ends by itself."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from apps.connections import alerting
from apps.connections.authorization_responses import error_outcomes
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.directory import discovering, linkability
from apps.directory.linkability import Obstacle
from apps.directory.models import Enablement, Endpoint
from apps.wire.dialects import Interface
from apps.wire.errors import (
    AuthorizationExpired,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    RequestRefused,
    Unavailable,
)
from tests.connections.deployments import WILLOW_CREEK

pytestmark = pytest.mark.django_db

SENTENCE = "Please enable the Holdfast app for patient access."


@pytest.fixture
def turn(sandbox):
    """Turns our application on or off at the organization."""

    def to(place, *, is_enabled: bool) -> None:
        sandbox.post(
            "/control/enablements",
            client_id=place.registration.client_id,
            tenant=place.endpoint.tenant,
            is_enabled=is_enabled,
        )

    return to


def times_told(caplog) -> int:
    return sum(record.levelname == "ERROR" for record in caplog.records)


class TestAnOrganizationThatHasNotTurnedUsOn:
    @pytest.mark.conformance("C53")
    @pytest.mark.parametrize("form", ["unauthorized-client", "forbidden-at-data"])
    def test_is_told_to_the_patient_and_to_staff_once(self, deploy, patient, turn, caplog, form):
        place = deploy(switches={"not_enabled": form})
        turn(place, is_enabled=False)
        for _attempt in range(3):
            page = patient.go_there(place)
            assert f"{WILLOW_CREEK} has not turned on this app yet" in page.html
            assert f'<p id="request">{SENTENCE}</p>' in page.html
            assert 'data-copy="request"' in page.html
        assert times_told(caplog) == 1
        assert set(AuthorizationRequest.objects.values_list("outcome", flat=True)) == {Outcome.NOT_ENABLED}
        assert not Connection.objects.exists()

    @pytest.mark.conformance("C53")
    @pytest.mark.parametrize("form", ["unauthorized-client", "forbidden-at-data"])
    def test_is_over_by_itself(self, deploy, patient, turn, caplog, form):
        place = deploy(switches={"not_enabled": form})
        turn(place, is_enabled=False)
        patient.go_there(place)
        turn(place, is_enabled=True)
        patient.found(place)
        assert Enablement.objects.get().is_enabled
        turn(place, is_enabled=False)
        patient.go_there(place)
        assert times_told(caplog) == 2

    @pytest.mark.conformance("C53")
    def test_that_shows_a_page_is_named_on_the_page_that_waits(self, deploy, patient, turn):
        place = deploy(switches={"not_enabled": "error-page"})
        turn(place, is_enabled=False)
        page = patient.go_there(place)
        assert f"Still waiting for {WILLOW_CREEK}" in page.html
        assert SENTENCE in page.html

    def test_gives_back_the_tokens_it_let_us_have(self, deploy, patient, turn):
        place = deploy(switches={"not_enabled": "forbidden-at-data"})
        turn(place, is_enabled=False)
        patient.go_there(place)
        assert [request["status"] for request in place.sent(to="/revoke")] == [200]


class TestAnOrganizationThatShowsNobodyItsAddresses:
    @pytest.fixture
    def place(self, deploy, sandbox):
        """A suspended tenant answers 403 to everything; its addresses are known from before, and due."""
        made = deploy()
        sandbox.post("/control/tenants", id=made.endpoint.tenant, is_suspended=True)
        a_quarter_passes(made.endpoint)
        yield made
        sandbox.post("/control/tenants", id=made.endpoint.tenant, is_suspended=False)

    @pytest.mark.conformance("C53")
    def test_is_told_to_the_patient_and_to_staff_once(self, place, patient, caplog):
        for _attempt in range(3):
            page = patient.post(place.before_you_go)
            assert page.status == 409
            assert f"{WILLOW_CREEK} has not turned on this app yet" in page.html
            a_quarter_passes(place.endpoint)
        assert times_told(caplog) == 1

    def test_is_asked_again_by_the_schedule_and_heals(self, place, patient, sandbox):
        patient.post(place.before_you_go)
        sandbox.post("/control/tenants", id=place.endpoint.tenant, is_suspended=False)
        assert linkability.obstacle(Endpoint.objects.get(pk=place.endpoint.pk), at=timezone.now()) is (
            Obstacle.NOT_ENABLED
        )
        a_quarter_passes(place.endpoint)
        discovering.discover_stale(at=timezone.now(), most=10)
        patient.found(place)


class TestAnAddressThatDoesNotWork:
    @pytest.mark.conformance("C22")
    @pytest.mark.parametrize("kind", ["redirect"])
    def test_is_asked_for_again_and_no_code_is_sent_twice(self, deploy, patient, sandbox, kind):
        place = deploy()
        sandbox.post("/control/faults", route="token", kind=kind)
        page = patient.go_there(place)
        assert f"We could not finish at {WILLOW_CREEK}" in page.html
        assert len(place.sent(to="/token")) == 1
        a_quarter_passes(place.endpoint, is_doubted=True)
        sandbox.delete("/control/requests")
        patient.found(place)
        documents = place.sent(to="/.well-known/smart-configuration", method="GET")
        assert len(documents) == 1

    @pytest.mark.conformance("C22")
    def test_that_moved_below_its_origin_is_followed_the_next_time(self, deploy, patient, sandbox):
        place = deploy(switches={"token_path": "older"})
        before = place.endpoint.authorization_server.token_url
        sandbox.post("/control/switches", token_path="hosts")
        page = patient.go_there(place)
        assert f"We could not finish at {WILLOW_CREEK}" in page.html
        a_quarter_passes(place.endpoint, is_doubted=True)
        patient.found(place)
        now = Endpoint.objects.get(pk=place.endpoint.pk).authorization_server
        assert now is not None
        assert now.token_url != before


class TestAnErrorOfTheTokenEndpoint:
    """Which ones cast doubt on its address, and what the patient is told on either interface."""

    @pytest.mark.conformance("C22")
    @pytest.mark.parametrize(
        ("error", "is_doubted", "outcome"),
        [
            (EndpointMisconfigured(code=Code.REDIRECTED, status=302), True, Outcome.ADDRESS_DOUBTED),
            (EndpointMisconfigured(status=404), True, Outcome.ADDRESS_DOUBTED),
            (RequestRefused(status=405), True, Outcome.ADDRESS_DOUBTED),
            (Unavailable(code=Code.UNREACHABLE), True, Outcome.PROVIDER_DOWN),
            (Unavailable(code=Code.TIMED_OUT), False, Outcome.PROVIDER_DOWN),
            (RequestRefused(status=415), False, Outcome.REQUEST_REFUSED),
            (AuthorizationExpired(code=Code.INVALID_GRANT, status=400), False, Outcome.CODE_REFUSED),
            (ClientRejected(code=Code.INVALID_CLIENT, status=401), False, Outcome.REGISTRATION_BROKEN),
        ],
    )
    def test_casts_doubt_where_it_is_that_of_a_wrong_address(self, error, is_doubted, outcome):
        assert alerting.doubts_address(error) is is_doubted
        assert error_outcomes.of_exchange(error, Interface.SMART) is outcome

    def test_is_ours_to_mend_where_the_address_was_configured(self):
        error = EndpointMisconfigured(status=404)
        assert error_outcomes.of_exchange(error, Interface.PATIENT_ACCESS) is Outcome.REGISTRATION_BROKEN


def a_quarter_passes(endpoint: Endpoint, *, is_doubted: bool = False) -> None:
    """Discovery may be asked again, and is due."""
    rows = Endpoint.objects.filter(pk=endpoint.pk)
    if is_doubted:
        assert rows.get().discovered_at is None
    rows.update(discovery_tried_at=F("discovery_tried_at") - timedelta(minutes=15), discovered_at=None)
