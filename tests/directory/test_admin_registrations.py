"""Client registrations and system accounts in the admin: filters, dates, reasons, and the names of columns."""

import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, enabling
from apps.directory.desk import system_accounts
from apps.directory.models import ClientRegistration, Endpoint, SystemAccount
from apps.wire.secret import Secret
from tests.directory.conftest import AT
from tests.directory.test_admin import act, form

pytestmark = pytest.mark.django_db

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
ACTOR = Actor.system("test")
LIST = "/admin/directory/clientregistration/"
ACCOUNTS = "/admin/directory/systemaccount/"
GUID = "3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35"


@pytest.fixture
def make(make_provider, make_endpoint):
    """A registration at a host of its own, named after it."""

    def registration(label: str, **columns: object) -> ClientRegistration:
        interface = columns.pop("interface", "patient-access")
        version = str(columns.pop("version", "r4"))
        make_endpoint(
            make_provider(label), host=f"{label}.example.org", version=version, interface=interface, dialect=interface,
            registration={"label": label, **columns},
        )  # fmt: skip
        return ClientRegistration.objects.get(label=label)

    return registration


def page(staff: Client, address: str) -> str:
    answer = staff.get(address)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(answer.content.decode()))


def listed(staff: Client, query: str) -> set[str]:
    return set(re.findall(r'change/[^"]*">(\w+)</a>', page(staff, f"{LIST}?{query}")))


class TestTheList:
    def test_answers_whether_one_waits_for_approval(self, staff, make):
        make("asked", status="requested")
        make("given", status="provisional")
        make("done")
        assert listed(staff, "waiting=yes") == {"asked", "given"}
        assert listed(staff, "waiting=no") == {"done"}
        assert listed(staff, "") == {"asked", "given", "done"}

    def test_answers_whether_something_is_wrong(self, staff, make):
        make("refused", trouble="invalid_client")
        unknown = make("unknown")
        make("well")
        endpoint = Endpoint.objects.get(authorization_server=unknown.authorization_server)
        enabling.refused(unknown, endpoint, is_certain=True, at=AT)
        assert listed(staff, "wrong=yes") == {"refused", "unknown"}
        assert listed(staff, "wrong=no") == {"well"}

    def test_answers_whether_a_secret_is_due(self, staff, make):
        today = timezone.localdate()
        for label, days in (("late", -1), ("today", 0), ("month", 30), ("later", 31)):
            registration = make(label)
            ClientRegistration.objects.filter(pk=registration.pk).update(
                secret_rotation_due_date=today + timedelta(days=days)
            )
        without = make("public", authentication="none")
        ClientRegistration.objects.filter(pk=without.pk).update(
            sealed_secret=None, secret_set_at=None, secret_rotation_due_date=today
        )
        assert listed(staff, "due=overdue") == {"late"}
        assert listed(staff, "due=soon") == {"today", "month"}
        assert listed(staff, "due=no") == {"later", "public"}

    def test_answers_whether_one_is_switched_off(self, staff, make):
        make("off", is_switched_on=False)
        make("on")
        assert listed(staff, "off=yes") == {"off"}
        assert listed(staff, "off=no") == {"on"}

    def test_answers_whether_one_is_of_the_sandbox(self, staff, make):
        make("real")
        assert listed(staff, "sandbox=no") == {"real"}
        assert listed(staff, "sandbox=yes") == set()

    def test_ignores_an_answer_nobody_offers(self, staff, make):
        make("one")
        for query in ("due=perhaps", "off=perhaps", "wrong=perhaps"):
            assert listed(staff, query) == {"one"}

    def test_is_searched_by_label_client_id_account_and_host(self, staff, make):
        account = system_accounts.note_request(description="Holdfast", actor=ACTOR, at=AT)
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)
        make("harbor", client_id="client-of-harbor", system_account=account)
        make("mill", client_id="client-of-mill")
        for word in ("harbor", "client-of-harbor", GUID, "harbor.example.org"):
            assert listed(staff, f"q={word}") == {"harbor"}


class TestThePage:
    def test_has_its_parts_in_the_order_of_the_work(self, staff, make):
        shown = page(staff, f"{LIST}{make('harbor').pk}/change/")
        parts = (
            "Where it is", "What to copy there", "What they gave us", "How we speak there", "Limits", "Switch",
            "What happened",
        )  # fmt: skip
        places = [shown.index(f"> {part} <") if f"> {part} <" in shown else shown.index(f">{part}<") for part in parts]
        assert places == sorted(places)

    def test_has_nothing_to_copy_before_it_is_saved(self, staff):
        shown = page(staff, f"{LIST}add/")
        assert "redirect URI" not in shown.lower()
        assert "What happened" not in shown

    def test_shows_what_to_copy(self, staff, make):
        registration = make("harbor")
        shown = page(staff, f"{LIST}{registration.pk}/change/")
        for address in (
            f"http://testserver/connect/return/{registration.redirect_id}/",
            f"http://testserver/connect/launch/{registration.launch_id}/",
            "http://testserver/.well-known/jwks.json",
        ):
            assert address in shown

    def test_says_beside_each_override_what_is_usual(self, staff, make):
        shown = page(staff, f"{LIST}{make('harbor').pk}/change/")
        assert "Empty: as usual for this kind of server, which is 48." in shown
        assert "Empty: no limit is known for this kind of server." in shown
        assert "which is in the address." in shown
        assert "For this kind of server it is usually no." in shown
        assert shown.count(">as usual</option>") == 3
        assert ">Unknown<" not in shown

    def test_refuses_a_value_that_makes_no_sense_in_words(self, staff, make):
        registration = make("harbor")
        address = f"{LIST}{registration.pk}/change/"
        for column, value, sentence in (
            ("refresh_window_hours", "0", "Enter a number from 1 to 8784"),
            ("runs_at_once", "65", "Enter a number from 1 to 64"),
            ("parallel_requests", "17", "Enter a number from 1 to 16"),
            ("accept", "json", "Enter one media type"),
            ("token_parameters", "body", "puts its parameters there, too"),
        ):
            answer = staff.post(address, form(registration, **{column: value}))
            assert sentence in html.unescape(answer.content.decode())
        assert ClientRegistration.objects.get().runs_at_once is None

    @pytest.mark.parametrize("method", ["none", "client_secret_basic"])
    def test_asks_for_a_public_application_online_access_at_most(self, staff, make, method):
        registration = make("harbor", interface="smart")
        address = f"{LIST}{registration.pk}/change/"
        for scope in ("online_access", "offline_access"):
            changes = {"authentication": method, "refresh_scope": scope}
            answer = staff.post(address, form(registration, **changes))
            is_refused = (method, scope) == ("none", "offline_access")
            shown = html.unescape(answer.content.decode())
            assert ("A public application gets online_access at most." in shown) is is_refused
        assert ClientRegistration.objects.get().refresh_scope == ("online_access" if method == "none" else scope)

    def test_warns_of_a_secret_that_is_due_and_only_then(self, staff, make):
        registration = make("harbor")
        address = f"{LIST}{registration.pk}/change/"
        for days, sentence in ((-1, "should have been replaced"), (7, "is to be replaced by"), (90, "")):
            ClientRegistration.objects.update(secret_rotation_due_date=timezone.localdate() + timedelta(days=days))
            shown = page(staff, address)
            assert ("replaced" in shown.partition("What they gave us")[0]) is bool(sentence)
            assert sentence in shown

    @pytest.mark.conformance("C70")
    def test_stores_a_new_secret_with_a_year_or_the_day_that_was_written(self, staff, make):
        registration = make("harbor")
        address = f"{LIST}{registration.pk}/change/"
        staff.post(address, form(registration, new_secret="canary-one"))
        row = ClientRegistration.objects.get()
        assert row.secret_rotation_due_date == timezone.now().date() + timedelta(days=365)
        staff.post(address, form(registration, new_secret="canary-two", secret_rotation_due_date="2027-01-31"))
        row = ClientRegistration.objects.get()
        assert str(row.secret_rotation_due_date) == "2027-01-31"
        assert credentials.client(row).secret == Secret("canary-two")

    def test_writes_down_every_column_that_changed_and_no_value(self, staff, make, stella):
        registration = make("harbor")
        changes = {
            "label": "changed", "desk_url": "https://console.example.org/apps", "application_name": "canary-name",
            "application_id": "canary-id", "developer_email": "canary@example.org", "support_contact": "canary",
            "refresh_window_hours": "72", "idle_limit_days": "30", "minimum_refresh_seconds": "5",
            "assumed_lifetime_seconds": "120", "requests_per_minute": "7", "parallel_requests": "3",
            "runs_at_once": "2",
        }  # fmt: skip
        assert staff.post(f"{LIST}{registration.pk}/change/", form(registration, **changes)).status_code == 302
        events = AuditEvent.objects.filter(subject="client registration", event="directory.changed")
        named = {name for event in events for name in event.facts["changed"].split()}
        assert set(changes) <= named
        assert {event.actor_id for event in events} == {stella.pk}
        assert "canary" not in str(list(AuditEvent.objects.values("facts")))

    def test_turns_the_switch_with_its_time(self, staff, make):
        registration = make("harbor")
        act(staff, registration, "switch_off")
        row = ClientRegistration.objects.get()
        assert (row.is_switched_on, row.switched_off_at is not None) == (False, True)
        assert AuditEvent.objects.filter(facts__action="switched off").count() == 1
        act(staff, registration, "switch_on")
        assert ClientRegistration.objects.get().switched_off_at is None

    def test_keeps_the_date_of_every_move(self, staff, make):
        registration = make("harbor", status="requested")
        staff.post(f"{LIST}{registration.pk}/change/", form(registration, new_secret="canary"))
        for action, column in (("", "provisional_at"), ("approve", "approved_at"), ("retire", "retired_at")):
            if action:
                act(staff, registration, action)
            assert getattr(ClientRegistration.objects.get(), column) is not None
        other = make("mill", status="provisional")
        act(staff, other, "reject")
        assert ClientRegistration.objects.get(label="mill").rejected_at is not None


class TestAReasonWhyLinkingIsOff:
    @pytest.mark.conformance("C19")
    @pytest.mark.parametrize("interface", ["patient-access", "smart"])
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    @pytest.mark.parametrize(
        ("columns", "reason"),
        [
            ({"status": "requested"}, "The client registration is not approved."),
            ({"status": "provisional"}, "The client registration is not approved."),
            ({"status": "rejected"}, "Our client registration there was rejected or retired."),
            ({"status": "retired"}, "Our client registration there was rejected or retired."),
            ({"versions_added": []}, "The FHIR version was not added to the client registration."),
        ],
    )
    def test_is_told_on_the_pages_of_endpoint_and_registration(self, staff, make, interface, version, columns, reason):
        registration = make("harbor", interface=interface, version=version, **columns)
        endpoint = Endpoint.objects.get()
        for address in (f"/admin/directory/endpoint/{endpoint.pk}/change/", f"{LIST}{registration.pk}/change/"):
            assert reason in page(staff, address)


class TestASystemAccountInTheAdmin:
    FIELDS = {"description": "Holdfast", "client_name": "Harbor", "client_number": "", "client_mnemonic": ""}

    def account(self, staff: Client, *action: str) -> SystemAccount:
        for each in action:
            chosen = [str(SystemAccount.objects.get().pk)]
            staff.post(ACCOUNTS, {"action": each, "_selected_action": chosen})
        return SystemAccount.objects.get()

    @pytest.mark.conformance("C74")
    def test_is_requested_given_its_id_and_approved(self, staff, stella):
        assert staff.post(f"{ACCOUNTS}add/", {**self.FIELDS, "account_id": ""}).status_code == 302
        assert self.account(staff, "approve").status == "requested"
        address = f"{ACCOUNTS}{SystemAccount.objects.get().pk}/change/"
        staff.post(address, {**self.FIELDS, "account_id": f" {GUID} "})
        row = self.account(staff, "approve")
        assert (row.status, row.account_id, row.approved_at is not None) == ("approved", GUID, True)
        assert GUID in page(staff, f"{ACCOUNTS}?q={GUID}")
        assert AuditEvent.objects.get(facts__action="moved").actor_id == stella.pk

    def test_is_listed_by_whether_it_waits(self, staff):
        system_accounts.note_request(description="waits", actor=ACTOR, at=AT)
        assert "waits" in page(staff, f"{ACCOUNTS}?waiting=yes")
        self.account(staff, "reject")
        assert "waits" not in page(staff, f"{ACCOUNTS}?waiting=yes").partition("</table>")[0].rpartition("<table")[2]

    def test_is_not_there_for_strangers(self, alice, client):
        client.force_login(alice, backend=BACKEND)
        for end in ("", "add/"):
            assert "/admin/login/" in client.get(f"{ACCOUNTS}{end}")["Location"]
        client.post(f"{ACCOUNTS}add/", self.FIELDS)
        assert not SystemAccount.objects.exists()
