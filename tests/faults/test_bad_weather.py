"""Copies of one record under several faults at a time: refusals, silence, truncated pages, forgotten links, tokens that
expire between two pages, workers that are killed, and a record that changes meanwhile.

Whichever faults coincide, every check ends, none removes what is there or calls complete what is not, and without
faults all of it comes.
"""

import json
import random
from datetime import timedelta

import pytest

from apps.directory.models import ClientRegistration
from apps.records import ledger, syncing
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.syncing import watermarks
from apps.records.syncing.received_rows import storing
from tests.records import provider as providers
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import PATIENT_ID, R4_PATIENT
from tests.records.runs import resume
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

TYPES = ("AllergyIntolerance", "Condition", "Observation", "MedicationRequest")
MOST_TURNS = 120
KILLED_ONE_IN = 12
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
FAULTS = (
    http(500), http(503, retry_after="1"), http(429, retry_after="1"), http(401), http(410), http(404), http(400),
    http(403), http(body="<html>sorry"), b"",
    http(body={"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "transient"}]}),
)  # fmt: skip


class Killed(BaseException):
    """What ends a worker, and nothing catches."""


class Practice:
    """A provider whose record is known, and whose answers go wrong one time in `one_in` (0: never)."""

    def __init__(self, provider, connection, chance):
        self.provider, self.connection, self.chance = provider, connection, chance
        self.one_in = 0
        self.rows = {name: {f"{name}-{number}" for number in range(chance.randint(1, 40))} for name in TYPES}
        self.doctors = {f"d{number}" for number in range(5)}
        self.tokens, self.links, self.faults = {"access-canary"}, {}, []
        provider.server.answer = self.answer

    def answer(self, request):
        path, _, query = request.target.partition("?")
        if "token" in path:
            self.tokens = {f"token-{len(self.faults)}-{self.chance.random()}"}
            return [http(body={"access_token": next(iter(self.tokens)), "expires_in": 3600})]
        if self.one_in and self.chance.randrange(self.one_in) == 0:
            self.faults.append(self.chance.choice(FAULTS))
            return [self.faults[-1]]
        if path.endswith("/metadata"):
            return [http(body=providers.statement("Patient", "Practitioner", *TYPES))]
        if request.headers["authorization"].removeprefix("Bearer ") not in self.tokens:
            return [http(401, WWW_Authenticate='Bearer error="invalid_token"')]
        if self.one_in and self.chance.randrange(30) == 0:
            self.tokens = set()  # expired, for whatever comes next
        return [self.page(path.split("/fhir/r4/")[1], query)]

    def page(self, name, query):
        kind, _, logical_id = name.partition("/")
        if kind == "Patient":
            return http(body=R4_PATIENT)
        if kind == "Practitioner":
            return http(body={"resourceType": "Practitioner", "id": logical_id})
        if kind not in self.rows:
            return http(404)
        if "link=" not in query:
            is_another = "category=" in query and "category=laboratory" not in query and kind == "Observation"
            order = [] if is_another else sorted(self.rows[kind])
            return self.written(kind, order, 0)
        kind, order, start = self.links[query.partition("link=")[2]]
        return self.written(kind, order, start)

    def written(self, kind, order, start):
        size = self.chance.randint(1, 9)
        here = order[max(start - self.chance.randint(0, 1), 0) : start + size]  # perhaps one of the page before as well
        links = []
        if start + size < len(order):
            key = str(len(self.links))
            self.links[key] = kind, order, start + size
            links = [{"relation": "next", "url": f"{self.provider.base_url}/{kind}?link={key}"}]
        entries = [{"resource": self.row(kind, one)} for one in here]
        total = self.chance.choice([{"total": len(order)}, {}])
        return http(body={"resourceType": "Bundle", "type": "searchset", **total, "link": links, "entry": entries})

    def row(self, kind, logical_id):
        number = int(logical_id.rpartition("-")[2])
        about = {"patient" if kind == "AllergyIntolerance" else "subject": {"reference": f"Patient/{PATIENT_ID}"}}
        doctor = {"recorder": {"reference": f"Practitioner/d{number % 5}"}}
        return {"resourceType": kind, "id": logical_id, **about, **doctor}

    def change(self):
        """A few rows come and go."""
        for name, rows in self.rows.items():
            if len(rows) > 3:
                rows.discard(self.chance.choice(sorted(rows)))
            rows.add(f"{name}-{self.chance.randint(100, 999)}")


@pytest.fixture(params=range(2))
def practice(request, alice, monkeypatch):
    """And Alice's link there; in bad weather workers are killed now and then while they store a page."""
    chance = random.Random(request.param)
    with providers.running() as provider:
        endpoint = make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"))
        ClientRegistration.objects.update(requests_per_minute=100_000)
        there = Practice(provider, make_connection(alice, endpoint), chance)
        usual = storing.keep

        def keep(*given, **named):
            kept = usual(*given, **named)
            if there.one_in and chance.randrange(KILLED_ONE_IN) == 0:
                raise Killed
            return kept

        monkeypatch.setattr(storing, "keep", keep)
        yield there


def check(practice, *, at):
    """A run to its end, whatever kills its workers."""
    practice.tokens = {"access-canary"}
    give_tokens(practice.connection, issued_at=at)
    practice.connection.refresh_from_db()
    run = syncing.start(practice.connection, cause=SyncRun.Cause.SCHEDULE, at=at)
    for turn in range(MOST_TURNS):
        try:
            resume(run, at=at + turn * MINUTE)  # who waits for another moment is not asked at the same one for ever
        except Killed:
            run.refresh_from_db()
        if run.finished_at is not None:
            return run
    raise AssertionError(f"a run without end: {json.dumps(list(run.steps.values_list('resource_type', 'gap')))}")


def here(practice, name):
    held = Record.objects.filter(connection=practice.connection, resource_type=name, removed_at=None)
    return set(held.values_list("logical_id", flat=True))


def assert_nothing_is_wrong(practice, run):
    """Complete is what is whole, and nothing that is there is said to be gone."""
    for step in run.steps.filter(resource_type__in=TYPES):
        held = here(practice, step.resource_type)
        if step.status == SyncStep.Status.COMPLETE:
            assert practice.rows[step.resource_type] <= held, (step.resource_type, practice.faults)
    gone = Record.objects.filter(removed_at__isnull=False).values_list("resource_type", "logical_id")
    assert [(name, one) for name, one in gone if one in practice.rows.get(name, ())] == []


class TestARecordInBadWeather:
    def test_is_whole_when_the_weather_is_good_again_and_never_said_to_be_before(self, practice):
        at = AT
        for one_in in (3, 6, 12):
            practice.one_in = one_in
            assert_nothing_is_wrong(practice, check(practice, at=at))
            practice.change()
            at += watermarks.FULL_PROOF_EVERY if practice.chance.random() < 0.5 else DAY
            practice.connection.refresh_from_db()
            if practice.connection.status != "active":  # a token refused twice in a row, patient and all
                practice.connection.status = "active"
                practice.connection.save(update_fields=["status"])
        practice.one_in = 0
        for weeks in (1, 2):  # narrow searches prove what is gone when they are asked alike twice
            run = check(practice, at=at + weeks * watermarks.FULL_PROOF_EVERY)
            assert all(practice.rows[name] <= here(practice, name) for name in TYPES)
        assert (run.outcome, {name: here(practice, name) for name in TYPES}) == ("complete", practice.rows)
        assert here(practice, "Practitioner") == practice.doctors | {"9"}
        told = ledger.lines(practice.connection, run, provider="Harbor")
        assert {line.word for line in told if line.entries} == {"Complete"}
