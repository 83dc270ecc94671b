"""From a confirmed link to stored records, against a provider that answers, misbehaves, or does not answer."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connections
from django.db.models.functions import Now

from apps.audit.models import AuditEvent, EventType
from apps.connections import disconnecting
from apps.records import shelving, syncing
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.syncing import NotSyncable
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, TOKEN, statement
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap


def sync(connection, *, at=AT):
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()
    return run


def step(run, resource_type="AllergyIntolerance"):
    return run.steps.get(resource_type=resource_type)


def stored(resource_type="AllergyIntolerance"):
    return set(Record.objects.filter(resource_type=resource_type).values_list("logical_id", flat=True))


class TestSync:
    def test_brings_what_the_provider_has(self, linked):
        run = sync(linked)
        assert run.outcome == SyncRun.Outcome.COMPLETE
        assert stored("Patient") == {PATIENT_ID}
        assert stored() == {"a1", "a2"}
        assert [(s.status, s.pages, s.rows_kept) for s in run.steps.order_by("pk")] == [
            ("complete", 1, 1),
            ("complete", 1, 2),
        ]

    def test_says_when_the_provider_was_checked(self, linked):
        run = sync(linked)
        linked.refresh_from_db()
        assert AT <= linked.last_checked_at == run.finished_at < AT + timedelta(minutes=1)

    def test_shelves_the_patient(self, linked):
        sync(linked)
        assert [patient.name for patient in shelving.patients(linked)] == ["Dr. Wrenna Ilse Quillfeather"]

    def test_is_written_down(self, linked):
        run = sync(linked)
        started, finished = AuditEvent.objects.filter(subject_id=str(linked.pk)).order_by("pk")
        assert (started.event, finished.event) == (EventType.SYNC_STARTED, EventType.SYNC_FINISHED)
        assert finished.facts == {"sync_run_id": str(run.pk), "outcome": "complete", "gaps": 0, "rows": 3}

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
        assert [patient.name for patient in shelving.patients(connection)] == ["Dr. Wrenna Ilse Quillfeather"]


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
    def test_finds_the_run_that_is_open(self, linked):
        first = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        second = syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=AT + timedelta(seconds=1))
        assert first == second
        assert SyncStep.objects.count() == 2
        assert AuditEvent.objects.filter(event=EventType.SYNC_STARTED).count() == 1


class TestPaging:
    def test_goes_on_to_the_last_page(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=3, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(
            body=bundle(allergy("a2"), total=3, next_url=provider.next_url(3))
        )
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=3"] = http(body=bundle(allergy("a3"), total=3))
        run = sync(linked)
        assert stored() == {"a1", "a2", "a3"}
        assert (step(run).status, step(run).pages, step(run).rows_kept) == ("complete", 3, 3)

    def test_stops_where_links_run_in_a_circle(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(
            body=bundle(allergy("a2"), next_url=provider.next_url(2))
        )
        run = sync(linked)
        assert stored() == {"a1", "a2"}
        assert (step(run).gap, step(run).pages, run.outcome) == (Gap.STOPPED_SHORT, 2, SyncRun.Outcome.PARTIAL)

    def test_says_so_where_fewer_came_than_were_counted(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=9))
        run = sync(linked)
        assert (step(run).gap, step(run).rows_counted, step(run).rows_kept) == (Gap.STOPPED_SHORT, 9, 1)

    def test_does_not_mind_a_count_that_is_too_low(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a2"), total=1))
        assert sync(linked).outcome == SyncRun.Outcome.COMPLETE

    def test_counts_a_row_on_two_pages_once(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(body=bundle(allergy("a1"), total=2))
        run = sync(linked)
        assert (step(run).gap, step(run).rows_kept) == (Gap.STOPPED_SHORT, 1)

    def test_sends_no_token_to_another_origin(self, linked, provider):
        elsewhere = "http://127.0.0.1:1/fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=elsewhere))
        run = sync(linked)
        assert stored() == {"a1"}
        assert step(run).gap == Gap.STOPPED_SHORT

    def test_counts_what_nobody_can_read(self, linked, provider):
        page = bundle(allergy("a1"), total=2)
        page["entry"].append({"resource": {"resourceType": "AllergyIntolerance"}})
        provider.answers[ALLERGIES] = http(body=page)
        run = sync(linked)
        assert stored() == {"a1"}
        assert (step(run).gap, step(run).rows_unreadable) == (Gap.UNREADABLE, 1)


class TestRowsOfAnotherPatient:
    def test_are_not_kept_and_raise_an_alarm(self, linked, provider, caplog):
        provider.answers[ALLERGIES] = http(
            body=bundle(allergy("a1"), allergy("x9", patient_id="p-9999"), allergy("a3", patient_id=None), total=3)
        )
        run = sync(linked)
        assert stored() == {"a1", "a3"}
        assert (step(run).gap, step(run).rows_refused, run.outcome) == (Gap.OTHER_PATIENT, 1, "partial")
        assert AuditEvent.objects.get(event=EventType.RECORD_REFUSED).facts["rows"] == 1
        assert "name another patient" in caplog.text
        assert "p-9999" not in caplog.text
        assert "x9" not in caplog.text


class TestOneFailingType:
    @pytest.mark.parametrize(
        ("answer", "gap"),
        [
            (http(403), Gap.NOT_SHARED),
            (http(404), Gap.NOT_OFFERED),
            (http(405), Gap.NOT_OFFERED),
            (http(400), Gap.REFUSED),
            (http(body="<html>"), Gap.UNREADABLE),
            (http(body=R4_PATIENT), Gap.UNREADABLE),
            (http(302, location="https://elsewhere.example/"), Gap.REFUSED),
        ],
    )
    def test_never_hides_the_others(self, linked, provider, answer, gap):
        provider.answers[ALLERGIES] = answer
        run = sync(linked)
        assert stored("Patient") == {PATIENT_ID}
        assert (step(run).status, step(run).gap) == ("gap", gap)
        assert step(run, "Patient").status == "complete"

    @pytest.mark.conformance("C46")
    def test_that_is_not_shared_leaves_the_others_working(self, linked, provider):
        provider.answers[PATIENT] = http(403, www_authenticate='Bearer error="insufficient_scope"')
        run = sync(linked)
        assert step(run, "Patient").gap == "not_shared"
        assert stored() == {"a1", "a2"}
        linked.refresh_from_db()
        assert linked.status == "active"

    def test_counts_as_checked_where_patient_or_provider_decided_it(self, linked, provider):
        provider.answers[ALLERGIES] = http(403)
        assert sync(linked).outcome == SyncRun.Outcome.PARTIAL
        linked.refresh_from_db()
        assert linked.last_checked_at is not None

    def test_does_not_count_as_checked_where_something_broke(self, linked, provider):
        provider.answers[ALLERGIES] = http(400)
        sync(linked)
        linked.refresh_from_db()
        assert linked.last_checked_at is None

    def test_leaves_what_was_there(self, linked, provider):
        sync(linked)
        provider.answers[ALLERGIES] = http(403)
        provider.answers[PATIENT] = http(400)
        assert sync(linked, at=AT + timedelta(minutes=9)).outcome == SyncRun.Outcome.FAILED
        assert Record.objects.count() == 3
        assert Shelf.objects.count() == 1


def resume(run, *, at=AT):
    """As if the pause or the lease were over."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
    syncing.advance(run.pk, at=at)
    run.refresh_from_db()


class TestProviderThatDoesNotAnswer:
    def test_pauses_the_run_and_goes_on_where_it_stopped(self, linked, provider):
        second = "GET /fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers[second] = http(503)
        run = sync(linked)
        assert (run.outcome, run.pauses, step(run).status) == ("", 1, "getting")
        provider.answers[second] = http(body=bundle(allergy("a2"), total=2))
        resume(run)
        assert (run.outcome, stored()) == ("complete", {"a1", "a2"})
        assert len(provider.sent(ALLERGIES)) == 1

    def test_does_not_keep_other_types_waiting(self, linked, provider):
        provider.answers[PATIENT] = http(500)
        run = sync(linked)
        assert run.outcome == ""
        assert step(run).status == "complete"

    def test_is_not_asked_for_every_type_when_it_is_wholly_out_of_reach(self, linked, provider):
        provider.answers[PATIENT] = http(429, retry_after="120")
        run = sync(linked)
        assert (run.outcome, provider.sent(ALLERGIES)) == ("", [])

    def test_leaves_a_gap_after_the_last_pause(self, linked, provider):
        provider.answers[ALLERGIES] = http(503)
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            assert run.outcome == ""
            resume(run)
        assert (run.outcome, step(run).gap) == ("partial", Gap.UNAVAILABLE)

    def test_fails_the_run_when_nothing_ever_came(self, linked, provider):
        provider.answers[METADATA] = http(503)
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        assert run.outcome == SyncRun.Outcome.FAILED
        assert {s.gap for s in run.steps.all()} == {Gap.UNAVAILABLE}

    def test_is_left_alone_while_the_run_is_paused(self, linked, provider):
        provider.answers[METADATA] = http(503)
        run = sync(linked)
        asked = len(provider.asked)
        syncing.advance(run.pk, at=AT + timedelta(seconds=1))
        assert len(provider.asked) == asked


class TestRefusedToken:
    def test_is_renewed_once_and_the_question_asked_again(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = lambda request: (
            http(body=R4_PATIENT) if request.headers["authorization"] == "Bearer second-canary" else http(401)
        )
        run = sync(linked)
        assert run.outcome == SyncRun.Outcome.COMPLETE
        assert len(provider.sent(TOKEN)) == 1
        assert provider.sent(ALLERGIES)[0].headers["authorization"] == "Bearer second-canary"

    def test_twice_asks_the_patient_to_sign_in_and_keeps_what_came(self, linked, provider):
        sync(linked)
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = http(401)
        run = sync(linked, at=AT + timedelta(minutes=10))
        linked.refresh_from_db()
        assert {s.gap for s in run.steps.all()} == {Gap.SIGN_IN_NEEDED}
        assert (linked.status, linked.reason) == ("needs_reauthorization", "grant_ended")
        assert len(provider.sent(TOKEN)) == 1
        assert Record.objects.count() == 3

    def test_is_renewed_once_in_a_run_and_no_more(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = lambda request: (
            http(body=R4_PATIENT) if request.headers["authorization"] == "Bearer second-canary" else http(401)
        )
        provider.answers[ALLERGIES] = http(401)
        run = sync(linked)
        assert (step(run, "Patient").status, step(run).gap) == ("complete", Gap.SIGN_IN_NEEDED)
        assert len(provider.sent(TOKEN)) == 1

    def test_that_cannot_be_renewed_asks_the_patient_to_sign_in(self, linked, provider):
        provider.answers[TOKEN] = http(400, body={"error": "invalid_grant"})
        provider.answers[PATIENT] = http(401)
        run = sync(linked)
        linked.refresh_from_db()
        assert (run.outcome, linked.status) == ("failed", "needs_reauthorization")


def worker_process(run):
    """A worker in a process of its own, with this test's database."""
    database = connections["default"].settings_dict
    url = f"postgres://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
    program = f"""
import django
django.setup()
from datetime import datetime
from uuid import UUID
from apps.records import syncing
syncing.advance(UUID("{run.pk}"), at=datetime.fromisoformat("{AT.isoformat()}"))
"""
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    return subprocess.Popen([sys.executable, "-c", program], env=environment)


class TestUnfinishedRun:
    def test_leaves_a_cursor_that_tells_nothing(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        assert b"page=2" not in bytes(step(run).sealed_cursor)

    def test_that_nobody_foresaw_gives_the_run_back_and_ends_it_at_last(self, linked, provider, monkeypatch):
        def broken(statement):
            raise RuntimeError("a mistake of ours")

        monkeypatch.setattr("apps.records.planning.plan", broken)
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for _pause in range(len(syncing.PAUSES_SECONDS) + 1):
            run.refresh_from_db()
            assert run.outcome == ""
            SyncRun.objects.filter(pk=run.pk).update(lease_until=None)
            with pytest.raises(RuntimeError):
                syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert run.outcome == SyncRun.Outcome.FAILED


def elsewhere(act):
    """What another process does while the provider is answering us, in a database connection of its own."""
    try:
        act()
    finally:
        connections.close_all()


@pytest.mark.django_db(transaction=True)
class TestKilledWorker:
    def test_costs_one_page(self, linked, provider):
        second = "GET /fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        worker = worker_process(run)

        def killed(request):
            worker.kill()
            return http(503)

        provider.answers[second] = killed
        assert worker.wait(60) == -signal.SIGKILL
        assert stored() == {"a1"}
        provider.answers[second] = http(body=bundle(allergy("a2"), total=2))
        syncing.advance(run.pk, at=AT)
        assert stored() == {"a1"}  # the lease of the dead holds still
        resume(run)
        assert (run.outcome, stored()) == ("complete", {"a1", "a2"})
        assert len(provider.sent(ALLERGIES)) == 1


@pytest.mark.django_db(transaction=True)
class TestTwoWorkers:
    def test_do_not_hold_one_run_at_once(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

        def meanwhile(request):
            elsewhere(lambda: syncing.advance(run.pk, at=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = meanwhile
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert run.outcome == SyncRun.Outcome.COMPLETE
        assert len(provider.sent(PATIENT)) == 1

    def test_of_which_one_was_too_slow_never_both_write(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

        def taken_over(request):
            elsewhere(lambda: SyncRun.objects.update(claim_id=uuid4(), lease_until=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = taken_over
        syncing.advance(run.pk, at=AT)
        assert not Record.objects.exists()
        provider.answers[PATIENT] = http(body=R4_PATIENT)
        resume(run)
        assert run.outcome == SyncRun.Outcome.COMPLETE


@pytest.mark.django_db(transaction=True)
class TestConnectionThatEndedMeanwhile:
    def test_ends_the_run_without_asking(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        linked.disconnect(at=AT)
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, provider.asked) == ("failed", [])

    def test_gets_nothing_from_a_page_under_way(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

        def disconnected(request):
            elsewhere(lambda: disconnecting.disconnect(linked, keeps_copy=True, at=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = disconnected
        syncing.advance(run.pk, at=AT)
        assert not Record.objects.exists()

    def test_may_be_forgotten_while_a_page_is_under_way(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

        def forgotten(request):
            elsewhere(lambda: disconnecting.disconnect(linked, keeps_copy=False, at=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = forgotten
        syncing.advance(run.pk, at=AT)
        assert not Record.objects.exists()
        assert not SyncRun.objects.exists()
