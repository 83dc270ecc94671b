"""`register_client`: details from a developer portal or console, overrides, the date to replace the secret, the
switch."""

import io
import json
import os
import pty

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.audit.recording import Actor
from apps.directory import credentials
from apps.directory.desk import system_accounts
from apps.directory.management.commands import register_client
from apps.directory.models import ClientRegistration, SystemAccount
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

GUID = "3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35"


@pytest.fixture
def register(endpoint):
    def run(*arguments: str) -> dict[str, object]:
        out = io.StringIO()
        assert endpoint.authorization_server is not None
        server = endpoint.authorization_server.authorize_url
        call_command("register_client", "--authorization-server", server, *arguments, stdout=out)
        line: dict[str, object] = json.loads(out.getvalue())
        return line

    return run


class TestRegisterClient:
    @pytest.mark.conformance("C74")
    def test_keeps_what_the_portal_or_console_knows(self, register):
        account = system_accounts.note_request(description="Holdfast", actor=Actor.system("test"), at=AT)
        system_accounts.approve(account, account_id=GUID, actor=Actor.system("test"), at=AT)
        chosen = {
            "developer_email": "desk@holdfast.example",
            "application_name": "Holdfast",
            "application_id": "app-17",
            "desk_url": "https://console.example.org/apps",
            "support_contact": "help@console.example.org",
        }
        arguments = [part for name, value in chosen.items() for part in (f"--{name.replace('_', '-')}", value)]
        line = register(*arguments, "--system-account", GUID)
        row = ClientRegistration.objects.get()
        assert {name: getattr(row, name) for name in chosen} == chosen
        assert row.system_account == account
        assert line["system_account_id"] == GUID

    def test_notes_a_system_account_that_was_approved(self, register):
        with pytest.raises(CommandError, match="There is no system account with this id"):
            register("--system-account", GUID)
        for _ in range(2):  # as often as one likes
            line = register("--system-account", GUID, "--system-account-name", "Harbor")
            assert line["system_account_id"] == GUID
        account = ClientRegistration.objects.get().system_account
        assert account is not None
        assert (account.status, account.client_name, account.account_id) == ("approved", "Harbor", GUID)
        assert SystemAccount.objects.count() == 1

    def test_keeps_nothing_where_anything_is_refused(self, register):
        before = ClientRegistration.objects.values().get()
        with pytest.raises(CommandError):
            register("--application-name", "Holdfast", "--serves", "https://nobody.example/r4")
        with pytest.raises(CommandError):
            register("--application-name", "Holdfast", "--override", "runs_at_once=many")
        assert ClientRegistration.objects.values().get() == before

    def test_overrides_single_values_and_gives_them_back(self, register):
        line = register("--override", "runs_at_once=2", "--override", "accept=application/fhir+json")
        assert line["overrides"] == {"accept": "application/fhir+json", "runs_at_once": 2}
        assert register("--override", "accept=")["overrides"] == {"runs_at_once": 2}

    def test_says_when_the_secret_is_to_be_replaced(self, register):
        assert register()["secret_rotation_due_date"] == "2027-11-20"
        assert register("--secret-due", "2027-01-31")["secret_rotation_due_date"] == "2027-01-31"

    def test_says_why_patients_cannot_link_yet_and_nothing_once_they_can(self, endpoint, register, capsys):
        register("--switch", "off")
        said = capsys.readouterr().err
        assert said == (
            f"patients cannot link {endpoint.fhir_base_url} now: The endpoint or its client registration is switched "
            "off.\n"
        )
        register("--switch", "on")
        assert capsys.readouterr().err == ""

    def test_asks_for_the_secret_at_a_terminal_and_does_not_show_it(self, register, monkeypatch):
        keyboard, terminal = pty.openpty()
        asked: list[str] = []

        def typing(prompt: str) -> str:
            asked.append(prompt)
            return "typed-secret"

        monkeypatch.setattr(register_client, "getpass", typing)
        with open(terminal) as typed:  # noqa: PTH123 - a file that is open
            monkeypatch.setattr("sys.stdin", typed)
            register("--client-id", "ours")
        os.close(keyboard)
        secret = credentials.client(ClientRegistration.objects.get()).secret
        assert secret is not None
        assert secret.reveal() == "typed-secret"
        assert len(asked) == 1

    def test_switches_off_and_on(self, register):
        assert register("--switch", "off")["is_switched_on"] is False
        assert ClientRegistration.objects.get().switched_off_at is not None
        assert register("--switch", "on")["is_switched_on"] is True

    def test_approves_nothing_that_somebody_rejected_meanwhile_and_keeps_nothing_then(self, register):
        ClientRegistration.objects.update(status="requested")
        rejected: list[int] = []

        def reject_first(execute, sql, params, many, context):
            if "FOR UPDATE" in sql and "directory_clientregistration" in sql and not rejected:
                rejected.append(ClientRegistration.objects.update(status="rejected"))
            return execute(sql, params, many, context)

        refused = pytest.raises(CommandError, match="cannot be approved any more: look at it in the admin")
        with connection.execute_wrapper(reject_first), refused:
            register("--application-name", "Holdfast", "--approve")
        row = ClientRegistration.objects.get()
        assert (rejected, row.approved_at, row.application_name) == ([1], None, "")

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (("--override", "runs_at_once=0"), "Enter a number from 1 to 64"),
            (("--override", "client_id=ours"), "client_id overrides nothing"),
            (("--override", "runs_at_once"), "NAME=VALUE"),
            (("--desk-url", "javascript:alert(1)"), "valid URL"),
            (("--developer-email", "nobody"), "valid email"),
            (("--system-account", "unknown"), "no system account"),
            (("--system-account", ""), "is empty"),
            (("--client-id", ""), "is empty"),
            (("--secret-due", "31.1.2027"), "write a day as YYYY-MM-DD"),
        ],
    )
    def test_refuses_what_makes_no_sense(self, register, arguments, sentence):
        with pytest.raises(CommandError, match=sentence):
            register(*arguments)
        row = ClientRegistration.objects.get()
        assert (row.runs_at_once, row.desk_url, row.developer_email, row.client_id) == (None, "", "", "holdfast")
