"""The first pages of the desk, and who may see them."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.connections.models import Trial
from apps.directory.desk import attention
from apps.directory.desk.attention import Need
from apps.directory.models import ClientRegistration, Enablement, Endpoint, Provider, Wish
from apps.portal.desk import starting
from tests.portal.desk.conftest import BACKEND

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def addresses(make_endpoint: Callable[..., Endpoint], begin: Any, stella: Any) -> list[tuple[str, str]]:
    """Every address of the desk, with the method that it takes."""
    endpoint = make_endpoint()
    registration = begin(endpoint)
    trial = Trial.objects.create(
        staff_id=stella.pk,
        registration=registration,
        endpoint=endpoint,
        provider=endpoint.providers.get(),
        began_at=timezone.now(),
    )
    return [
        ("get", "/desk/"),
        ("get", "/desk/start/"),
        ("get", f"/desk/start/{endpoint.pk}/"),
        ("post", f"/desk/start/{endpoint.pk}/"),
        ("get", f"/desk/start/{endpoint.pk}/addresses/"),
        ("get", f"/desk/registrations/{registration.pk}/"),
        ("post", f"/desk/registrations/{registration.pk}/switch-on/"),
        ("post", f"/desk/registrations/{registration.pk}/account/"),
        ("get", f"/desk/registrations/{registration.pk}/try/out/"),
        ("post", f"/desk/registrations/{registration.pk}/try/out/"),
        ("get", f"/desk/trials/{trial.pk}/"),
        ("post", f"/desk/trials/{trial.pk}/sign-in/"),
    ]


class TestTheDesk:
    def test_is_not_there_for_a_patient(self, addresses: list[tuple[str, str]], sam: Any) -> None:
        client = Client()
        client.force_login(sam, backend=BACKEND)
        for method, address in addresses:
            assert getattr(client, method)(address).status_code == 404, address
        assert not ClientRegistration.objects.filter(is_switched_on=True).exists()

    def test_shows_nothing_to_staff_without_a_permission(
        self, addresses: list[tuple[str, str]], helper: Callable[..., Client]
    ) -> None:
        client = helper()
        for method, address in addresses:
            answer = getattr(client, method)(address)
            assert answer.status_code == 403, address
            assert "not open to you" in answer.content.decode()
        assert not ClientRegistration.objects.filter(is_switched_on=True).exists()
        assert 'href="/desk/"' not in client.get("/settings/").content.decode()

    def test_may_be_looked_at_and_not_used_by_staff_who_may_only_look(
        self, addresses: list[tuple[str, str]], helper: Callable[..., Client]
    ) -> None:
        client = helper("view")
        for method, address in addresses:
            answer = getattr(client, method)(address)
            assert answer.status_code in ({403} if method == "post" else {200, 302}), address
            if method == "post":
                assert "not change anything" in answer.content.decode()
        assert not ClientRegistration.objects.filter(is_switched_on=True).exists()

    def test_may_be_used_by_staff_who_may_change_registrations(
        self, addresses: list[tuple[str, str]], helper: Callable[..., Client]
    ) -> None:
        client = helper("change")
        for method, address in addresses:
            assert getattr(client, method)(address).status_code in {200, 302, 303, 422}, address
        assert ClientRegistration.objects.filter(is_switched_on=True).exists()

    def test_asks_whoever_is_signed_out_to_sign_in(self, addresses: list[tuple[str, str]]) -> None:
        for method, address in addresses:
            answer = getattr(Client(), method)(address)
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/accounts/login/"), address

    def test_keeps_its_pages_from_caches(self, staff: Client, addresses: list[tuple[str, str]]) -> None:
        for method, address in addresses:
            if method == "get":
                answer = staff.get(address)
                assert answer.status_code in {200, 302}, address
                assert "no-store" in answer["Cache-Control"], address

    @pytest.mark.parametrize(
        "address",
        ["registrations/{id}/", "registrations/{id}/try/out/", "trials/{id}/", "start/{id}/"],
    )
    def test_knows_no_rows_that_are_not_there(self, staff: Client, address: str) -> None:
        assert staff.get(f"/desk/{address.format(id=uuid.uuid4())}").status_code == 404

    def test_shows_the_step_to_whoever_comes_back_to_its_address(
        self, staff: Client, make_endpoint: Any, begin: Any
    ) -> None:
        registration = begin(make_endpoint())
        for step, opened in (("account", "account"), ("switch-off", "switch"), ("switch-on", "switch")):
            answer = staff.get(f"/desk/registrations/{registration.pk}/{step}/")
            assert answer["Location"] == f"/desk/registrations/{registration.pk}/?step={opened}"
            assert staff.get(answer["Location"]).status_code == 200
        registration.refresh_from_db()
        assert not registration.is_switched_on

    def test_says_of_no_need_since_when_where_nobody_knows(self, staff: Client, make_endpoint: Any, begin: Any) -> None:
        begin(make_endpoint())
        page = staff.get("/desk/").content.decode()
        assert "Something is missing" in page
        assert "since" not in page

    def test_knows_no_other_step(self, staff: Client, make_endpoint: Any, begin: Any) -> None:
        registration = begin(make_endpoint())
        assert staff.post(f"/desk/registrations/{registration.pk}/no-such-step/").status_code == 404

    def test_says_what_patients_wish_for(self, staff: Client, make_endpoint: Any, sam: Any, alice: Any) -> None:
        provider = make_endpoint(name="Willow Creek").providers.get()
        Wish.objects.create(user=sam, provider=provider, created_at=timezone.now())
        Wish.objects.create(user=sam, name="Doctor Oak", city="Elm", created_at=timezone.now())
        page = staff.get("/desk/").content.decode()
        assert "Willow Creek" in page
        assert "1 wish" in page
        assert "Doctor Oak" not in page  # what one person wrote is theirs
        assert "1 more name" in page
        Wish.objects.create(user=alice, name="doctor oak", city="elm", created_at=timezone.now())
        page = staff.get("/desk/").content.decode()
        assert "Doctor Oak" in page
        assert "2 wishes" in page
        assert sam.email not in page

    def test_finds_registrations_by_what_staff_know(self, staff: Client, make_endpoint: Any, begin: Any) -> None:
        registration = begin(make_endpoint(name="Willow Creek", host="willow.example.org"))
        begin(make_endpoint(name="Riverside", host="river.example.org"))
        for query in ("willow", "willow.example.org/r4/fhir", "Willow Creek"):
            page = staff.get("/desk/", {"q": query}).content.decode()
            assert f"/desk/registrations/{registration.pk}/" in page
            assert "Riverside" not in page
        assert "None was found" in staff.get("/desk/", {"q": "nobody"}).content.decode()

    def test_finds_providers_and_where_we_stand(self, staff: Client, make_endpoint: Any, begin: Any) -> None:
        here = make_endpoint(name="Willow Creek", host="willow.example.org")
        registration = begin(here)
        there = make_endpoint(name="Willow Grove", host="grove.example.org")
        page = staff.get("/desk/start/", {"q": "willow"}).content.decode()
        assert f"/desk/registrations/{registration.pk}/" in page
        assert f"/desk/start/{there.pk}/" in page
        page = staff.get("/desk/start/", {"q": "grove.example.org/r4"}).content.decode()
        assert f"/desk/start/{there.pk}/" in page
        assert "willow.example.org" not in page

    def test_says_which_provider_is_for_practice(self, staff: Client, make_endpoint: Any) -> None:
        make_endpoint(name="Willow Creek", host="willow.example.org")
        assert "practice provider" not in staff.get("/desk/start/", {"q": "willow"}).content.decode()
        Provider.objects.update(is_sandbox=True)
        assert "practice provider" in staff.get("/desk/start/", {"q": "willow"}).content.decode()

    @pytest.mark.parametrize("query", ["willow", "willow.example.org/r4"])
    def test_says_that_there_are_more_providers_than_it_shows(
        self, staff: Client, make_endpoint: Any, query: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(starting, "_MOST_FOUND", 2)
        for count in (1, 2, 3):
            make_endpoint(name=f"Willow {count}", host=f"{count}.willow.example.org")
            page = staff.get("/desk/start/", {"q": query}).content.decode()
            assert page.count("<h2>") == min(count, 2)
            assert ("The first 2 are shown." in page) == (count == 3)

    def test_takes_any_query(self, staff: Client) -> None:
        for query in ("\x00", "%", "/" * 300, "<script>", "ß" * 300):
            assert staff.get("/desk/", {"q": query}).status_code == 200
            assert staff.get("/desk/start/", {"q": query}).status_code == 200


class TestWhatNeedsStaff:
    def need(self, registration: ClientRegistration) -> list[Need]:
        found = attention.needs(at=timezone.now(), most=20)
        return [one.need for one in found if one.registration == registration]

    @pytest.fixture
    def whole(self, make_endpoint: Any, begin: Any) -> ClientRegistration:
        """A registration that needs nobody."""
        registration = begin(make_endpoint())
        ClientRegistration.objects.filter(pk=registration.pk).update(
            status="approved",
            client_id="ours",
            sealed_secret=b"sealed",
            secret_set_at=timezone.now(),
            secret_rotation_due_date=timezone.now().date() + timedelta(days=300),
            versions_added=["r4"],
            is_switched_on=True,
        )
        return registration  # type: ignore[no-any-return]

    def test_is_nothing_where_all_is_well(self, whole: ClientRegistration) -> None:
        assert self.need(whole) == []

    @pytest.mark.parametrize(
        ("columns", "need"),
        [
            ({"trouble": "invalid_client"}, Need.TROUBLE),
            ({"client_id": ""}, Need.MISSING),
            ({"versions_added": []}, Need.MISSING),
            ({"status": "provisional"}, Need.APPROVAL),
            ({"is_switched_on": False}, Need.SWITCHED_OFF),
            ({"status": "retired", "trouble": "invalid_client"}, None),
        ],
    )
    def test_is_read_from_the_registration(
        self, whole: ClientRegistration, columns: dict[str, Any], need: Need | None
    ) -> None:
        ClientRegistration.objects.filter(pk=whole.pk).update(**columns)
        assert self.need(whole) == ([need] if need else [])

    @pytest.mark.parametrize(("days", "need"), [(-1, Need.SECRET_OVERDUE), (10, Need.SECRET_DUE)])
    def test_is_a_secret_that_is_due(self, whole: ClientRegistration, days: int, need: Need) -> None:
        due = timezone.now().date() + timedelta(days=days)
        ClientRegistration.objects.filter(pk=whole.pk).update(secret_rotation_due_date=due)
        assert self.need(whole) == [need]

    def test_is_asked_anew_each_day(self, whole: ClientRegistration) -> None:
        now = timezone.now()
        days = [attention.needs(at=now + timedelta(days=number), most=20) for number in (0, 290, 301, 0)]
        assert [[one.need for one in found] for found in days] == [[], [Need.SECRET_DUE], [Need.SECRET_OVERDUE], []]

    def test_is_an_organization_that_refuses(self, whole: ClientRegistration) -> None:
        Enablement.objects.create(
            registration=whole,
            endpoint=whole.authorization_server.endpoints.get(),
            is_enabled=False,
            since_at=timezone.now(),
        )
        assert self.need(whole) == [Need.NOT_ENABLED]

    def test_is_a_discovery_that_failed(self, whole: ClientRegistration) -> None:
        whole.authorization_server.endpoints.update(discovery_fault="timed_out")
        assert self.need(whole) == [Need.DISCOVERY]

    def test_tells_the_most_pressing_first(self, whole: ClientRegistration, make_endpoint: Any, begin: Any) -> None:
        waiting = begin(make_endpoint(name="Waiting", host="waiting.example.org"))
        ClientRegistration.objects.filter(pk=whole.pk).update(trouble="invalid_client", is_switched_on=False)
        found = attention.needs(at=timezone.now(), most=20)
        assert [one.registration for one in found] == [whole, waiting]

    def test_costs_one_query(
        self, whole: ClientRegistration, make_endpoint: Any, begin: Any, django_assert_num_queries: Any
    ) -> None:
        for number in range(3):
            begin(make_endpoint(name=f"Provider {number}", host=f"p{number}.example.org"))
        with django_assert_num_queries(1):
            attention.needs(at=timezone.now(), most=20)
