"""Bulk export of a group: kick-off, status, files and deletion, as a client of the published guide does it (X69)."""

import json
from urllib.parse import urlsplit

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import SystemAccount
from apps.sandbox.smart import system_tokens
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

pytestmark = pytest.mark.django_db

R4 = f"/b/myrecord/r4/{WILLOW}"
KICK_OFF = {"Accept": "application/fhir+json", "Prefer": "respond-async"}
SCOPES = ("system/Patient.read", "system/Condition.read", "system/Organization.read")


@pytest.fixture
def people(two_tenants):
    """Two patients at Willow Creek with twelve conditions each, its practice, and a patient at Riverside."""
    rows = []
    for tenant, person, conditions in ((WILLOW, "r-ada", 12), (WILLOW, "r-grace", 12), (RIVERSIDE, "r-son", 1)):
        realm = Realm("r4", tenant)
        bodies = [{"resourceType": "Patient", "id": person}]
        bodies += [{"resourceType": "Condition", "id": f"{person}-{number}"} for number in range(conditions)]
        rows += [store.row(realm, person, body, at=clock.now()) for body in bodies]
    practice = {"resourceType": "Organization", "id": "willow"}
    rows.append(store.row(Realm("r4", WILLOW), "", practice, at=clock.now()))
    store.keep(rows)


@pytest.fixture
def token(smart, people):
    """A token of a system, for what it is asked; another name is another system."""

    def token(*scopes, name="ward", tenant=WILLOW, host="myrecord"):
        account = SystemAccount.objects.filter(client_name=name).first()
        if account is None:
            smart(name, secret="s", client_type="confidential", authentication="client_secret_basic")
            account = SystemAccount.objects.get(client_name=name)
        return system_tokens.issue(
            account, tenant=tenant, host=host, versions=["r4"], scopes=scopes or SCOPES, at=clock.now()
        )

    return token


@pytest.fixture
def ask(client, token):
    """A request with a system's token; `headers` are those of a kick-off unless told otherwise."""

    def ask(address, *, method="get", headers=None, bears=None):
        sent = {"Authorization": f"Bearer {bears or token()}", **(KICK_OFF if headers is None else headers)}
        parts = urlsplit(address)
        return getattr(client, method)(parts.path + (f"?{parts.query}" if parts.query else ""), headers=sent)

    return ask


@pytest.fixture
def begun(ask):
    """The status address of an export that was begun."""

    def begun(query="", **options):
        answer = ask(f"{R4}/Group/everyone/$export{query}", **options)
        assert answer.status_code == 202, answer.content
        return answer["Content-Location"]

    return begun


@pytest.fixture
def done(ask, begun):
    """The list of files of an export that was waited for."""

    def done(query="", **options):
        scenarios.choose("bulk_polls", "0")
        answer = ask(begun(query, **options), **options)
        assert answer.status_code == 200, answer.content
        return answer.json()

    return done


@pytest.mark.conformance("X69")
class TestAKickOff:
    def test_is_accepted_and_says_where_the_status_is_asked(self, ask):
        answer = ask(f"{R4}/Group/everyone/$export")
        assert (answer.status_code, answer.content) == (202, b"")
        assert answer["Content-Location"].startswith(f"http://testserver{R4}/bulk-export/jobs/")

    @pytest.mark.parametrize(
        ("address", "headers", "status"),
        [
            ("/Group/everyone/$export", {"Accept": "application/fhir+json"}, 400),
            ("/Group/everyone/$export", {**KICK_OFF, "Accept": "application/json"}, 406),
            ("/Group/strangers/$export", KICK_OFF, 404),
            ("/Group/everyone/$export?_type=Nonsense", KICK_OFF, 400),
            ("/Group/everyone/$export?_type=Binary", KICK_OFF, 400),
            ("/Group/everyone/$export?_type=Observation", KICK_OFF, 403),
            ("/Group/everyone/$export?_since=yesterday", KICK_OFF, 400),
            ("/Group/everyone/$export?_since=2026-01-01", KICK_OFF, 400),
            ("/Group/everyone/$export?_outputFormat=csv", KICK_OFF, 400),
            ("/Group/everyone/$export?patient=r-ada", KICK_OFF, 400),
        ],
    )
    def test_is_refused_where_it_asks_for_what_is_not_to_be_had(self, ask, address, headers, status):
        assert ask(R4 + address, headers=headers).status_code == status

    def test_forgives_an_unknown_parameter_where_it_is_asked_to(self, begun):
        assert begun("?patient=r-ada", headers={**KICK_OFF, "Prefer": "respond-async, handling=lenient"})

    def test_needs_a_token(self, client, people):
        answer = client.get(f"{R4}/Group/everyone/$export", headers=KICK_OFF)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")

    @pytest.mark.parametrize("other", [{"host": "ehr"}, {"tenant": RIVERSIDE}])
    def test_needs_a_token_for_this_very_root(self, ask, token, other):
        assert ask(f"{R4}/Group/everyone/$export", bears=token(**other)).status_code == 401

    def test_waits_for_another_of_the_same_system_and_for_nobody_elses(self, ask, begun, token):
        first = begun()
        answer = ask(f"{R4}/Group/everyone/$export")
        assert (answer.status_code, answer["Retry-After"]) == (429, "2")
        begun(bears=token(name="lab"))
        ask(first, method="delete")
        begun()

    def test_is_not_served_in_dstu2_or_to_people(self, ask, client):
        assert ask(f"/b/myrecord/dstu2/{WILLOW}/Group/everyone/$export").status_code in (401, 404)
        assert client.get(f"/b/open/r4/{WILLOW}/Group/everyone/$export", headers=KICK_OFF).status_code == 403


@pytest.mark.conformance("X69")
class TestTheStatus:
    def test_says_how_far_it_is_and_when_to_ask_again_until_it_is_done(self, ask, begun):
        status = begun()
        seen = [ask(status) for _ in range(3)]
        assert [answer.status_code for answer in seen] == [202, 202, 200]
        assert [answer.get("X-Progress") for answer in seen] == ["0% complete", "50% complete", None]
        assert [answer.get("Retry-After") for answer in seen] == ["1", "1", None]

    def test_refuses_who_asks_too_often(self, ask, begun):
        scenarios.choose("bulk_pace", "kept")
        scenarios.choose("bulk_retry_after", "120")
        clock.set_to(clock.now())
        status = begun()
        assert ask(status).status_code == 202
        early = ask(status)
        assert early.status_code == 429
        assert 100 < int(early["Retry-After"]) <= 121
        clock.move(121)
        assert ask(status).status_code == 202

    def test_lists_the_files_with_what_the_guide_wants(self, done):
        listed = done()
        assert set(listed) == {"transactionTime", "request", "requiresAccessToken", "output", "error"}
        assert listed["requiresAccessToken"] is True
        assert listed["request"].endswith("/Group/everyone/$export")
        assert {one["type"]: one["count"] for one in listed["output"]} == {
            "Patient": 2,
            "Condition": 24,
            "Organization": 1,
        }

    def test_lists_only_the_types_that_were_asked_for(self, done):
        assert [one["type"] for one in done("?_type=Condition")["output"]] == ["Condition"]

    def test_lists_only_what_changed_since(self, done):
        assert done("?_since=2999-01-01T00:00:00Z")["output"] == []
        assert len(done("?_since=2000-01-01T00:00:00%2B01:00")["output"]) == 3

    def test_says_that_it_failed(self, ask, begun):
        scenarios.choose("bulk_polls", "0")
        scenarios.choose("bulk_outcome", "failed")
        answer = ask(begun())
        assert (answer.status_code, answer.json()["resourceType"]) == (500, "OperationOutcome")

    def test_of_somebody_elses_organization_is_not_found(self, ask, begun, token):
        elsewhere = begun().replace(WILLOW, RIVERSIDE)
        assert ask(elsewhere, bears=token(tenant=RIVERSIDE)).status_code == 404

    def test_is_forgotten_after_thirty_days(self, ask, begun, token):
        status = begun()
        clock.move(31 * 86_400)
        assert ask(status, bears=token()).status_code == 404


@pytest.mark.conformance("X69")
class TestAFile:
    def test_is_redirected_to_another_origin_that_takes_no_token(self, ask, client, done, settings):
        settings.SANDBOX_ORIGIN = "http://127.0.0.1:8900"
        (listed,) = done("?_type=Patient")["output"]
        answer = ask(listed["url"])
        assert answer.status_code == 307
        there = answer["Location"].removeprefix("http://localhost:8900")
        assert there.startswith("/b/storage/")
        stored = client.get(there)
        assert stored["Content-Type"] == "application/fhir+ndjson"
        assert [json.loads(line)["id"] for line in stored.content.splitlines()] == ["r-ada", "r-grace"]
        assert client.get(there, headers={"Authorization": "Bearer x"}).status_code == 400

    def test_is_behind_its_signed_address_for_five_minutes(self, ask, client, done):
        (listed,) = done("?_type=Patient")["output"]
        there = ask(listed["url"])["Location"].removeprefix("http://testserver")
        assert client.get(there).status_code == 200
        for spoilt in (there[:-5], there.replace("Patient-0", "Patient-1"), there.replace("until=1", "until=2")):
            assert client.get(spoilt).status_code == 403
        clock.move(301)
        assert client.get(there).status_code == 403

    def test_holds_so_many_lines_and_all_of_them_everything(self, ask, done):
        scenarios.choose("bulk_delivery", "direct")
        scenarios.choose("bulk_rows_per_file", "10")
        listed = done("?_type=Condition")["output"]
        assert [one["count"] for one in listed] == [10, 10, 4]
        ids = [json.loads(line)["id"] for one in listed for line in ask(one["url"]).content.splitlines()]
        assert sorted(ids) == sorted(f"{person}-{number}" for person in ("r-ada", "r-grace") for number in range(12))

    def test_can_be_had_in_parts(self, ask, done):
        scenarios.choose("bulk_delivery", "direct")
        (listed,) = done("?_type=Patient")["output"]
        whole = ask(listed["url"])
        part = ask(listed["url"], headers={"Range": "bytes=10-", "If-Range": whole["ETag"]})
        assert (part.status_code, part.content) == (206, whole.content[10:])
        assert part["Content-Range"] == f"bytes 10-{len(whole.content) - 1}/{len(whole.content)}"
        assert ask(listed["url"], headers={"Range": "bytes=10-", "If-Range": '"other"'}).content == whole.content
        assert ask(listed["url"], headers={"Range": f"bytes={len(whole.content)}-"}).status_code == 416

    def test_needs_no_token_where_the_list_says_so(self, client, done):
        scenarios.choose("bulk_delivery", "open")
        listed = done("?_type=Patient")
        assert listed["requiresAccessToken"] is False
        assert client.get(listed["output"][0]["url"].removeprefix("http://testserver")).status_code == 200

    def test_needs_the_token_otherwise(self, client, done):
        (listed,) = done("?_type=Patient")["output"]
        assert client.get(urlsplit(listed["url"]).path).status_code == 401

    @pytest.mark.parametrize("name", ["Patient-1", "Patient-x", "Observation-0", "errors-0", "Patient"])
    def test_that_is_not_listed_is_not_found(self, ask, done, name):
        scenarios.choose("bulk_delivery", "direct")
        (listed,) = done("?_type=Patient")["output"]
        assert ask(listed["url"].replace("Patient-0", name)).status_code == 404

    def test_of_what_went_wrong_is_listed_apart(self, ask, done):
        scenarios.choose("bulk_outcome", "with-errors")
        scenarios.choose("bulk_delivery", "direct")
        (listed,) = done("?_type=Patient")["error"]
        assert json.loads(ask(listed["url"]).content)["resourceType"] == "OperationOutcome"


@pytest.mark.conformance("X69")
class TestDeleting:
    def test_is_accepted_and_leaves_nothing(self, ask, client, begun):
        scenarios.choose("bulk_polls", "0")
        status = begun("?_type=Patient")
        (listed,) = ask(status).json()["output"]
        stored = ask(listed["url"])["Location"].removeprefix("http://testserver")
        assert client.get(stored).status_code == 200
        assert ask(status, method="delete").status_code == 202
        assert ask(status).status_code == 404
        assert ask(listed["url"]).status_code == 404
        assert client.get(stored).status_code == 403
        assert ask(status, method="delete").status_code == 404

    def test_ends_one_that_runs(self, ask, begun):
        ask(begun(), method="delete")
        begun()

    def test_is_all_that_can_be_done_to_one(self, ask, begun):
        assert ask(begun(), method="post").status_code == 405
