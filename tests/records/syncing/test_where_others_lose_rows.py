"""Faults in the middle of a record, each of which costs other clients rows or a token, cost us neither.

There are six pages of results, and something goes wrong once, on the fourth.
"""

import json
from datetime import timedelta

import pytest

from apps.directory.models import ClientRegistration
from apps.records import bodies, ledger, shelving
from apps.records.models import Record, SyncRun
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, bundle
from tests.records.provider import METADATA, TOKEN, once, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

PAGES, ROWS = 6, 3
ALL = {f"o{number}" for number in range(1, PAGES * ROWS + 1)}
OTHERS = ("vital-signs", "social-history", "survey", "sdoh", "imaging", "procedure", "exam", "therapy", "activity")
RENEWED = http(body={"access_token": "renewed-canary", "expires_in": 3600})


def result(number, **elements):
    return {
        "resourceType": "Observation",
        "id": f"o{number}",
        "status": "final",
        "code": {"text": f"Test {number}"},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        **elements,
    }


def address(page):
    """Of a page of results, as a request for it is recorded."""
    first = f"?patient={PATIENT_ID}&category=laboratory"
    return f"GET /fhir/r4/Observation{first if page == 1 else f'?page={page}'}"


@pytest.fixture
def results(linked, provider):
    """The pages at the provider; what comes back puts a fault before one of them."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    provider.answers[METADATA] = http(body=statement("Patient", "Observation", "AllergyIntolerance"))
    for category in OTHERS:
        provider.answers[f"GET /fhir/r4/Observation?patient={PATIENT_ID}&category={category}"] = http(body=bundle())
    for page in range(1, PAGES + 1):
        rows = [result(number) for number in range((page - 1) * ROWS + 1, page * ROWS + 1)]
        url = f"{provider.base_url}/Observation?page={page + 1}" if page < PAGES else None
        provider.answers[address(page)] = http(body=bundle(*rows, total=len(ALL), next_url=url))

    def fail(page, fault):
        provider.answers[address(page)] = once(fault, provider.answers[address(page)])

    return fail


def noted(record):
    """What a result says in its note."""
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        return json.loads(bodies.of(record, ring))["note"][0]["text"]


def to_its_end(linked) -> SyncRun:
    """One run, its pauses over as soon as they begin."""
    run = sync(linked)
    for _pause in range(3):
        if run.finished_at is None:
            resume(run)
    return run


class TestOneFailureInTheMiddle:
    @pytest.mark.parametrize(
        "fault",
        [http(500), http(502), http(503, retry_after="1"), http(429, retry_after="1"), http(429)],
        ids=["500", "502", "503", "429 and a wait", "429"],
    )
    def test_costs_no_row_and_no_page_that_had_come(self, linked, provider, results, fault):
        results(4, fault)
        run = to_its_end(linked)
        assert (run.outcome, stored("Observation")) == ("complete", ALL)
        assert [len(provider.sent(address(page))) for page in range(1, PAGES + 1)] == [1, 1, 1, 2, 1, 1]


class TestATokenThatExpiresInTheMiddle:
    def test_is_renewed_once_and_costs_no_row(self, linked, provider, results):
        results(4, http(401, WWW_Authenticate='Bearer error="invalid_token"'))
        provider.answers[TOKEN] = RENEWED
        run = to_its_end(linked)
        assert (run.outcome, stored("Observation")) == ("complete", ALL)
        assert len(provider.sent(TOKEN)) == 1
        tokens = [request.headers["authorization"] for request in provider.sent(address(4))]
        assert tokens == ["Bearer access-canary", "Bearer renewed-canary"]


class TestATokenAddressThatIsDownOnce:
    def test_costs_neither_the_refresh_token_nor_a_row(self, linked, provider, results):
        give_tokens(linked, issued_at=AT - timedelta(hours=2))
        provider.answers[TOKEN] = once(http(503), RENEWED)
        run = sync(linked)
        assert run.finished_at is None
        assert stored("Observation") == set()
        linked.refresh_from_db()
        assert linked.status == "active"
        for minutes in (2, 10, 30):
            if run.finished_at is None:
                resume(run, at=AT + timedelta(minutes=minutes))
        assert (run.outcome, stored("Observation")) == ("complete", ALL)
        sent = [dict(request.query)["refresh_token"] for request in provider.sent(TOKEN)]
        assert sent == ["refresh-canary"] * 2

    @pytest.mark.parametrize("fault", [http(503), http(500), http(429, retry_after="1")], ids=["503", "500", "429"])
    def test_in_the_middle_costs_neither_a_row_nor_a_page_that_had_come(self, linked, provider, results, fault):
        results(4, http(401, WWW_Authenticate='Bearer error="invalid_token"'))
        provider.answers[TOKEN] = once(fault, RENEWED)
        run = sync(linked)
        for minutes in (2, 10, 30):
            if run.finished_at is None:
                resume(run, at=AT + timedelta(minutes=minutes))
        linked.refresh_from_db()
        assert (linked.status, run.outcome, stored("Observation")) == ("active", "complete", ALL)
        assert [len(provider.sent(address(page))) for page in (1, 2, 3)] == [1, 1, 1]


class TestARowThatComesAgainOnALaterPage:
    """Some providers do that (interface facts 1.4)."""

    @pytest.mark.parametrize(("first", "last"), [("2026-03-02", "2026-03-01"), ("2026-03-01", "2026-03-02")])
    def test_is_the_newest_and_costs_no_other(self, linked, provider, results, first, last):
        for page, number, day in ((2, 4, first), (5, 13, last)):
            rows = [result(4, meta={"lastUpdated": f"{day}T08:00:00Z"}, note=[{"text": day}])]
            rows += [result(other) for other in range(number, number + ROWS) if other != 4]
            url = f"{provider.base_url}/Observation?page={page + 1}"
            provider.answers[address(page)] = http(body=bundle(*rows, total=len(ALL), next_url=url))
        run = to_its_end(linked)
        assert (run.outcome, stored("Observation")) == ("complete", ALL)
        held = Record.objects.get(resource_type="Observation", logical_id="o4")
        assert (noted(held), held.versions.count()) == ("2026-03-02", 0)


class TestANextLinkElsewhere:
    def test_gets_no_token_is_named_and_costs_no_other_row(self, linked, provider, results):
        with serving(http(body=bundle(result(99)))) as elsewhere:
            rows = [result(number) for number in (10, 11, 12)]
            away = elsewhere.url("/fhir/r4/Observation?page=5")
            provider.answers[address(4)] = http(body=bundle(*rows, total=len(ALL), next_url=away))
            run = to_its_end(linked)
            assert elsewhere.requests == []
        assert stored("Observation") == {f"o{number}" for number in range(1, 13)}
        assert (run.outcome, step(run, "Observation").gap) == ("partial", "stopped_short")
        assert step(run, "AllergyIntolerance").status == "complete"
        line = next(one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject) == "Results")
        assert (line.word, line.entries) == ("Not complete", 12)
        said = "For all results and measurements together: Harbor counted 18 but sent 12. We cannot reach the rest."
        assert line.sentence == said


class TestARowWithoutWhatItMustHave:
    @pytest.mark.parametrize("wrong", [{"status": None}, {"status": 7}, {"code": None}, {"valueQuantity": "a lot"}])
    def test_costs_neither_itself_nor_the_others(self, linked, provider, results, wrong):
        rows = [
            {name: value for name, value in result(10, **wrong).items() if value is not None},
            result(11),
            result(12),
        ]
        url = f"{provider.base_url}/Observation?page=5"
        provider.answers[address(4)] = http(body=bundle(*rows, total=len(ALL), next_url=url))
        run = to_its_end(linked)
        assert (run.outcome, stored("Observation")) == ("complete", ALL)
        assert shelving.rebuild_all(linked, at=AT).entries > 0
