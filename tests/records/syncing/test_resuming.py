"""A run continues after whatever stopped it, and two workers never both write."""

import signal
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connections

from apps.connections.ending import disconnecting
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.syncing import planning, running, stepping
from apps.records.syncing.received_rows import storing
from apps.records.syncing.workers import leasing, worker_deaths
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, hung_up, once, statement
from tests.records.runs import resume, step, stored, sync, worker_process
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap


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

    def test_may_fall_silent_before_each_page_of_a_long_record(self, linked, provider):
        pages = range(1, len(syncing.PAUSES_SECONDS) + 3)
        for page in pages:
            asked = ALLERGIES if page == 1 else f"GET /fhir/r4/AllergyIntolerance?page={page}"
            next_url = provider.next_url(page + 1) if page < pages[-1] else None
            provider.answers[asked] = once(http(503), http(body=bundle(allergy(f"a{page}"), next_url=next_url)))
        run = sync(linked)
        for _page in pages:
            assert (run.outcome, run.pauses) == ("", 1)
            resume(run)
        assert (run.outcome, stored()) == ("complete", {f"a{page}" for page in pages})

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

    @pytest.mark.parametrize("silent", [PATIENT, ALLERGIES], ids=["patient", "allergies"])
    def test_costs_no_other_type_at_last_where_it_says_nothing_to_one_question(self, linked, provider, silent):
        """It hangs up, or takes longer than anybody waits, whenever that is asked."""
        other = "Patient" if silent == ALLERGIES else "AllergyIntolerance"
        doctor = "GET /fhir/r4/Practitioner/d1"
        refers = {"generalPractitioner": [{"reference": "Practitioner/d1"}]}
        provider.answers |= {
            METADATA: http(body=statement("Patient", "AllergyIntolerance", "Practitioner")),
            PATIENT: http(body={**R4_PATIENT, **refers}),
            ALLERGIES: http(body=bundle(allergy("a1", recorder=refers["generalPractitioner"][0]))),
            doctor: http(body={"resourceType": "Practitioner", "id": "d1"}),
        }
        provider.answers[silent] = hung_up
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            if run.outcome == "":
                resume(run)
        assert (step(run, other).status, step(run, "Practitioner").status) == ("complete", "complete")
        assert run.steps.get(status="gap", gap=Gap.UNAVAILABLE).resource_type != other

    def test_is_not_asked_for_every_type_at_last_where_it_says_nothing_to_any(self, linked, provider):
        """What it offers may be told by another machine. Each question is waited for as long as anybody waits."""
        ClientRegistration.objects.update(requests_per_minute=1000)
        known = resource_types.RESOURCE_TYPES[FhirVersion.R4].values()
        searched = [kind.name for kind in known if kind.takes_patient and not kind.narrow_searches]
        provider.answers = {METADATA: http(body=statement("Patient", *searched)), PATIENT: hung_up}
        provider.answers |= {f"GET /fhir/r4/{name}?patient={PATIENT_ID}": hung_up for name in searched}
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            asked = len(provider.asked)
            resume(run)
        assert len(set(provider.asked[asked:])) < 9 < len(searched)
        assert (run.outcome, set(run.steps.filter(started_at=None).values_list("gap", flat=True))) == (
            "failed",
            {Gap.UNAVAILABLE, Gap.NOT_OFFERED},
        )

    @pytest.mark.parametrize("silence", [http(503), hung_up], ids=["503", "none"])
    def test_asks_at_last_for_what_we_know_where_nobody_says_what_is_offered(self, linked, provider, silence):
        ClientRegistration.objects.update(requests_per_minute=1000)
        provider.answers[METADATA] = silence
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            assert (run.outcome, stored()) == ("", set())
            resume(run)
        assert (run.outcome, stored(), stored("Patient")) == ("complete", {"a1", "a2"}, {PATIENT_ID})

    def test_asks_for_nothing_more_where_it_is_to_slow_down(self, linked, provider):
        provider.answers[METADATA] = http(429)
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        assert (run.outcome, set(provider.asked)) == ("failed", {METADATA})

    def test_fails_the_run_when_nothing_ever_came(self, linked, provider):
        ClientRegistration.objects.update(requests_per_minute=1000)
        provider.server.answer = lambda _request: [http(503)]
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        assert run.outcome == SyncRun.Outcome.FAILED
        assert {s.gap for s in run.steps.exclude(resource_type__in=planning.ACCOMPANYING)} == {Gap.UNAVAILABLE}

    def test_is_left_alone_while_the_run_is_paused(self, linked, provider):
        provider.answers[METADATA] = http(503)
        run = sync(linked)
        asked = len(provider.asked)
        syncing.advance(run.pk, at=AT + timedelta(seconds=1))
        assert len(provider.asked) == asked


class TestRunThatUsedItsSlice:
    @pytest.fixture(autouse=True)
    def brief(self, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))

    def test_goes_on_at_its_cursor_when_its_turn_comes_again(self, linked, provider):
        second = "GET /fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers[second] = http(body=bundle(allergy("a2"), total=2))
        run = sync(linked)
        came = [stored("Patient") | stored()]
        while not run.outcome:
            assert syncing.advance_next(at=AT)
            run.refresh_from_db()
            came.append(stored("Patient") | stored())
        assert came == [{PATIENT_ID}, {PATIENT_ID, "a1"}, {PATIENT_ID, "a1", "a2"}]
        assert (run.outcome, run.pauses) == ("complete", 0)
        assert [len(provider.sent(asked)) for asked in (PATIENT, ALLERGIES, second)] == [1, 1, 1]

    def test_ends_where_its_last_answer_was_the_last_of_all(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient"))
        assert sync(linked).outcome == "complete"

    def test_gives_its_worker_back_and_stays_due(self, linked):
        run = sync(linked)
        assert (run.claim_id, run.finished_at) == (None, None)
        assert leasing.resumable().get() == run

    def test_is_still_stopped_where_links_run_in_a_circle(self, linked, provider):
        for page in range(1, 8):
            asked = ALLERGIES if page == 1 else f"GET /fhir/r4/AllergyIntolerance?page={page}"
            after = page + 1 if page < 7 else 4
            provider.answers[asked] = http(body=bundle(allergy(f"a{page}"), next_url=provider.next_url(after)))
        run = sync(linked)
        while not run.outcome:
            assert step(run).pages < 20
            assert syncing.advance_next(at=AT)
            run.refresh_from_db()
        assert (step(run).gap, stored()) == (Gap.STOPPED_SHORT, {f"a{page}" for page in range(1, 8)})

    def test_is_still_stopped_where_somebody_fills_our_disk(self, linked, provider, monkeypatch):
        monkeypatch.setattr(stepping, "MOST_BYTES", 200)
        page = "GET /fhir/r4/AllergyIntolerance?page={}"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        for number in range(2, 9):
            after = provider.next_url(number + 1)
            provider.answers[page.format(number)] = http(body=bundle(allergy(f"a{number}"), next_url=after))
        run = sync(linked)
        while not run.outcome:
            assert syncing.advance_next(at=AT)
            run.refresh_from_db()
        assert (step(run).gap, stored()) == (Gap.TOO_MUCH, {"a1", "a2"})

    def test_pauses_like_any_other_where_nothing_comes(self, linked, provider):
        provider.answers[PATIENT] = provider.answers[ALLERGIES] = http(503)
        assert sync(linked).pauses == 1


class TestUnfinishedRun:
    def test_leaves_a_cursor_that_tells_nothing(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        assert b"page=2" not in bytes(step(run).sealed_cursor or b"page=2")

    @pytest.mark.parametrize("ending", ["disconnected", "given up"])
    def test_leaves_neither_its_place_nor_a_page_where_it_ends(self, linked, provider, ending):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        deaths = worker_deaths.MOST_DEATHS if ending == "given up" else 0
        assert run.steps.filter(sealed_cursor__isnull=False).update(sealed_page=b"put aside", deaths=deaths) == 1
        if ending == "disconnected":
            linked.disconnect(at=AT)
        resume(run)
        assert (bool(run.outcome), step(run).sealed_cursor, step(run).sealed_page) == (True, None, None)

    def test_that_nobody_foresaw_gives_the_run_back_and_ends_it_at_last(self, linked, provider, monkeypatch):
        def broken(*_given, **_options):
            raise RuntimeError("a mistake of ours")

        monkeypatch.setattr("apps.records.syncing.planning.plan", broken)
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for _pause in range(len(syncing.PAUSES_SECONDS) + 1):
            run.refresh_from_db()
            assert run.outcome == ""
            SyncRun.objects.filter(pk=run.pk).update(lease_until=None)
            with pytest.raises(RuntimeError):
                syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert run.outcome == SyncRun.Outcome.FAILED


def eventually(holds):
    """Wait until it does, in whatever thread."""
    ends_at = time.monotonic() + 20
    try:
        while not holds():
            assert time.monotonic() < ends_at
            time.sleep(0.02)
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
            eventually(lambda: stored() == {"a1"})  # this page is asked for before the rows of the first are stored
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

    def test_does_not_ask_again_for_a_page_it_was_storing(self, linked, provider, monkeypatch):
        """That page was put aside, and the next one is under way."""
        second = "GET /fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers[second] = http(body=bundle(allergy("a2"), total=2))
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        keep = storing.keep

        def killed(connection, rows, **options):
            rows = list(rows)
            if any(row.logical_id == "a1" for row in rows):
                raise SystemExit
            return keep(connection, rows, **options)

        with monkeypatch.context() as dying:
            dying.setattr(storing, "keep", killed)
            with pytest.raises(SystemExit):
                syncing.advance(run.pk, at=AT)
        left = step(run)
        assert (left.pages, b"a1" in bytes(left.sealed_page or b"")) == (0, False)
        resume(run)
        assert (run.outcome, stored()) == ("complete", {"a1", "a2"})
        assert len(provider.sent(ALLERGIES)) == 1
        assert step(run).sealed_page is None

    def test_may_die_again_and_again(self, linked, provider):
        """Each is killed while it waits for another page; the last brings the rest, and no page came three times."""
        pages = 7
        asked = [ALLERGIES, *(f"GET /fhir/r4/AllergyIntolerance?page={number}" for number in range(2, pages + 1))]
        bodies = [
            bundle(allergy(f"a{number}"), next_url=provider.next_url(number + 1) if number < pages else None)
            for number in range(1, pages + 1)
        ]
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for dies_at in range(1, pages):
            for number, key in enumerate(asked):
                provider.answers[key] = http(body=bodies[number])
            worker = worker_process(run)

            def killed(_request, worker=worker, before=dies_at):
                eventually(lambda: len(stored()) == before)
                worker.kill()
                return http(503)

            provider.answers[asked[dies_at]] = killed
            assert worker.wait(60) == -signal.SIGKILL
            SyncRun.objects.filter(pk=run.pk).update(lease_until=None, claim_id=None)
        provider.answers[asked[-1]] = http(body=bodies[-1])
        resume(run)
        assert (run.outcome, stored()) == ("complete", {f"a{number}" for number in range(1, pages + 1)})
        assert max(len(provider.sent(key)) for key in asked) == 2
        assert len(provider.sent(PATIENT)) == 1
        assert len(provider.sent(METADATA)) == 1


def elsewhere(act):
    """What another process does while the provider is answering us, in a database connection of its own."""
    try:
        act()
    finally:
        connections.close_all()


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
            elsewhere(lambda: disconnecting.end(linked, at=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = disconnected
        syncing.advance(run.pk, at=AT)
        assert not Record.objects.exists()
