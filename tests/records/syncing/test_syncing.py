"""From a confirmed link to stored records."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent, EventType
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.syncing import NotSyncable
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, PATIENT_ID
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import shelved_names, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap


class TestSync:
    def test_brings_what_the_provider_has(self, linked):
        run = sync(linked)
        assert run.outcome == SyncRun.Outcome.COMPLETE
        assert stored("Patient") == {PATIENT_ID}
        assert stored() == {"a1", "a2"}
        assert [
            (s.resource_type, s.pages, s.rows_kept) for s in run.steps.filter(status="complete").order_by("pk")
        ] == [
            ("Patient", 1, 1),
            ("AllergyIntolerance", 1, 2),
        ]
        assert {s.gap for s in run.steps.exclude(status="complete")} == {Gap.NOT_OFFERED}

    def test_says_when_the_provider_was_checked(self, linked):
        run = sync(linked)
        linked.refresh_from_db()
        assert run.finished_at is not None
        assert AT <= run.finished_at < AT + timedelta(minutes=1)
        assert linked.last_checked_at == run.finished_at

    def test_shelves_the_patient(self, linked):
        sync(linked)
        assert shelved_names(linked) == ["Dr. Wrenna Ilse Quillfeather"]

    def test_is_written_down(self, linked):
        run = sync(linked)
        started, finished = AuditEvent.objects.filter(subject_id=str(linked.pk)).order_by("pk")
        assert (started.event, finished.event) == (EventType.SYNC_STARTED, EventType.SYNC_FINISHED)
        assert finished.facts == {"sync_run_id": str(run.pk), "outcome": "complete", "gaps": 0, "rows": 3}

    def test_is_written_down_with_how_much_it_lacks_of_what_there_is(self, linked, provider):
        provider.answers[ALLERGIES] = http(403)
        run = sync(linked)
        finished = AuditEvent.objects.get(event=EventType.SYNC_FINISHED)
        assert finished.facts == {"sync_run_id": str(run.pk), "outcome": "partial", "gaps": 1, "rows": 1}
        assert run.steps.filter(gap=Gap.NOT_OFFERED).exists()

    @pytest.mark.parametrize(("cause", "by"), [("confirmed", "user"), ("patient", "user"), ("schedule", "system")])
    def test_is_written_down_as_begun_by_who_asked_for_it(self, linked, cause, by):
        syncing.start(linked, cause=SyncRun.Cause(cause), at=AT)
        begun = AuditEvent.objects.get(event=EventType.SYNC_STARTED)
        assert (begun.actor_kind, begun.actor_id) == (by, linked.user_id if by == "user" else None)

    def test_changes_nothing_when_done_twice(self, linked):
        sync(linked)
        run = sync(linked, at=AT + timedelta(minutes=10))
        assert run.outcome == SyncRun.Outcome.COMPLETE
        assert Record.objects.count() == 3
        assert step(run).rows_kept == 2

    def test_reads_a_patient_of_dstu2(self, alice, provider):
        provider.answers[PATIENT] = http(body=DSTU2_PATIENT)
        endpoint = make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"), version="dstu2")
        connection = make_connection(alice, endpoint)
        give_tokens(connection)
        sync(connection)
        assert shelved_names(connection) == ["Dr. Wrenna Ilse Quillfeather"]


class TestWhatIsAsked:
    @pytest.mark.conformance("C12")
    def test_uses_the_confirmed_id_as_path_and_as_patient_parameter(self, linked, provider):
        sync(linked)
        assert "GET /fhir/r4/Patient/p-7301" in provider.asked
        assert "GET /fhir/r4/AllergyIntolerance?patient=p-7301" in provider.asked
        assert not [asked for asked in provider.asked if "metadata" in asked and "patient" in asked]

    @pytest.mark.conformance("C13")
    def test_begins_with_metadata_and_without_a_token(self, linked, provider):
        sync(linked)
        first = provider.server.requests[0]
        assert (first.method, first.target) == ("GET", "/fhir/r4/metadata")
        assert "authorization" not in first.headers

    @pytest.mark.conformance("C13")
    def test_is_only_what_metadata_offers(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient"))
        run = sync(linked)
        assert not [asked for asked in provider.asked if "AllergyIntolerance" in asked]
        assert (step(run).status, step(run).gap) == ("gap", Gap.NOT_OFFERED)
        assert run.outcome == SyncRun.Outcome.COMPLETE

    @pytest.mark.parametrize("answer", [http(404), http(body="<html>"), http(401)])
    def test_is_everything_we_know_where_metadata_says_nothing(self, linked, provider, answer):
        provider.answers[METADATA] = answer
        ClientRegistration.objects.update(requests_per_minute=500)
        assert sync(linked).outcome == SyncRun.Outcome.COMPLETE
        assert stored() == {"a1", "a2"}

    def test_carries_the_token_in_its_header_alone(self, linked, provider):
        sync(linked)
        for request in provider.sent(PATIENT) + provider.sent(ALLERGIES):
            assert request.headers["authorization"] == "Bearer access-canary"
        assert not [asked for asked in provider.asked if "canary" in asked]


class TestBeforeConfirmation:
    @pytest.mark.conformance("C64")
    def test_no_run_can_be_opened(self, alice, provider):
        connection = make_connection(
            alice,
            make_endpoint(provider.base_url),
            status="awaiting_confirmation",
            fhir_patient_id="",
            confirmed_at=None,
            confirm_by_at=AT + timedelta(minutes=30),
        )
        with pytest.raises(NotSyncable):
            sync(connection)
        assert provider.asked == []
        assert not SyncRun.objects.exists()


class TestStart:
    def test_makes_a_check_by_the_clock_the_patients_who_asks(self, linked):
        checked = syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=AT)
        syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=AT)
        checked.refresh_from_db()
        assert checked.cause == SyncRun.Cause.PATIENT

    @pytest.mark.parametrize("later", [SyncRun.Cause.SCHEDULE, SyncRun.Cause.PATIENT])
    def test_leaves_a_first_copy_what_it_is(self, linked, later):
        first_copy = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        syncing.start(linked, cause=later, at=AT)
        first_copy.refresh_from_db()
        assert first_copy.cause == SyncRun.Cause.CONFIRMED

    def test_finds_the_run_that_is_open(self, linked):
        first = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        second = syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=AT + timedelta(seconds=1))
        assert first == second
        assert AuditEvent.objects.filter(event=EventType.SYNC_STARTED).count() == 1
