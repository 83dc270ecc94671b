"""System accounts: what the provider's form asks for, the id it returns, and what that is used for."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering
from apps.directory.desk import system_accounts
from apps.directory.models import ClientRegistration, SystemAccount
from apps.directory.registering import Terms
from apps.wire.errors import ClientRejected
from apps.wire.secret import Secret
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
GUID = "3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35"


@pytest.fixture
def account() -> SystemAccount:
    return system_accounts.note_request(description="Holdfast", client_name="Harbor", actor=ACTOR, at=AT)


@pytest.fixture
def registration(make_provider, make_endpoint) -> ClientRegistration:
    make_endpoint(make_provider("Harbor"), registration={"authentication": "client_secret_basic"})
    return ClientRegistration.objects.get()


class TestASystemAccount:
    @pytest.mark.conformance("C74")
    def test_keeps_every_field_of_the_form(self):
        fields: dict[str, Any] = {
            "description": "Holdfast copies records for patients",
            "is_production": True,
            "is_vendor_client": True,
            "client_name": "Harbor Health",
            "client_number": "4711",
            "client_mnemonic": "HARB",
            "is_platform_system": True,
        }
        system_accounts.note_request(**fields, actor=ACTOR, at=AT)
        row = SystemAccount.objects.get()
        assert {name: getattr(row, name) for name in fields} == fields
        assert (row.status, row.requested_at, row.account_id) == ("requested", AT, "")

    def test_answers_the_three_questions_with_no_unless_told(self, account):
        assert (account.is_production, account.is_vendor_client, account.is_platform_system) == (False, False, False)

    def test_is_approved_with_its_id_and_the_day(self, account):
        with pytest.raises(system_accounts.AccountNotMoved):
            system_accounts.approve(account, account_id="", actor=ACTOR, at=AT)
        later = AT + timedelta(days=3)
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=later)
        assert (account.status, account.account_id, account.approved_at) == ("approved", GUID, later)

    def test_is_rejected_for_good(self, account):
        system_accounts.reject(account, actor=ACTOR, at=AT)
        assert (account.status, account.rejected_at) == ("rejected", AT)
        with pytest.raises(system_accounts.AccountNotMoved):
            system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)

    def test_has_an_id_that_no_other_has(self, account):
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)
        other = system_accounts.note_request(description="another", actor=ACTOR, at=AT)
        with pytest.raises(IntegrityError), transaction.atomic():
            system_accounts.approve(other, account_id=GUID, actor=ACTOR, at=AT)

    def test_leaves_every_step_in_the_audit_log(self, account):
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)
        events = AuditEvent.objects.filter(subject="system account").order_by("pk")
        assert [event.facts for event in events] == [
            {"action": "requested", "status": "requested"},
            {"action": "moved", "status": "approved"},
        ]


class TestARegistrationUnderASystemAccount:
    @pytest.fixture
    def named(self, registration, account):
        registering.set_terms(registration, Terms(system_account=account), actor=ACTOR, at=AT)
        return registration

    @pytest.mark.conformance("C74")
    def test_has_the_account_id_as_client_id_for_system_access(self, named, account):
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)
        named.refresh_from_db()
        client = credentials.system_client(named)
        assert (client.client_id, client.secret) == (GUID, Secret("canary-secret"))
        assert credentials.client(named).client_id == "holdfast"

    def test_has_none_before_the_account_is_approved_and_after_it_is_rejected(self, named, account):
        with pytest.raises(ClientRejected):
            credentials.system_client(named)
        system_accounts.approve(account, account_id=GUID, actor=ACTOR, at=AT)
        system_accounts.reject(account, actor=ACTOR, at=AT)
        named.refresh_from_db()
        with pytest.raises(ClientRejected):
            credentials.system_client(named)

    def test_is_one_of_several(self, named, account, make_provider, make_endpoint):
        make_endpoint(make_provider("Mill"), host="mill.example.org", registration={"system_account": account})
        assert account.registrations.count() == 2

    @pytest.mark.conformance("C74")
    def test_keeps_what_the_portal_or_console_knows(self, registration):
        terms = Terms(
            developer_email="desk@holdfast.example",
            application_name="Holdfast",
            application_id="app-17",
            desk_url="https://console.example.org/apps",
            support_contact="help@console.example.org",
        )
        registering.set_terms(registration, terms, actor=ACTOR, at=AT)
        row = ClientRegistration.objects.get()
        assert (row.developer_email, row.application_name, row.application_id, row.desk_url, row.support_contact) == (
            "desk@holdfast.example", "Holdfast", "app-17", "https://console.example.org/apps",
            "help@console.example.org",
        )  # fmt: skip
        noted = " ".join(AuditEvent.objects.filter(facts__action="terms set").values_list("facts__changed", flat=True))
        assert sorted(noted.split()) == sorted(
            ["developer_email", "application_name", "application_id", "desk_url", "support_contact"]
        )
        assert "holdfast.example" not in str(list(AuditEvent.objects.values()))
