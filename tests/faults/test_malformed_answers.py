"""More than five thousand malformed or random answers, through the views and the task: each has an outcome and a page.

None causes an exception or status 500, and nothing is stored but what came in its proper place: tokens from a token
response, people from a Patient, records from readable resources. Every example runs in a savepoint that is rolled back.
The provider is a server in this process, on a real socket. Seeds are fixed. Each half is a test, so that two processes
can share them.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, seed, settings

from apps.connections.authorization_requests import binding, creating
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.outcomes import Outcome
from apps.directory.models import ClientRegistration, Endpoint
from apps.records import syncing, tasks
from apps.records.models import Record, SyncRun
from tests.faults import answering
from tests.faults.answering import (
    ALLERGIES,
    METADATA,
    PATIENT,
    PATIENT_ID,
    PEOPLE,
    PROBLEMS,
    TOKENS,
    Answering,
)
from tests.faults.drawing import Drawn, answers
from tests.fixtures.consent import agree
from tests.records.linked import give_tokens, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

HALVES = pytest.mark.parametrize(("half", "version"), [(1, "r4"), (2, "dstu2")], ids=["in R4", "in DSTU2"])
_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def many(examples: int) -> settings:
    return settings(max_examples=examples, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def undone() -> Iterator[None]:
    """Whatever the block wrote is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def provider() -> Iterator[Answering]:
    with answering.running() as running:
        yield running


@pytest.fixture
def endpoint(db: None, provider: Answering, version: str) -> Endpoint:
    url = provider.server.url
    endpoint = make_endpoint(url(f"/fhir/{version}"), version=version, token_url=url("/auth/token"))
    ClientRegistration.objects.update(requests_per_minute=100_000)  # hundreds of answers are met in one
    return endpoint


class Journey:
    """Alice in one browser, who begins and comes back as often as she is told to."""

    def __init__(self, alice: Any, endpoint: Endpoint) -> None:
        agree(alice)
        self.alice, self.endpoint, self.provider = alice, endpoint, endpoint.providers.get()
        self.browser = binding.new_browser()
        self.signed_in = Client()
        self.signed_in.force_login(alice, backend=_BACKEND)
        self.signed_in.cookies["browser"] = self.browser.reveal()

    def come_back(self) -> Any:
        """The last page of a callback with a code; every answer on the way was below 500, or the client raised."""
        departure = creating.create(
            user=self.alice,
            provider=self.provider,
            endpoint=self.endpoint,
            browser=self.browser,
            at=timezone.now() - timedelta(seconds=1),
        )
        state = binding.state_for(departure.request_id, self.browser)
        callback = self.endpoint.authorization_server.registrations.get().redirect_id  # type: ignore[union-attr]
        client = copy(self.signed_in)
        client.cookies = copy(self.signed_in.cookies)
        page = client.get(f"/connect/return/{callback}/", {"code": "c", "state": state.reveal()}, follow=True)
        assert page.status_code == 200
        assert page.redirect_chain
        self.client = client
        return page


@pytest.fixture
def journey(alice, endpoint) -> Journey:
    return Journey(alice, endpoint)


def told_end() -> Outcome:
    """How the one request ended; where nobody was found, nothing was kept of it."""
    request = AuthorizationRequest.objects.get()
    outcome = Outcome(request.outcome)
    assert request.sealed_pkce_verifier is None
    found = outcome is Outcome.COMPLETED
    assert (Connection.objects.count(), StoredTokenSet.objects.count()) == (found, found)
    assert not Record.objects.exists()
    return outcome


def gives_token(answer: Drawn) -> bool:
    """Whether this is, on any reading, a token answer."""
    given = answer.document
    return 200 <= answer.status < 300 and isinstance(given, dict) and bool(given.get("access_token"))


def names_somebody(answer: Drawn) -> bool:
    """Whether this is, on any reading, a Patient or a Bundle of some."""
    given = answer.document
    return answer.status == 200 and isinstance(given, dict) and given.get("resourceType") in {"Patient", "Bundle"}


@HALVES
class TestAnyTokenAnswer:
    @pytest.mark.conformance("C35", "C59")
    def test_has_an_end_and_a_page(self, half, version, journey, provider):
        told: Counter[Outcome] = Counter()

        @seed(half)
        @many(500)
        @given(answer=answers(TOKENS))
        def each(answer: Drawn) -> None:
            provider.told = {"token": answer.octets}
            with undone():
                page = journey.come_back()
                outcome = told_end()
                assert outcome is not Outcome.COMPLETED or gives_token(answer)
                assert b"<h1" in page.content
            told[outcome] += 1

        each()
        assert provider.given >= 500
        assert told.keys() >= {Outcome.UNREADABLE, Outcome.PROVIDER_DOWN, Outcome.REGISTRATION_BROKEN}, told
        assert told[Outcome.COMPLETED] > 10, told  # about one in twenty: what is drawn depends on what else is loaded


@HALVES
class TestAnyPatientAnswer:
    @pytest.mark.conformance("C16", "C59")
    def test_has_an_end_and_a_page(self, half, version, journey, provider):
        """Where somebody was found, Alice confirms, and the record's page opens before anything was copied."""
        told: Counter[Outcome] = Counter()

        @seed(half)
        @many(500)
        @given(answer=answers(PATIENT, PEOPLE))
        def each(answer: Drawn) -> None:
            provider.told = {"Patient": answer.octets}
            with undone():
                page = journey.come_back()
                outcome = told_end()
                assert b"<h1" in page.content
                if outcome is Outcome.COMPLETED:
                    assert names_somebody(answer)
                    confirmed = journey.client.post(
                        page.redirect_chain[-1][0], {"answer": "yes", "candidate": "0"}, follow=True
                    )
                    assert confirmed.status_code == 200
                    assert Connection.objects.get().status == "active"
            told[outcome] += 1

        each()
        assert provider.given >= 500
        assert told.keys() >= {Outcome.UNREADABLE, Outcome.PROVIDER_DOWN, Outcome.NO_PERSON}, told
        assert told[Outcome.COMPLETED] > 10, told  # about one in twenty: what is drawn depends on what else is loaded


class Copying:
    """Alice's link, copied as often as it is told to, each time anew."""

    def __init__(self, alice: Any, endpoint: Endpoint, provider: Answering) -> None:
        self.connection = make_connection(alice, endpoint)
        self.provider = provider
        self.ends: Counter[str] = Counter()
        give_tokens(self.connection, issued_at=timezone.now())
        self._signed_in = Client()
        self._signed_in.force_login(alice, backend=_BACKEND)

    def copy(self, told: dict[str, Drawn]) -> None:
        """One run that meets these answers, and the page of the record after it."""
        self.provider.told = {route: answer.octets for route, answer in told.items()}
        with undone():
            run = syncing.start(self.connection, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
            tasks.sync_next()
            self.ends[ended(run)] += 1
            assert_only_what_was_given(told)
            page = copy(self._signed_in).get(f"/connections/{self.connection.pk}/record/")
            assert page.status_code == 200
            assert b"<h1" in page.content


@pytest.fixture
def copying(alice, endpoint, provider) -> Copying:
    return Copying(alice, endpoint, provider)


@HALVES
class TestAnyAnswerToASync:
    @pytest.mark.conformance("C59")
    def test_is_stored_or_named(self, half, version, copying):
        """Each example answers for the Patient and for two types anew, and ends on the record's page."""

        @seed(half)
        @many(550)
        @given(patient=answers(PATIENT), allergies=answers(ALLERGIES), problems=answers(PROBLEMS))
        def each(patient: Drawn, allergies: Drawn, problems: Drawn) -> None:
            copying.copy({PATIENT_ID: patient, "AllergyIntolerance": allergies, "Condition": problems})

        each()
        assert copying.provider.given >= 1_500, copying.provider.given
        assert min(copying.ends[how] for how in ("complete", "partial", "paused")) > 3, copying.ends

    @pytest.mark.conformance("C59")
    def test_about_what_is_served_has_an_end(self, half, version, copying):
        """Where nothing is known of what a provider serves, each type that we know is asked for: examples are fewer."""

        @seed(half)
        @many(60)
        @given(metadata=answers(METADATA))
        def each(metadata: Drawn) -> None:
            copying.copy({"metadata": metadata})

        each()
        assert copying.provider.given >= 60, copying.provider.given
        assert copying.ends.total() == copying.provider.given, copying.ends


def ended(run: SyncRun) -> str:
    """The run's outcome; or that it was given back for a while."""
    run.refresh_from_db()
    if run.finished_at is None:
        assert run.claim_id is None
        assert run.lease_until is not None
        return "paused"
    steps = list(run.steps.all())
    assert all(step.status in {"complete", "gap"} for step in steps)
    assert all(step.gap for step in steps if step.status == "gap")
    return run.outcome


def assert_only_what_was_given(told: dict[str, Drawn]) -> None:
    for record in Record.objects.all():
        answer = told.get(PATIENT_ID if record.resource_type == "Patient" else record.resource_type)
        if answer is not None:
            assert answer.status == 200
            assert isinstance(answer.document, dict)
            assert record.logical_id in str(answer.document)
