"""A provider refuses an access token: it is refreshed once, the request is sent once more, and then the patient must
act (specification 5.2.4, 7.1)."""

import logging
from datetime import timedelta

import pytest
from django.urls import reverse

from apps.audit.models import AuditEvent, EventType
from apps.records import ledger
from apps.records.models import Record, SyncStep
from apps.records.syncing import watermarks
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT, give_tokens, sign_in_again
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, TOKEN, statement
from tests.records.runs import step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

CHALLENGE = 'Bearer realm="echo-canary", error="invalid_token", error_description="The token access-canary has expired"'


class TestAnInvalidToken:
    @pytest.mark.conformance("C45")
    def test_is_renewed_once_then_the_patient_is_asked_and_only_the_reason_is_logged(self, linked, provider, caplog):
        sync(linked)
        kept = Record.objects.count()
        provider.server.requests.clear()
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = http(401, WWW_Authenticate=CHALLENGE)
        with caplog.at_level(logging.INFO):
            sync(linked, at=AT + timedelta(minutes=10))
        linked.refresh_from_db()
        tokens = [request.headers["authorization"] for request in provider.sent(PATIENT)]
        assert len(tokens) == len(set(tokens)) == 2
        assert len(provider.sent(TOKEN)) == 1
        assert (linked.status, linked.reason) == ("needs_reauthorization", "data_refused")
        told = AuditEvent.objects.get(event=EventType.CONNECTION_NEEDS_REAUTHORIZATION)
        assert (told.subject_id, told.facts["reason"], told.actor_kind) == (str(linked.pk), "data_refused", "system")
        assert Record.objects.count() == kept
        said = [record.getMessage() for record in caplog.records if "access token was refused" in record.getMessage()]
        assert said == [f"An access token was refused: connection {linked.pk}: invalid_token"] * 2
        assert "canary" not in caplog.text


class TestATokenThatIsNotRenewed:
    @pytest.fixture(autouse=True)
    def expired(self, linked, provider):
        give_tokens(linked, issued_at=AT - timedelta(hours=2))

    @pytest.mark.parametrize(
        ("answer", "gap", "status"),
        [
            (http(400, body={"error": "invalid_grant"}), "sign_in_needed", "needs_reauthorization"),
            (http(body="<html>"), "unreadable", "active"),
            (http(404), "refused", "active"),
        ],
        ids=["refused", "unreadable", "nowhere"],
    )
    def test_ends_the_run_with_that_reason(self, linked, provider, answer, gap, status):
        provider.answers[TOKEN] = answer
        run = sync(linked)
        assert run.outcome == "failed"
        assert {step(run, name).gap for name in ("Patient", "AllergyIntolerance")} == {gap}
        linked.refresh_from_db()
        assert linked.status == status


class TestATypeThatRefusesAGoodToken:
    """Its patient, and all else, opens with it."""

    @pytest.fixture(autouse=True)
    def turned_away(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Goal"))
        provider.answers[f"GET /fhir/r4/Goal?patient={PATIENT_ID}"] = http(body=bundle())
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[ALLERGIES] = http(401, WWW_Authenticate=CHALLENGE)

    def check(self, linked, *, at):
        give_tokens(linked, issued_at=at)
        return sync(linked, at=at)

    def test_is_told_as_its_providers_to_end(self, linked, provider):
        run = self.check(linked, at=AT)
        assert (step(run).gap, step(run, "Goal").status) == ("turned_away", "complete")
        lines = ledger.lines(linked, run, provider="Harbor")
        told = next(one for one in lines if str(one.subject).startswith("Allergies"))
        assert (told.word, told.sentence) == (
            "No access",
            "Harbor did not let us read this, although your sign-in is good. Only they can change that.",
        )

    def test_is_not_asked_for_again_within_the_week_and_costs_no_new_token(self, linked, provider):
        self.check(linked, at=AT)
        for days in range(1, 4):
            provider.server.requests.clear()
            run = self.check(linked, at=AT + timedelta(days=days))
            assert (step(run).gap, provider.sent(ALLERGIES), provider.sent(TOKEN)) == ("turned_away", [], [])
            assert step(run, "Goal").status == "complete"

    def test_is_asked_for_again_after_a_week(self, linked, provider):
        self.check(linked, at=AT)
        self.check(linked, at=AT + timedelta(days=1))
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=1))
        run = self.check(linked, at=AT + watermarks.FULL_PROOF_EVERY)
        assert (run.outcome, stored()) == ("complete", {"a1"})

    def test_is_asked_for_again_the_next_day_where_it_had_been_let_in(self, linked, provider):
        refused, let_in = provider.answers[ALLERGIES], http(body=bundle(allergy("a1"), total=1))
        for days, answer in enumerate((let_in, refused)):
            provider.answers[ALLERGIES] = answer
            run = self.check(linked, at=AT + timedelta(days=days))
        assert (step(run).gap, stored()) == ("turned_away", {"a1"})
        provider.answers[ALLERGIES] = let_in
        assert self.check(linked, at=AT + timedelta(days=2)).outcome == "complete"

    def test_that_had_let_us_in_is_asked_for_again_each_day_for_two_days_and_then_each_week(self, linked, provider):
        refused = provider.answers[ALLERGIES]
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=1))
        self.check(linked, at=AT)
        provider.answers[ALLERGIES] = refused
        new_tokens = []
        for days in range(1, 15):
            provider.server.requests.clear()
            run = self.check(linked, at=AT + timedelta(days=days))
            assert (step(run).gap, stored()) == ("turned_away", {"a1"})
            new_tokens += [days] if provider.sent(TOKEN) else []
        assert new_tokens == [1, 2, 7, 14]

    def test_that_let_us_in_since_is_asked_for_again_however_long_ago_that_was(self, linked, provider):
        refused, let_in = provider.answers[ALLERGIES], http(body=bundle(allergy("a1"), total=1))
        for days, answer in ((0, let_in), (1, refused), (2, let_in), (4.5, refused), (5.5, let_in)):
            provider.answers[ALLERGIES] = answer
            run = self.check(linked, at=AT + timedelta(days=days))
        assert step(run).status == "complete"

    def test_is_told_beside_what_came_before(self, client, alice, linked, provider):
        refused = provider.answers[ALLERGIES]
        for days, answer in ((-1, http(body=bundle(allergy("a1"), total=1))), (0, refused)):
            provider.answers[ALLERGIES] = answer
            self.check(linked, at=AT + timedelta(days=days))
        client.force_login(alice)
        listed = client.get(reverse("subject", args=["allergies"])).content.decode()
        assert "Pteridine" in listed
        assert "did not let us read this" in listed

    def test_is_asked_for_again_when_the_patient_has_signed_in(self, linked, provider):
        self.check(linked, at=AT)
        sign_in_again(linked, at=AT + timedelta(hours=3))
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=1))
        run = self.check(linked, at=AT + timedelta(hours=4))
        assert (run.outcome, stored()) == ("complete", {"a1"})

    def test_of_which_some_searches_are_let_in_is_asked_for_the_next_day(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        sweep = f"GET /fhir/r4/Observation?patient={PATIENT_ID}&category="
        for name in resource_types.RESOURCE_TYPES[FhirVersion.R4]["Observation"].narrow_searches:
            provider.answers[sweep + name[0][1]] = http(body=bundle(total=0))
        row = {"resourceType": "Observation", "id": "o1"}
        provider.answers |= {sweep + "laboratory": http(body=bundle(row, total=1)), sweep + "sdoh": http(401)}
        run = self.check(linked, at=AT)
        assert (step(run, "Observation").gap, stored("Observation")) == ("turned_away", {"o1"})
        lines = ledger.lines(linked, run, provider="Harbor")
        told = next(one for one in lines if str(one.subject) == "Results")
        assert told.sentence.startswith(
            "Harbor did not let us read some results and measurements, although your sign-in"
        )
        provider.answers[sweep + "sdoh"] = http(body=bundle(total=0))
        assert self.check(linked, at=AT + timedelta(days=1)).outcome == "complete"


class TestARefusedToken:
    def test_is_renewed_once_and_the_question_asked_again(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = lambda request: (
            http(body=R4_PATIENT) if request.headers["authorization"] == "Bearer second-canary" else http(401)
        )
        run = sync(linked)
        assert run.outcome == "complete"
        assert len(provider.sent(TOKEN)) == 1
        assert provider.sent(ALLERGIES)[0].headers["authorization"] == "Bearer second-canary"

    def test_twice_asks_the_patient_to_sign_in_and_keeps_what_came(self, linked, provider):
        sync(linked)
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = http(401)
        run = sync(linked, at=AT + timedelta(minutes=10))
        linked.refresh_from_db()
        assert {s.gap for s in run.steps.exclude(gap=SyncStep.Gap.NOT_OFFERED)} == {SyncStep.Gap.SIGN_IN_NEEDED}
        assert (linked.status, linked.reason) == ("needs_reauthorization", "data_refused")
        assert len(provider.sent(TOKEN)) == 1
        assert Record.objects.count() == 3

    def test_is_renewed_once_in_a_run_and_no_more(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        answers = [http(body=R4_PATIENT)]
        provider.answers[PATIENT] = lambda request: (
            answers.pop() if request.headers["authorization"] == "Bearer second-canary" and answers else http(401)
        )
        provider.answers[ALLERGIES] = http(401)
        run = sync(linked)
        assert (step(run, "Patient").status, step(run).gap) == ("complete", SyncStep.Gap.SIGN_IN_NEEDED)
        assert len(provider.sent(TOKEN)) == 1

    @pytest.mark.parametrize("patient", [http(body=R4_PATIENT), http(403)], ids=["answered", "not-shared"])
    def test_costs_its_type_alone_where_it_opens_the_patient_all_the_same(self, linked, provider, patient):
        """Nobody could sign in any better."""
        provider.answers |= {ALLERGIES: http(401), PATIENT: patient}
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Goal"))
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[f"GET /fhir/r4/Goal?patient={PATIENT_ID}"] = http(body=bundle())
        run = sync(linked)
        linked.refresh_from_db()
        assert (linked.status, run.outcome) == ("active", "partial")
        assert (step(run).gap, step(run, "Goal").status) == (SyncStep.Gap.TURNED_AWAY, "complete")
        assert len(provider.sent(TOKEN)) == 1

    def test_that_cannot_be_renewed_asks_the_patient_to_sign_in(self, linked, provider):
        provider.answers[TOKEN] = http(400, body={"error": "invalid_grant"})
        provider.answers[PATIENT] = http(401)
        run = sync(linked)
        linked.refresh_from_db()
        assert (run.outcome, linked.status) == ("failed", "needs_reauthorization")
