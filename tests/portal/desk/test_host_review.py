"""Endpoints that a list put beside a sign-in that patients use are off until staff have looked at them at the desk."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from tests.portal.desk.conftest import BACKEND, forget_password

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def registration(make_endpoint: Callable[..., Endpoint], begin: Any, take: Any) -> ClientRegistration:
    """Ours, at the sign-in of an honest provider, which patients can use."""
    made: ClientRegistration = begin(make_endpoint())
    take(made, "switch-on")
    return made


@pytest.fixture
def rogue(make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    """A list put it in under the honest provider's name, without a sign-in."""
    made: Endpoint = make_endpoint(host="thief.example.net", has_server=False)
    return made


@pytest.fixture
def name_theirs(staff: Client, registration: ClientRegistration) -> Callable[[Endpoint], Any]:
    """Staff enter the addresses of the honest sign-in."""
    server = registration.authorization_server

    def name(endpoint: Endpoint) -> Any:
        address = f"/desk/start/{endpoint.pk}/addresses/"
        answer = staff.post(address, {"authorize_url": server.authorize_url, "token_url": server.token_url})
        endpoint.refresh_from_db()
        return answer

    return name


class TestAStranger:
    def test_is_off_though_staff_enter_the_addresses_of_a_registration(
        self, staff: Client, rogue: Endpoint, name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        answer = name_theirs(rogue)
        assert (rogue.is_switched_on, rogue.is_stranger) == (False, True)
        assert answer["Location"] == f"/desk/endpoints/{rogue.pk}/look/"
        assert staff.get(f"/desk/start/{rogue.pk}/")["Location"] == f"/desk/endpoints/{rogue.pk}/look/"

    def test_is_not_what_has_the_host_of_another_endpoint(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        site = make_endpoint(path="/site", has_server=False)
        name_theirs(site)
        assert (site.is_switched_on, site.is_stranger) == (True, False)
        page = staff.get(f"/desk/start/{site.pk}/").content.decode()
        assert "that registration serves it" in page
        assert "No patient can use it" not in page

    def test_needs_staff_and_shows_both_hosts_before_it_is_on(
        self, staff: Client, rogue: Endpoint, name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        name_theirs(rogue)
        desk = staff.get("/desk/").content.decode()
        assert "A host to look at before patients go there" in desk
        assert f'href="/desk/endpoints/{rogue.pk}/look/"' in desk
        for page in (desk, staff.get(f"/desk/endpoints/{rogue.pk}/look/").content.decode()):
            assert "thief.example.net" in page
            assert "harbor.example.org" in page
        answer = staff.post(
            f"/desk/endpoints/{rogue.pk}/look/", {"server": str(rogue.authorization_server_id)}, follow=True
        )
        rogue.refresh_from_db()
        assert (rogue.is_switched_on, rogue.is_stranger) == (True, False)
        page = answer.content.decode()
        assert "records at thief.example.net, signing in at harbor.example.org" in page
        assert "A host to look at" not in page

    def test_names_no_registration_before_it_is_on(
        self, staff: Client, rogue: Endpoint, name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        name_theirs(rogue)
        thieves = {"directory": "theirs", "directory_id": "1", "name": "AAA Thieves", "imported_at": timezone.now()}
        rogue.providers.set([Provider.objects.create(**thieves)])
        ours = ClientRegistration.objects.get()
        assert "AAA Thieves" not in staff.get("/desk/").content.decode().partition('id="all"')[2]
        title = staff.get(f"/desk/registrations/{ours.pk}/").content.decode()
        assert "AAA Thieves" not in title.partition("<h1>")[2].partition("</h1>")[0]

    def test_stays_off_where_another_sign_in_came_or_the_password_is_old(
        self, staff: Client, rogue: Endpoint, name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        name_theirs(rogue)
        address = f"/desk/endpoints/{rogue.pk}/look/"
        assert "Look again" in staff.post(address, {"server": "another"}, follow=True).content.decode()
        forget_password(staff)
        staff.post(address, {"server": str(rogue.authorization_server_id)})
        rogue.refresh_from_db()
        assert not rogue.is_switched_on

    def test_is_none_of_a_patients_business(
        self, sam: Any, rogue: Endpoint, name_theirs: Callable[[Endpoint], Any]
    ) -> None:
        name_theirs(rogue)
        address = f"/desk/endpoints/{rogue.pk}/look/"
        patient = Client()
        patient.force_login(sam, backend=BACKEND)
        assert patient.post(address, {"server": str(rogue.authorization_server_id)}).status_code == 404
        assert Client().get(address).status_code == 302
        rogue.refresh_from_db()
        assert not rogue.is_switched_on

    def test_is_off_when_a_registration_beside_it_is_to_serve_it(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        ours = begin(make_endpoint("smart", path="/one"))
        beside = make_endpoint("smart", path="/two", name="Second Practice")
        Endpoint.objects.filter(pk=beside.pk).update(fhir_base_url="https://thief.example.net/r4/fhir")
        answer = staff.post(f"/desk/start/{beside.pk}/", {"registration": str(ours.pk)})
        beside.refresh_from_db()
        assert answer["Location"] == f"/desk/endpoints/{beside.pk}/look/"
        assert (beside.is_switched_on, beside.is_stranger) == (False, True)
        staff.post(f"/desk/endpoints/{beside.pk}/look/", {"server": str(beside.authorization_server_id)})
        staff.post(f"/desk/start/{beside.pk}/", {"registration": str(ours.pk)})
        beside.refresh_from_db()
        assert beside.is_switched_on


class TestARegistrationBeside:
    @pytest.mark.parametrize("status", ["retired", "rejected"])
    def test_serves_only_while_it_stands(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, status: str
    ) -> None:
        ours = begin(make_endpoint("smart", path="/one"))
        beside = make_endpoint("smart", path="/two", name="Second Practice")
        ClientRegistration.objects.update(status=status)
        answer = staff.post(f"/desk/start/{beside.pk}/", {"registration": str(ours.pk)}, follow=True)
        assert "it cannot be used" in answer.content.decode()
        assert not beside.enablements.exists()

    def test_serves_nobody_real_where_it_is_the_sandbox_s(
        self, staff: Client, make_endpoint: Callable[..., Endpoint]
    ) -> None:
        beside = make_endpoint("smart", path="/two")
        base = "https://harbor.example.org/one/auth"
        practice = AuthorizationServer.objects.create(
            authorize_url=f"{base}/authorize", token_url=f"{base}/token", source="discovered", found_at=timezone.now(),
            is_sandbox=True,
        )  # fmt: skip
        ours = ClientRegistration.objects.create(
            authorization_server=practice, label="ours", authentication="none", is_sandbox=True
        )
        answer = staff.post(f"/desk/start/{beside.pk}/", {"registration": str(ours.pk)}, follow=True)
        assert "it cannot be used" in answer.content.decode()
        assert not beside.enablements.exists()

    def test_serves_no_endpoint_of_another_interface(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        ours = begin(make_endpoint("smart", path="/one"))
        beside = make_endpoint(path="/two", name="Second Practice")
        answer = staff.post(f"/desk/start/{beside.pk}/", {"registration": str(ours.pk)}, follow=True)
        assert "it cannot be used" in answer.content.decode()
        assert not beside.enablements.exists()
