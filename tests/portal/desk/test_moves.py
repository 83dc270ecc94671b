"""A provider that moved, at the desk: both addresses, and a button for staff who have asked the provider."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, KnownOrigins
from tests.portal.desk.conftest import BACKEND, forget_password

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "https://harbor.example.org/r4/auth", "https://login.harbor.example.net/auth"


@pytest.fixture
def moved(make_endpoint: Callable[..., Endpoint], begin: Any) -> Endpoint:
    """A list leads it to another host than the one we are registered at."""
    endpoint: Endpoint = make_endpoint()
    begin(endpoint)
    before = endpoint.authorization_server
    after = AuthorizationServer.objects.create(
        source="configured", authorize_url=f"{NEW}/authorize", token_url=f"{NEW}/token", found_at=timezone.now()
    )
    endpoint.authorization_server, endpoint.moved_from = after, before
    endpoint.named_authorize_url, endpoint.named_token_url = after.authorize_url, after.token_url
    endpoint.save()
    return endpoint


@pytest.fixture
def link(alice: Any, moved: Endpoint) -> Connection:
    made: Connection = Connection.objects.create(
        user=alice,
        endpoint=moved,
        provider=moved.providers.get(),
        registration=ClientRegistration.objects.get(),
        status="active",
        fhir_patient_id="p-1",
        created_at=timezone.now(),
        confirmed_at=timezone.now(),
    )
    return made


def address(endpoint: Endpoint) -> str:
    return f"/desk/endpoints/{endpoint.pk}/move/"


def seen(**otherwise: str) -> dict[str, str]:
    """What the button sends."""
    return {"authorize_url": f"{NEW}/authorize", "token_url": f"{NEW}/token", **otherwise}


@pytest.mark.usefixtures("link")
class TestAMove:
    def test_is_shown_among_what_needs_somebody_with_the_new_address(self, staff: Client, moved: Endpoint) -> None:
        desk = staff.get("/desk/").content.decode()
        assert "It moved: look before its links end" in desk
        assert f'href="{address(moved)}"' in desk
        assert "gave permissions at harbor.example.org, now at login.harbor.example.net" in desk

    def test_shows_old_and_new_whole(self, staff: Client, moved: Endpoint) -> None:
        page = staff.get(address(moved)).content.decode()
        before, _, now = page.partition("<h2>Now</h2>")
        assert (f"{OLD}/authorize" in before) == (f"{OLD}/token" in before) == (f"{NEW}/token" in now) is True
        assert f">{NEW}/token" not in before
        assert ("<strong>harbor.example.org</strong>" in before, "(as before)" in page) == (True, False)
        assert now.count("<strong>login.harbor.example.net</strong>") == 2
        assert "1 link continues at the old address" in page
        assert "ask them, through a channel you already know" in page

    def test_is_approved_by_a_member_of_staff_who_is_written_down(
        self, staff: Client, stella: Any, moved: Endpoint
    ) -> None:
        page = staff.post(address(moved), seen(), follow=True).content.decode()
        assert "Approved. Links continue there" in page
        assert "Approved: since " in page
        event = AuditEvent.objects.get(facts__action="origins approved")
        assert (event.actor_kind, event.actor_id) == ("staff", stella.pk)
        assert event.facts["endpoint_id"] == str(moved.pk)
        assert "It moved" not in staff.get("/desk/").content.decode()

    def test_is_taken_back(self, staff: Client, moved: Endpoint) -> None:
        staff.post(address(moved), seen())
        page = staff.post(address(moved), {"withdraw": "1"}, follow=True).content.decode()
        assert "Taken back" in page
        assert "They told us so" in page
        assert KnownOrigins.objects.get().withdrawn_at is not None

    def test_says_that_links_wait_whose_tokens_were_issued_there(
        self, staff: Client, moved: Endpoint, link: Connection
    ) -> None:
        staff.post(address(moved), seen())
        StoredTokenSet.objects.create(
            connection=link,
            registration=link.registration,
            sealed_access_token=b"",
            token_origin="https://login.harbor.example.net:443",
        )
        assert "It waits" not in staff.get(address(moved)).content.decode()
        page = staff.post(address(moved), {"withdraw": "1"}, follow=True).content.decode()
        assert "1 link has a permission that was given at the new address while that was approved. It waits" in page
        assert "at the old address" not in page

    @pytest.mark.parametrize("leads", ["to a third", "back"])
    def test_is_taken_back_wherever_it_leads_since(self, staff: Client, moved: Endpoint, leads: str) -> None:
        staff.post(address(moved), seen())
        moved.refresh_from_db()
        third = {"named_authorize_url": f"{NEW}/authorize", "named_token_url": "https://third.example/token"}
        back = {"authorization_server": moved.moved_from, "moved_from": moved.authorization_server}
        Endpoint.objects.filter(pk=moved.pk).update(**(third if leads == "to a third" else back))
        page = staff.get(address(moved)).content.decode()
        assert ("They told us so" in page, "It leads back" in page) == (leads == "to a third", leads == "back")
        assert "Approved: since" not in page
        staff.post(address(moved), {"withdraw": "1"})
        assert KnownOrigins.objects.get().withdrawn_at is not None

    def test_has_no_address_before_where_it_was_first_linked_at_this_one(self, staff: Client, moved: Endpoint) -> None:
        staff.post(address(moved), seen())
        Endpoint.objects.filter(pk=moved.pk).update(moved_from=None)
        staff.post(address(moved), {"withdraw": "1"})
        page = staff.get(address(moved)).content.decode()
        assert "1 link waits with the permission it has." in page
        assert ("at the old address" in page, "<h2>Before" in page, "(as before)" in page) == (False, False, False)
        staff.post(address(moved), seen())
        assert "It moved" not in staff.get("/desk/").content.decode()

    def test_is_told_in_the_admin_with_what_was_taken_back(self, staff: Client, moved: Endpoint) -> None:
        assert f'href="{address(moved)}"' in staff.get(f"/admin/directory/endpoint/{moved.pk}/change/").content.decode()
        staff.post(address(moved), seen())
        staff.post(address(moved), {"withdraw": "1"})
        registration = ClientRegistration.objects.get()
        page = staff.get(f"/admin/directory/clientregistration/{registration.pk}/change/").content.decode()
        assert "https://login.harbor.example.net:443" in page
        assert "taken back" in page

    @pytest.mark.parametrize("otherwise", [{"token_url": "https://thief.example/token"}, {"authorize_url": ""}])
    def test_is_not_approved_where_something_else_was_looked_at(
        self, staff: Client, moved: Endpoint, otherwise: dict[str, str]
    ) -> None:
        page = staff.post(address(moved), seen(**otherwise), follow=True).content.decode()
        assert "it now leads to different addresses than those you saw" in page
        assert not KnownOrigins.objects.exists()

    def test_wants_the_password_again_where_it_is_old(self, staff: Client, moved: Endpoint) -> None:
        forget_password(staff)
        answer = staff.post(address(moved), seen())
        assert answer["Location"] == f"{address(moved)}?password=1"
        assert not KnownOrigins.objects.exists()

    def test_is_looked_at_by_whoever_may_view_and_approved_by_none_of_them(
        self, helper: Callable[..., Client], moved: Endpoint
    ) -> None:
        looking = helper("view")
        assert f"{NEW}/token" in looking.get(address(moved)).content.decode()
        assert looking.post(address(moved), seen()).status_code == 403
        assert not KnownOrigins.objects.exists()

    def test_is_none_of_a_patients_business(self, sam: Any, moved: Endpoint) -> None:
        patient = Client()
        patient.force_login(sam, backend=BACKEND)
        assert patient.get(address(moved)).status_code == 404
        assert patient.post(address(moved), seen()).status_code == 404
        assert Client().post(address(moved), seen()).status_code == 302
        assert not KnownOrigins.objects.exists()


class TestAMoveThatConcernsNobody:
    def test_is_no_news_and_has_no_button(self, staff: Client, moved: Endpoint) -> None:
        assert "It moved" not in staff.get("/desk/").content.decode()
        page = staff.get(address(moved)).content.decode()
        assert "Nobody is linked there" in page
        assert "<button" not in page.partition("<h1>")[2].partition("</form>")[0]
        staff.post(address(moved), seen())
        assert not KnownOrigins.objects.exists()

    def test_is_none_where_nothing_moved(self, staff: Client, make_endpoint: Callable[..., Endpoint]) -> None:
        assert staff.get(address(make_endpoint()))["Location"] == "/desk/"


class TestARegistrationWhoseEndpointsMoved:
    @pytest.mark.usefixtures("link")
    def test_keeps_its_name_and_is_found_by_its_provider(self, staff: Client, moved: Endpoint) -> None:
        staff.post(address(moved), seen())
        for page in ("/desk/", "/desk/?q=Harbor+Family", "/desk/?q=harbor.example.org%2Fr4%2Ffhir"):
            rows = staff.get(page).content.decode().partition('id="all"')[2]
            assert "Harbor Family Practice" in rows, page
            assert "R4" in rows, page
