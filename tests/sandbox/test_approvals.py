"""The approval desk: what waits for an administrator, the decision, and the same for programs."""

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Application, SystemAccount
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.smart.system_accounts import requesting

pytestmark = pytest.mark.django_db
ACCOUNT = {"description": "Reads for patients", "client_name": "Holdfast Inc.", "kind": "secret"}


@pytest.fixture
def application(developer):
    developer.post("/portal/request", {"name": "Holdfast", "redirect_uris": "https://app.example/back"})
    return Application.objects.get()


@pytest.fixture
def provisional(developer, application):
    developer.post(f"/portal/{application.pk}/credentials")
    return application


@pytest.fixture
def account(developer):
    developer.post("/system-accounts/request", ACCOUNT)
    return SystemAccount.objects.get()


@pytest.fixture
def control(client):
    def control(body=None):
        if body is None:
            return client.get("/control/approvals").json()["pending"]
        return client.post("/control/approvals", body, content_type="application/json")

    return control


def status(row):
    row.refresh_from_db()
    return row.status


class TestDesk:
    def test_shows_what_waits_and_who_asked(self, client, application, account):
        page = client.get("/approvals/").content
        for words in (b"Holdfast", b"https://app.example/back", b"dev@app.example", b"Reads for patients"):
            assert words in page

    @pytest.mark.parametrize(("decision", "then"), [("approve", "approved"), ("reject", "rejected")])
    def test_decides_about_both_kinds(self, client, provisional, account, decision, then):
        for kind, row in (("application", provisional), ("system-account", account)):
            body = {"kind": kind, "id": row.pk, "decision": decision, "reason": " We looked. "}
            told = client.post("/approvals/", body, follow=True).content
            assert f"is {then}".encode() in told
            assert status(row) == then
            assert (row.decision, row.decided_at is None) == ("We looked.", False)
        assert b"Nothing is waiting." in client.get("/approvals/").content

    def test_tells_the_developer_why(self, client, developer, account):
        reason = "Say <b>who</b> you are."
        client.post("/approvals/", {"kind": "system-account", "id": account.pk, "decision": "reject", "reason": reason})
        assert b"Say &lt;b&gt;who&lt;/b&gt; you are." in developer.get(f"/system-accounts/{account.pk}/").content

    def test_approves_no_application_without_credentials(self, client, application):
        assert b"Approve Holdfast" not in client.get("/approvals/").content
        client.post("/approvals/", {"kind": "application", "id": application.pk, "decision": "approve"})
        assert status(application) == "requested"

    @pytest.mark.parametrize(
        "changes",
        [
            {"kind": "developer"},
            {"kind": ""},
            {"id": ""},
            {"id": "-1"},
            {"id": "9" * 40},
            {"id": "²"},
            {"id": "\0"},
            {"decision": "retire"},
            {"decision": ""},
            {"reason": "\0"},
            {"reason": "r" * 401},
        ],
    )
    def test_follows_nothing_else(self, client, account, changes):
        body = {"kind": "system-account", "id": account.pk, "decision": "approve", **changes}
        page = client.post("/approvals/", body, follow=True)
        assert page.status_code == 200
        assert b"fault" in page.content
        assert status(account) == "requested"

    def test_decides_once(self, client, account):
        for decision in ("reject", "approve"):
            client.post("/approvals/", {"kind": "system-account", "id": account.pk, "decision": decision})
        assert status(account) == "rejected"

    @pytest.mark.parametrize(("first", "second"), [("approve", "reject"), ("reject", "approve")])
    def test_follows_the_first_of_two_decisions_at_the_same_moment(self, account, first, second):
        rows = [SystemAccount.objects.get(), SystemAccount.objects.get()]
        moves = {"approve": requesting.approve, "reject": requesting.reject}
        moves[first](rows[0], at=clock.now())
        with pytest.raises(MoveRefused):
            moves[second](rows[1], at=clock.now())
        assert status(account) == {"approve": "approved", "reject": "rejected"}[first]

    def test_leads_to_where_approval_is_switched(self, client):
        body = {"lever": "choose", "back": "approvals", "approval": "instant"}
        page = client.post("/control/pull", body, follow=True)
        assert page.redirect_chain == [("/approvals/", 302)]
        assert b"Approval is instant now" in page.content


class TestInstantApproval:
    def test_approves_what_is_asked_for_from_then_on(self, application, developer):
        scenarios.choose("approval", "instant")
        assert status(application) == "requested"
        developer.post(f"/portal/{application.pk}/credentials")
        assert status(application) == "approved"
        developer.post("/system-accounts/request", ACCOUNT)
        assert status(SystemAccount.objects.get()) == "approved"

    def test_is_not_usual(self, provisional, account):
        assert (status(provisional), status(account)) == ("provisional", "requested")


class TestControlAddress:
    def test_lists_what_waits(self, control, application, account):
        waiting = [(row["kind"], row["id"], row["name"], row["can_be_approved"]) for row in control()]
        assert waiting == [
            ("application", application.pk, "Holdfast", False),
            ("system-account", account.pk, "Holdfast Inc.", True),
        ]
        assert {row["developer"] for row in control()} == {"dev@app.example"}

    def test_decides_about_one(self, control, provisional, account):
        assert control({"kind": "system-account", "id": account.pk}).json()["pending"][0]["kind"] == "application"
        assert (status(account), status(provisional)) == ("approved", "provisional")
        control({"kind": "application", "id": provisional.pk, "decision": "reject", "reason": "No."})
        assert (status(provisional), provisional.decision) == ("rejected", "No.")

    def test_approves_everything_that_can_be(self, control, developer, provisional, account):
        developer.post("/portal/request", {"name": "Late", "redirect_uris": "https://app.example/back"})
        assert [row["name"] for row in control({}).json()["pending"]] == ["Late"]
        assert (status(provisional), status(account)) == ("approved", "approved")

    @pytest.mark.parametrize(
        "body",
        [
            {"kind": "system-account"},
            {"kind": "system-account", "id": 10**30},
            {"kind": "system-account", "id": "1"},
            {"kind": "system-account", "id": True},
            {"kind": "other", "id": 1},
            {"decision": "approve"},
            {"colour": "red"},
        ],
    )
    def test_says_what_is_wrong(self, control, account, body):
        answer = control(body)
        assert answer.status_code == 400
        assert answer.json()["error"]
        assert status(account) == "requested"
