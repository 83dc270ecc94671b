"""A list leads an endpoint of the patient access API to another origin: its links stay, and staff are asked."""

from typing import Any

import pytest

from apps.audit.recording import Actor
from apps.directory import moving, reaching, registering
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.directory.moving import Addresses
from apps.wire.errors import EndpointMisconfigured
from tests.directory.conftest import AT
from tests.directory.importing.lists import ROW, endpoint, import_rows, row

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("tests")
NEW = "https://token.harbor.example/r4"
BEFORE: dict[str, Any] = ROW["endpoints"][0]["authorization_server"]


def lead(**members: str) -> Endpoint:
    """The list is published anew with these addresses."""
    server = {name: value for name, value in (BEFORE | members).items() if name != "revocation_url"}
    import_rows(row(endpoints=[endpoint(authorization_server=server)]))
    return Endpoint.objects.select_related("authorization_server", "moved_from").get()


def approve(registration: ClientRegistration, here: Endpoint) -> None:
    """As staff do."""
    there = moving.named(here)
    assert there is not None
    moving.know(registration, here, there, actor=ACTOR, at=AT)
    moving.come([registration], Endpoint.objects.all(), at=AT)
    here.refresh_from_db()


@pytest.fixture
def registration() -> ClientRegistration:
    import_rows(ROW)
    server = AuthorizationServer.objects.get()
    return ClientRegistration.objects.create(authorization_server=server, label="ours", authentication="query")


class TestAnEndpointThatAListLeadsElsewhere:
    def test_waits_for_staff_and_its_links_stay(self, registration):
        here = lead(token_url="https://token.harbor.example/r4/token")
        assert moving.awaits(here)
        assert moving.before(here) == Addresses(BEFORE["authorize_url"], BEFORE["token_url"])
        assert moving.named(here) == Addresses(BEFORE["authorize_url"], "https://token.harbor.example/r4/token")
        assert reaching.authorization_server(here, registration) == registration.authorization_server

    def test_is_asked_about_once_more_with_what_the_next_list_says(self, registration):
        lead(token_url="https://token.harbor.example/r4/token")
        here = lead(token_url="https://other.harbor.example/r4/token")
        assert here.named_token_url == "https://other.harbor.example/r4/token"
        assert here.moved_from == registration.authorization_server

    @pytest.mark.parametrize("path", ["/r4/token", "/elsewhere/token"])
    def test_waits_no_more_once_it_is_back_at_its_origins(self, registration, path):
        lead(token_url="https://token.harbor.example/r4/token")
        origin = "/".join(BEFORE["token_url"].split("/")[:3])
        here = lead(token_url=BEFORE["token_url"] if path == "/r4/token" else f"{origin}{path}")
        assert not moving.awaits(here)
        assert here.moved_from is None

    @pytest.mark.usefixtures("registration")
    def test_does_not_wait_for_another_path_of_the_same_origins(self):
        origin = "/".join(BEFORE["token_url"].split("/")[:3])
        assert not moving.awaits(lead(token_url=f"{origin}/elsewhere/token"))

    def test_concerns_nobody_where_we_are_not_registered(self):
        import_rows(ROW)
        assert not moving.awaits(lead(token_url="https://token.harbor.example/r4/token"))

    @pytest.mark.parametrize("status", ["retired", "rejected"])
    def test_waits_too_where_its_links_are_of_a_registration_that_is_over(self, registration, status):
        """They are renewed as long as their provider renews them, and the address before may stop."""
        ClientRegistration.objects.update(status=status)
        here = lead(token_url="https://token.harbor.example/r4/token")
        assert moving.awaits(here)
        assert here.moved_from == registration.authorization_server

    def test_is_served_there_by_the_registration_once_that_is_approved(self, registration):
        here = lead(token_url="https://token.harbor.example/r4/token")
        approve(registration, here)
        assert not moving.awaits(here)
        assert registering.standing_at(here) == registration
        assert reaching.authorization_server(here, registration) == here.authorization_server

    def test_comes_there_by_itself_once_that_is_approved_for_its_registration(self, registration):
        """A gateway that moves its practices one after the other."""
        second = {"id": "2", "name": "Cove"}
        cove_url = "https://fhir.harbor.example/cove/r4"
        import_rows(ROW, row(**second, endpoints=[endpoint(fhir_base_url=cove_url)]))
        here = Endpoint.objects.exclude(fhir_base_url=cove_url).get()
        led = {"authorization_server": {"authorize_url": BEFORE["authorize_url"], "token_url": f"{NEW}/token"}}
        import_rows(row(endpoints=[endpoint(**led)]), row(**second, endpoints=[endpoint(fhir_base_url=cove_url)]))
        moving.know(registration, here, Addresses(BEFORE["authorize_url"], f"{NEW}/token"), actor=ACTOR, at=AT)
        moving.come([registration], Endpoint.objects.filter(pk=here.pk), at=AT)
        import_rows(
            row(endpoints=[endpoint(**led)]), row(**second, endpoints=[endpoint(fhir_base_url=cove_url, **led)])
        )
        cove = Endpoint.objects.get(fhir_base_url=cove_url, authorization_server__token_url=f"{NEW}/token")
        assert not moving.awaits(cove)
        assert cove.moved_from == registration.authorization_server
        assert registering.standing_at(cove) == registration

    def test_is_held_once_that_is_taken_back_where_it_was_never_elsewhere(self, registration):
        here = lead(token_url="https://token.harbor.example/r4/token")
        approve(registration, here)
        Endpoint.objects.update(moved_from=None)
        moving.forget(moving.approvals(here), here, actor=ACTOR, at=AT)
        here = lead(token_url="https://token.harbor.example/r4/token")
        assert (moving.awaits(here), moving.is_held(here)) == (True, True)
        with pytest.raises(EndpointMisconfigured):
            reaching.token_endpoint(here, registration)

    def test_is_served_there_no_more_once_that_is_taken_back(self, registration):
        here = lead(token_url="https://token.harbor.example/r4/token")
        approve(registration, here)
        moving.forget(moving.approvals(here), here, actor=ACTOR, at=AT)
        here = Endpoint.objects.get()
        assert moving.awaits(here)
        assert registering.standing_at(here) is None
        assert reaching.authorization_server(here, registration) == registration.authorization_server
