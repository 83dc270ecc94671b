"""What a step of the desk requires: its kind, a registration that is not over, a password, and values copied whole."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.connections.trials import terms
from apps.directory.models import ClientRegistration, Endpoint, SystemAccount
from apps.portal.desk import registration_status
from tests.fixtures.cast import PASSWORD
from tests.portal.desk.conftest import forget_password, passed, states

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "canary-secret-5c2e"


class TestWhatAPasswordIsWantedFor:
    @pytest.mark.parametrize(
        ("step", "fields"), [("credentials", {"client_id": "theirs", "secret": SECRET}), ("switch-on", {})]
    )
    def test_is_not_done_long_after_it_was_given(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any, step: str, fields: dict[str, str]
    ) -> None:
        registration = begin(make_endpoint())
        forget_password(staff)
        address = f"/desk/registrations/{registration.pk}/{step}/"
        answer = take(registration, step, **fields)
        assert (answer.status_code, answer["Location"]) == (303, address)
        asked = staff.get(address)
        assert asked["Location"].startswith("/accounts/reauthenticate/")
        page = staff.get(asked["Location"]).content.decode()
        assert "opens the way to patients' records" in page
        assert 'href="/desk/">Cancel' in page
        assert SECRET not in str(dict(staff.session))
        assert (registration.client_id, registration.sealed_secret) == ("", None)
        assert not registration.is_switched_on

        back = staff.post(asked["Location"], {"password": PASSWORD, "next": address})
        assert back["Location"] == address
        assert f"/desk/registrations/{registration.pk}/?step=" in staff.get(address)["Location"]
        assert take(registration, step, **fields)["Location"] != address
        assert registration.client_id == "theirs" or registration.is_switched_on

    @pytest.mark.parametrize("step", ["switch-off", "rejected"])
    def test_shuts_no_patient_out_long_after_it_was_given(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any, step: str
    ) -> None:
        registration = begin(make_endpoint())
        ClientRegistration.objects.update(status="approved", is_switched_on=True)
        forget_password(staff)
        address = f"/desk/registrations/{registration.pk}/{step}/"
        assert take(registration, step)["Location"] == address
        assert staff.get(address)["Location"].startswith("/accounts/reauthenticate/")
        assert (registration.status, registration.is_switched_on) == ("approved", True)

    def test_is_asked_for_before_a_secret_is_typed(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any
    ) -> None:
        registration = begin(make_endpoint())
        address = f"/desk/registrations/{registration.pk}/?step=credentials"
        assert 'name="secret"' in staff.get(address).content.decode()
        forget_password(staff)
        page = staff.get(address).content.decode()
        assert 'name="secret"' not in page
        assert f'href="/desk/registrations/{registration.pk}/credentials/"' in page

    def test_is_not_everything(self, staff: Client, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        forget_password(staff)
        take(registration, "account", developer_email="dev@example.org")
        assert registration.developer_email == "dev@example.org"


class TestAStep:
    @pytest.mark.parametrize(
        ("interface", "step", "fields"),
        [
            ("patient-access", "choices", {"application_name": "x", "proof": "key", "versions": ["r4"],
                                           "smart_version": "v2", "refresh_scope": "online_access"}),
            ("patient-access", "client-id", {"client_id": "x"}),
            ("patient-access", "proof", {"client_id": "x", "secret": SECRET}),
            ("patient-access", "system-account", {"description": "x", "client_name": "x"}),
            ("patient-access", "use-account", {}),
            ("patient-access", "account-rejected", {}),
            ("smart", "credentials", {"client_id": "x", "secret": SECRET}),
            ("smart", "application", {"application_name": "x"}),
            ("smart", "versions", {"versions": ["r4"]}),
        ],
    )  # fmt: skip
    def test_of_another_kind_is_not_there(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any, interface: str, step: str, fields: Any
    ) -> None:
        registration = begin(make_endpoint(interface))
        before = ClientRegistration.objects.values().get()
        assert take(registration, step, **fields).status_code == 404
        assert staff.get(f"/desk/registrations/{registration.pk}/{step}/").status_code == 404
        assert ClientRegistration.objects.values().get() == before
        assert not SystemAccount.objects.exists()

    def test_keeps_no_secret_where_a_key_is_the_proof(self, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint("smart"))
        ClientRegistration.objects.update(authentication="private_key_jwt")
        assert take(registration, "proof", client_id="x", secret=SECRET).status_code == 404
        assert registration.sealed_secret is None

    @pytest.mark.parametrize(("status", "sentence"), [("rejected", "they refused"), ("retired", "retired")])
    @pytest.mark.parametrize(
        ("interface", "step", "fields"),
        [
            ("patient-access", "account", {"developer_email": "new@example.org"}),
            ("patient-access", "application", {"application_name": "x"}),
            ("patient-access", "credentials", {"client_id": "x", "secret": SECRET}),
            ("patient-access", "versions", {"versions": ["r4"]}),
            ("patient-access", "approved", {}),
            ("patient-access", "switch-on", {}),
            ("patient-access", "mended", {}),
            ("smart", "choices", {"application_name": "x", "proof": "key", "versions": ["r4"],
                                  "smart_version": "v2", "refresh_scope": "online_access"}),
            ("smart", "system-account", {"description": "x", "client_name": "x"}),
            ("smart", "client-id", {"client_id": "x"}),
        ],
    )  # fmt: skip
    def test_is_not_taken_where_the_registration_is_over(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any, interface: str, step: str, fields: Any,
        status: str, sentence: str,
    ) -> None:  # fmt: skip
        registration = begin(make_endpoint(interface))
        ClientRegistration.objects.update(status=status, trouble="invalid_client", trouble_at=timezone.now())
        before = ClientRegistration.objects.values().get()
        assert take(registration, step, **fields).status_code == 303
        assert ClientRegistration.objects.values().get() == before
        assert not SystemAccount.objects.exists()
        page = staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert "Nothing was changed" in page
        assert sentence in page

    def test_says_that_it_is_not_possible_now(self, staff: Client, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        ClientRegistration.objects.update(status="approved")
        take(registration, "rejected")
        page = staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert "that step is not possible now" in page
        assert "Somebody else" not in page

    def test_replaces_no_system_account_that_was_approved(self, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint("smart"))
        take(registration, "system-account", description="x", client_name="x")
        take(registration, "system-account", account_id="guid")
        take(registration, "system-account", description="y", client_name="y")
        assert SystemAccount.objects.get().account_id == "guid"
        assert registration.system_account_id == SystemAccount.objects.get().pk

    def test_switches_off_also_where_it_is_over(self, make_endpoint: Any, begin: Any, take: Any) -> None:
        registration = begin(make_endpoint())
        ClientRegistration.objects.update(status="retired", is_switched_on=True)
        take(registration, "switch-off")
        assert not registration.is_switched_on


class TestThatPatientsCanConnect:
    ON = "On: patients can connect"
    NOT = "On, but patients cannot connect"

    @pytest.fixture
    def whole(self, make_endpoint: Any, begin: Any, take: Any) -> ClientRegistration:
        """A registration that is approved and on."""
        registration: ClientRegistration = begin(make_endpoint())
        take(registration, "credentials", client_id="theirs", secret=SECRET)
        take(registration, "versions", versions=["r4"])
        for button in ("approved", "switch-on"):
            take(registration, button)
        return registration

    def pages(self, staff: Client, registration: ClientRegistration) -> list[str]:
        return [staff.get(path).content.decode() for path in ("/desk/", f"/desk/registrations/{registration.pk}/")]

    def test_is_said_where_they_can(self, staff: Client, whole: ClientRegistration) -> None:
        assert all(self.ON in page for page in self.pages(staff, whole))

    @pytest.mark.parametrize(
        ("columns", "of_endpoint"),
        [
            ({"versions_added": []}, {}),
            ({"versions_added": ["dstu2"]}, {}),
            ({"client_id": ""}, {}),
            ({"sealed_secret": None}, {}),
            ({}, {"is_switched_on": False}),
            ({}, {"dialect": "nobody-speaks"}),
            ({}, {"vanished_at": timezone.now()}),
            ({}, {"interface": "smart", "named_token_url": "https://new.example/token"}),
        ],
    )
    def test_is_not_said_where_they_cannot(
        self, staff: Client, whole: ClientRegistration, columns: dict[str, Any], of_endpoint: dict[str, Any]
    ) -> None:
        if columns:
            ClientRegistration.objects.update(**columns)
        if of_endpoint:
            Endpoint.objects.update(**of_endpoint)
        for page in self.pages(staff, whole):
            assert self.ON not in page
            assert self.NOT in page

    def test_is_said_where_they_can_at_one_endpoint_of_two(
        self, staff: Client, whole: ClientRegistration, make_endpoint: Any
    ) -> None:
        make_endpoint(path="/second")
        Endpoint.objects.update(authorization_server=whole.authorization_server)
        Endpoint.objects.filter(fhir_base_url__contains="/second/").update(is_switched_on=False)
        assert all(self.ON in page for page in self.pages(staff, whole))

    @pytest.mark.parametrize("count", [1, 6])
    def test_costs_no_query_more_for_each(
        self, staff: Client, whole: ClientRegistration, make_endpoint: Any, begin: Any, count: int,
        django_assert_max_num_queries: Any,
    ) -> None:  # fmt: skip
        for number in range(count):
            begin(make_endpoint(host=f"practice-{number}.example.org", name=f"Practice {number}"))
        ClientRegistration.objects.update(
            status="approved", is_switched_on=True, client_id="x", authentication="none", versions_added=["r4"]
        )
        rows = list(ClientRegistration.objects.all())
        with django_assert_max_num_queries(4):
            registration_status.show_on(rows, at=timezone.now())
        assert {row.standing.word for row in rows} == {self.ON}  # type: ignore[attr-defined]


class TestATrialThatPassed:
    @pytest.mark.parametrize(
        ("step", "fields"),
        [
            ("credentials", {"client_id": "another", "secret": ""}),
            ("credentials", {"client_id": "theirs", "secret": "another-secret"}),
            ("versions", {"versions": ["dstu2", "r4"]}),
        ],
    )
    def test_says_nothing_of_what_changed_since(
        self, staff: Client, make_endpoint: Any, begin: Any, take: Any, stella: Any, step: str, fields: Any
    ) -> None:
        endpoint = make_endpoint()
        registration = begin(endpoint)
        second = make_endpoint(version="dstu2")
        Endpoint.objects.filter(pk=second.pk).update(authorization_server=registration.authorization_server)
        take(registration, "credentials", client_id="theirs", secret=SECRET)
        take(registration, "versions", versions=["r4"])
        take(registration, "approved")
        passed(registration, endpoint, stella.pk)
        address = f"/desk/registrations/{registration.pk}/"
        assert dict(states(staff.get(address).content.decode()))["Try it"] == "Done"
        assert take(registration, step, **fields).status_code == 303
        page = staff.get(address).content.decode()
        assert dict(states(page))["Try it"] == "To do now"
        assert "has changed since" in page
        assert dict(states(page))["Switch it on"] == "Later"

    def test_is_not_outdated_by_a_key_that_providers_fetch(self, make_endpoint: Any, begin: Any) -> None:
        registration = begin(make_endpoint("smart"))
        before = terms.of(registration)
        registration.signing_key_id = "00000000-0000-4000-8000-000000000001"
        assert terms.of(registration) == before
        registration.key_set_is_fetched = False
        assert terms.of(registration) != before


class TestCredentialsThatWereCopied:
    @pytest.mark.parametrize(
        "client_id", ["with blank", "zero\u200bwidth", "no\u00a0break", "tab\tin", "accent\u00e9", "\u202eleft"]
    )
    def test_hold_nothing_odd_in_a_client_id(self, make_endpoint: Any, begin: Any, take: Any, client_id: str) -> None:
        for interface, step in (("patient-access", "credentials"), ("smart", "client-id")):
            registration = begin(make_endpoint(interface, host=f"{interface}.example.org", name=interface))
            answer = take(registration, step, client_id=client_id, secret=SECRET)
            assert answer.status_code == 422
            assert "without spaces" in answer.content.decode()
            assert registration.client_id == ""

    @pytest.mark.parametrize("odd", ["\u200b", "\ufeff", "\u202e", "\u00ad", "\x07", "\u2028"])
    def test_hold_nothing_invisible_in_a_secret(self, make_endpoint: Any, begin: Any, take: Any, odd: str) -> None:
        registration = begin(make_endpoint())
        answer = take(registration, "credentials", client_id="theirs", secret=f"secret{odd}here")
        assert answer.status_code == 422
        assert "invisible" in answer.content.decode()
        assert registration.sealed_secret is None
        assert take(registration, "credentials", client_id="theirs", secret="s\u00e9cret ~!").status_code == 303

    @pytest.mark.parametrize(("days", "status"), [(-1, 422), (0, 303), (3650, 303), (3660, 422)])
    def test_are_replaced_between_today_and_ten_years(
        self, make_endpoint: Any, begin: Any, take: Any, days: int, status: int
    ) -> None:
        registration = begin(make_endpoint())
        by = timezone.localdate() + timedelta(days=days)
        answer = take(registration, "credentials", client_id="x", secret=SECRET, rotation_due_date=by.isoformat())
        assert answer.status_code == status
        assert (registration.secret_rotation_due_date == by) is (status == 303)
