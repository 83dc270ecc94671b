"""Staff take a registration through its steps at the desk, one at a time."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.models import Trial
from apps.directory.models import ClientRegistration, Endpoint, SigningKey, SystemAccount
from tests.portal.desk.conftest import passed, states

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "canary-secret-5c2e"


def switched_on(begin: Any, take: Any, endpoint: Endpoint, by: Any) -> Any:
    """A registration with which every step was taken, and the try went well."""
    registration = begin(endpoint)
    take(registration, "account", developer_email="dev@example.org")
    take(registration, "credentials", client_id="their-id", secret=SECRET)
    take(registration, "versions", versions=["r4"])
    take(registration, "approved")
    passed(registration, endpoint, by.pk)
    take(registration, "switch-on")
    return registration


class TestRegisteringAtAPortal:
    def test_walks_through_every_step_to_patients(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any, stella: Any
    ) -> None:
        endpoint = make_endpoint()
        registration = begin(endpoint)
        assert not registration.is_switched_on
        address = f"/desk/registrations/{registration.pk}/"
        page = staff.get(address).content.decode()
        assert [title for title, _word in states(page)] == [
            "Have a developer account there",
            "Request the application",
            "Store the credentials they gave you",
            "Wait for their approval",
            "Add the FHIR versions",
            "Try it",
            "Switch it on",
        ]
        assert states(page)[0][1] == "To do now"
        assert "E-mail address of the account" in page
        assert take(registration, "account", developer_email="dev@example.org").status_code == 303

        page = staff.get(address).content.decode()
        assert states(page)[:2] == [
            ("Have a developer account there", "Done"),
            ("Request the application", "To do now"),
        ]
        assert f"/connect/return/{registration.redirect_id}/" in page
        take(registration, "application", application_name="Holdfast")

        page = staff.get(address).content.decode()
        assert states(page)[2][1] == "To do now"
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        assert registration.status == "provisional"

        page = staff.get(address).content.decode()
        assert states(page)[3][1] == "Waiting for them"
        assert states(page)[4][1] == "To do now"
        take(registration, "versions", versions=["r4"])
        take(registration, "approved")
        assert registration.status == "approved"

        page = staff.get(address).content.decode()
        assert states(page)[5][1] == "To do now"
        assert states(page)[6][1] == "Later"
        passed(registration, endpoint, stella.pk)
        page = staff.get(address).content.decode()
        assert states(page)[6][1] == "To do now"
        take(registration, "switch-on")
        assert registration.is_switched_on
        assert {word for _title, word in states(staff.get(address).content.decode())} == {"Done"}

    def test_writes_every_change_down_as_staff_s(
        self, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any, stella: Any
    ) -> None:
        registration = begin(make_endpoint())
        take(registration, "account", developer_email="dev@example.org")
        take(registration, "application", application_name="Holdfast")
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        take(registration, "versions", versions=["r4"])
        take(registration, "approved")
        take(registration, "switch-on")
        events = AuditEvent.objects.filter(subject_id=str(registration.pk))
        assert {(event.actor_kind, event.actor_id) for event in events} == {("staff", stella.pk)}
        actions = [event.facts["action"] for event in events.order_by("pk")]
        for action in ("requested", "switched off", "secret stored", "versions set", "moved", "switched on"):
            assert action in actions
        assert SECRET not in repr(list(events.values()))
        assert "dev@example.org" not in repr(list(events.values()))

    def test_shows_no_secret_again(self, staff: Client, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        take(registration, "account", developer_email="dev@example.org")
        take(registration, "application", application_name="Holdfast")
        refused = take(registration, "credentials", client_id="", secret=SECRET)
        assert refused.status_code == 422
        assert SECRET not in refused.content.decode()
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        for step in ("credentials", "approval", ""):
            assert SECRET not in staff.get(f"/desk/registrations/{registration.pk}/?step={step}").content.decode()

    def test_keeps_the_secret_that_is_left_out(self, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        assert take(registration, "credentials", client_id="their-id", secret="").status_code == 422
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        before = bytes(registration.sealed_secret)
        assert take(registration, "credentials", client_id="their-new-id", secret="").status_code == 303
        assert registration.client_id == "their-new-id"
        assert bytes(registration.sealed_secret) == before

    def test_ends_where_they_refuse_it(self, staff: Client, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        take(registration, "rejected")
        page = staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert "They refused it" in page
        assert "Begin a new one" in page
        answer = take(registration, "approved")
        assert answer.status_code == 303
        assert registration.status == "rejected"

    def test_says_that_it_does_not_work_while_their_server_refuses_us(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any, stella: Any
    ) -> None:
        """It worked once, and was switched on: neither is "done" while no patient can connect."""
        endpoint = make_endpoint()
        registration = switched_on(begin, take, endpoint, stella)
        now = timezone.now()
        ClientRegistration.objects.filter(pk=registration.pk).update(trouble="invalid_client", trouble_at=now)
        page = staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert states(page)[5:] == [
            ("Try it", "Does not work now"),
            ("Switch it on", "On, but patients cannot connect"),
        ]
        take(registration, "mended")
        page = staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert {word for _title, word in states(page)} == {"Done"}

    def test_says_that_it_may_not_work_where_the_last_try_failed(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any, stella: Any
    ) -> None:
        """Until another goes well, or what it was tried with was changed."""
        endpoint = make_endpoint()
        registration = switched_on(begin, take, endpoint, stella)
        address = f"/desk/registrations/{registration.pk}/"
        passed(registration, endpoint, stella.pk)
        at = timezone.now().isoformat()
        result = {"verdict": "failed", "code": "invalid_client", "at": at, "count": 0, "names": []}
        Trial.objects.filter(pk=Trial.objects.latest("ended_at").pk).update(results={"exchange": result})
        page = staff.get(address).content.decode()
        assert states(page)[5:] == [("Try it", "To do now"), ("Switch it on", "On, but the last try failed")]
        assert "The last try failed: patients may not get through either." in page
        take(registration, "credentials", client_id="their-id", secret=SECRET)
        assert states(staff.get(address).content.decode())[6] == ("Switch it on", "Done")

    def test_lets_patients_in_again_when_trouble_is_mended(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        registration = begin(make_endpoint())
        now = timezone.now()
        ClientRegistration.objects.filter(pk=registration.pk).update(trouble="invalid_client", trouble_at=now)
        assert "Their server refuses us" in staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        take(registration, "mended")
        assert registration.trouble == ""

    def test_shows_both_versions_as_one_matter(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        newer, older = begin(make_endpoint(version="r4")), begin(make_endpoint(version="dstu2"))
        assert newer != older
        page = staff.get(f"/desk/registrations/{newer.pk}/").content.decode()
        assert "The same provider, registered separately" in page
        assert f"/desk/registrations/{older.pk}/" in page


class TestRegisteringAtAConsole:
    def choose(self, take: Any, registration: ClientRegistration, **fields: Any) -> Any:
        usual = {
            "application_name": "Holdfast",
            "proof": "secret",
            "versions": ["r4"],
            "smart_version": "v2",
            "refresh_scope": "offline_access",
        }
        return take(registration, "choices", **{**usual, **fields})

    def test_walks_through_every_step(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any, stella: Any
    ) -> None:
        endpoint = make_endpoint("smart")
        registration = begin(endpoint)
        address = f"/desk/registrations/{registration.pk}/"
        take(registration, "account", developer_email="dev@example.org")
        self.choose(take, registration)
        assert (registration.authentication, registration.smart_version) == ("client_secret_basic", "v2")
        assert registration.versions_added == ["r4"]

        page = staff.get(address).content.decode()
        assert [word for _title, word in states(page)][:4] == ["Done", "Done", "To do now", "Later"]
        for field in ("Description", "Client Name", "Client Number", "Client Mnemonic", "Production System"):
            assert field in page
        take(registration, "system-account", description="Patients read their record", client_name="Holdfast")
        assert states(staff.get(address).content.decode())[2][1] == "Waiting for them"
        take(registration, "system-account", account_id="a-guid-77")
        account = SystemAccount.objects.get()
        assert (account.status, account.account_id) == ("approved", "a-guid-77")

        page = staff.get(address).content.decode()
        assert states(page)[3] == ("Register the application", "To do now")
        for wanted in (
            "a-guid-77",
            f"/connect/return/{registration.redirect_id}/",
            f"/connect/launch/{registration.launch_id}/",
            "patient/Patient.rs",
            "offline_access",
            "launch/patient",
        ):
            assert wanted in page
        take(registration, "client-id", client_id="their-id")
        take(registration, "proof", client_id="their-id", secret=SECRET)
        page = staff.get(address).content.decode()
        assert [word for _title, word in states(page)][:6] == [*["Done"] * 5, "Waiting for them"]
        take(registration, "approved")
        page = staff.get(f"{address}?step=organizations").content.decode()
        assert "Not known: try it" in page
        passed(registration, endpoint, stella.pk)
        page = staff.get(f"{address}?step=organizations").content.decode()
        assert "Turned on" in page
        take(registration, "switch-on")
        assert registration.is_switched_on

    def test_needs_no_system_account_for_a_public_application(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        registration = begin(make_endpoint("smart"))
        take(registration, "account", developer_email="dev@example.org")
        refused = self.choose(take, registration, proof="none")
        assert refused.status_code == 422
        assert "online_access at most" in refused.content.decode()
        self.choose(take, registration, proof="none", refresh_scope="online_access")
        words = dict(states(staff.get(f"/desk/registrations/{registration.pk}/").content.decode()))
        assert words["Get a system account"] == "Not needed"
        assert words["Store the secret, or register our key"] == "Not needed"
        assert words["Register the application"] == "To do now"

    def test_makes_a_key_where_it_proves_itself_with_one(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        registration = begin(make_endpoint("smart"))
        take(registration, "account", developer_email="dev@example.org")
        self.choose(take, registration, proof="key")
        assert registration.signing_key == SigningKey.objects.get()
        take(registration, "client-id", client_id="their-id")
        page = staff.get(f"/desk/registrations/{registration.pk}/?step=proof").content.decode()
        assert "/.well-known/jwks.json" in page
        assert registration.signing_key.kid in page

    def test_can_use_a_system_account_there_is(
        self, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        account = SystemAccount.objects.create(
            description="ours", client_name="Holdfast", account_id="a-guid-78", status="approved",
            requested_at=timezone.now(),
        )  # fmt: skip
        registration = begin(make_endpoint("smart"))
        take(registration, "use-account", account=str(account.pk))
        assert registration.system_account == account
        SystemAccount.objects.filter(pk=account.pk).update(status="rejected")
        other = begin(make_endpoint("smart", host="far.example.org", name="Far Practice"))
        take(other, "use-account", account=str(account.pk))
        assert other.system_account is None

    def test_asks_anew_where_a_system_account_was_refused(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        registration = begin(make_endpoint("smart"))
        take(registration, "account", developer_email="dev@example.org")
        self.choose(take, registration)
        take(registration, "system-account", description="ours", client_name="Holdfast")
        take(registration, "account-rejected")
        assert registration.system_account is None
        assert states(staff.get(f"/desk/registrations/{registration.pk}/").content.decode())[2][1] == "To do now"


class TestBeginning:
    def test_finds_where_we_stand_at_each_address(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        endpoint = make_endpoint()

        def word() -> str:
            page = staff.get("/desk/start/", {"q": endpoint.fhir_base_url}).content.decode()
            said = re.search(r'<span class="status [a-z-]+">.*?</svg>(.*?)</span>', page, re.DOTALL)
            assert said is not None
            return said[1].strip()

        assert word() == "Not registered there yet"
        registration = begin(endpoint)
        assert word() == "Begun"
        ClientRegistration.objects.filter(pk=registration.pk).update(status="provisional")
        assert word() == "Waiting for approval"

    def test_asks_for_addresses_where_nobody_publishes_them(
        self, staff: Client, make_endpoint: Callable[..., Endpoint]
    ) -> None:
        endpoint = make_endpoint(has_server=False)
        answer = staff.post(f"/desk/start/{endpoint.pk}/")
        assert answer["Location"] == f"/desk/start/{endpoint.pk}/addresses/"
        refused = staff.post(
            answer["Location"],
            {"authorize_url": "http://10.0.0.1/authorize", "token_url": "https://h.example.org/token"},
        )
        assert refused.status_code == 422
        assert "We do not connect to this address" in refused.content.decode()
        taken = staff.post(
            answer["Location"],
            {"authorize_url": "https://h.example.org/authorize", "token_url": "https://h.example.org/token"},
        )
        assert taken.status_code == 303
        endpoint.refresh_from_db()
        assert endpoint.authorization_server is not None
        registration = endpoint.authorization_server.registrations.get()
        assert taken["Location"] == f"/desk/registrations/{registration.pk}/"
        assert not registration.is_switched_on

    def test_leads_to_the_registration_there_is(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any, take: Any
    ) -> None:
        endpoint = make_endpoint()
        registration = begin(endpoint)
        take(registration, "switch-on")
        assert begin(endpoint) == registration
        registration.refresh_from_db()
        assert registration.is_switched_on

    def test_offers_a_registration_of_the_same_place(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        registration = begin(make_endpoint("smart", path="/one"))
        other = make_endpoint("smart", path="/two", name="Second Practice")
        page = staff.post(f"/desk/start/{other.pk}/").content.decode()
        assert "We are registered at the same place" in page
        assert ClientRegistration.objects.count() == 1
        answer = staff.post(f"/desk/start/{other.pk}/", {"registration": str(registration.pk)})
        assert answer["Location"] == f"/desk/registrations/{registration.pk}/"
        assert registration.enablements.get().endpoint == other
        elsewhere = make_endpoint("smart", host="far.example.org", name="Third Practice")
        answer = staff.post(f"/desk/start/{elsewhere.pk}/", {"registration": str(registration.pk)}, follow=True)
        assert "made for another sign-in" in answer.content.decode()

    def test_may_register_another_application_there(
        self, staff: Client, make_endpoint: Callable[..., Endpoint], begin: Any
    ) -> None:
        begin(make_endpoint("smart", path="/one"))
        other = make_endpoint("smart", path="/two", name="Second Practice")
        answer = staff.post(f"/desk/start/{other.pk}/", {"own": "1"})
        assert answer.status_code == 303
        assert ClientRegistration.objects.count() == 2
