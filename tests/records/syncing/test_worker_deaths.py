"""What kills one worker after another is given up and named, and costs nothing else of the record."""

import contextlib
import signal
import subprocess
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db.models.functions import Now

from apps.directory.models import ClientRegistration
from apps.records import ledger, syncing
from apps.records.models import SyncRun, SyncStep
from apps.records.shelving import building
from apps.records.syncing import stepping, sync_health
from apps.records.syncing.workers import leasing, worker_deaths
from tests.records.linked import AT, make_connection
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import step, stored, worker_process
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap
GOALS = f"GET /fhir/r4/Goal?patient={PATIENT_ID}"
SECOND = "GET /fhir/r4/Goal?page=2"


def let_lease_end(run):
    """As time does: the claim of the dead stays on the row."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))


@pytest.fixture
def practice(linked, provider):
    """Allergies, and goals on two pages."""
    provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Goal"))
    ClientRegistration.objects.update(requests_per_minute=1000, parallel_requests=2)
    after = f"{provider.base_url}/Goal?page=2"
    provider.answers[GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g1"}, next_url=after))
    provider.answers[SECOND] = http(body=bundle({"resourceType": "Goal", "id": "g2"}))
    return provider


@pytest.mark.django_db(transaction=True)
class TestAnAnswerThatKillsItsWorker:
    def test_is_given_up_after_some_deaths_and_costs_its_type_alone(self, linked, practice, caplog):
        workers: list[subprocess.Popen[bytes]] = []

        def killed(_request):
            workers[-1].kill()
            return http(503)

        practice.answers[ALLERGIES] = killed
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for _life in range(worker_deaths.MOST_DEATHS):
            workers.append(worker_process(run))
            assert workers[-1].wait(60) == -signal.SIGKILL
            let_lease_end(run)
        assert len(practice.sent(ALLERGIES)) == worker_deaths.MOST_DEATHS
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, stored("Goal"), stored("Patient")) == ("partial", {"g1", "g2"}, {PATIENT_ID})
        gaps = {one.resource_type: one.gap for one in run.steps.exclude(gap=Gap.NOT_OFFERED)}
        assert gaps == {"Patient": "", "Goal": "", "AllergyIntolerance": Gap.WORKER_DIED}
        assert len(practice.sent(ALLERGIES)) == worker_deaths.MOST_DEATHS
        assert max(len(practice.sent(page)) for page in (PATIENT, GOALS, SECOND)) <= 2
        assert "was given up after 5 deaths" in caplog.text
        lines = ledger.lines(linked, run, provider="Harbor")
        (said,) = [line for line in lines if line.subject == "Allergies and reactions"]
        assert (said.kind, "This is ours to fix." in said.sentence) == ("fault", True)


def left_by_a_dead_worker(run, *types):
    """As after a death with these steps in hand."""
    claim_id = uuid4()
    run.steps.filter(resource_type__in=types).update(status="getting", claim_id=claim_id)
    SyncRun.objects.filter(pk=run.pk).update(claim_id=claim_id, lease_until=Now() - timedelta(seconds=1))


@pytest.fixture
def run(linked, practice):
    """Planned and begun, and then its provider was silent; the patient came."""
    practice.answers[ALLERGIES] = practice.answers[GOALS] = http(503)
    run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
    syncing.advance(run.pk, at=AT)
    return run


def deaths(run):
    return {one.resource_type: one.deaths for one in run.steps.filter(resource_type__in=["AllergyIntolerance", "Goal"])}


class TestADeath:
    def test_counts_against_the_steps_in_hand(self, run):
        left_by_a_dead_worker(run, "Goal")
        leasing.claim(run.pk)
        run.refresh_from_db()
        assert (deaths(run), run.deaths) == ({"AllergyIntolerance": 0, "Goal": 1}, 0)

    def test_counts_against_no_step_that_an_earlier_worker_had_in_hand(self, run):
        left_by_a_dead_worker(run, "AllergyIntolerance")
        left_by_a_dead_worker(run, "Goal")
        leasing.claim(run.pk)
        assert deaths(run) == {"AllergyIntolerance": 0, "Goal": 1}

    def test_counts_against_the_run_where_no_step_was_in_hand(self, run):
        left_by_a_dead_worker(run)
        leasing.claim(run.pk)
        run.refresh_from_db()
        assert (set(deaths(run).values()), run.deaths) == ({0}, 1)

    def test_is_none_where_the_run_was_given_back(self, run):
        SyncRun.objects.update(lease_until=Now() - timedelta(seconds=1))
        leasing.claim(run.pk)
        run.refresh_from_db()
        assert (set(deaths(run).values()), run.deaths) == ({0}, 0)

    def test_is_forgotten_when_a_page_came(self, run, practice):
        practice.answers[GOALS] = http(
            body=bundle({"resourceType": "Goal", "id": "g1"}, next_url=f"{practice.base_url}/Goal?page=2")
        )
        practice.answers[SECOND] = http(503)
        left_by_a_dead_worker(run, "Goal", "AllergyIntolerance")
        syncing.advance(run.pk, at=AT)
        assert deaths(run) == {"AllergyIntolerance": 1, "Goal": 0}

    def test_makes_the_steps_be_taken_alone_and_last(self, run, practice):
        """A worker that dies then dies over one of them."""
        before = len(practice.asked)
        left_by_a_dead_worker(run, "AllergyIntolerance")
        syncing.advance(run.pk, at=AT)
        assert practice.asked[before:] == [GOALS, ALLERGIES]

    def test_lets_what_fewer_died_over_go_first(self, run, practice):
        before = len(practice.asked)
        run.steps.filter(resource_type="AllergyIntolerance").update(deaths=2)
        run.steps.filter(resource_type="Goal").update(deaths=1)
        SyncRun.objects.update(lease_until=Now() - timedelta(seconds=1))
        syncing.advance(run.pk, at=AT)
        assert practice.asked[before:] == [GOALS, ALLERGIES]


@pytest.fixture
def deadly(practice, monkeypatch):
    """Every worker dies over goals. Asked one after the other, so that what came before them is certain."""
    ClientRegistration.objects.update(parallel_requests=1)
    keep = stepping.store

    def store(one, *given, **options):
        if one.resource_type == "Goal":
            raise SystemExit
        return keep(one, *given, **options)

    monkeypatch.setattr(stepping, "store", store)
    return practice


def die(run):
    """One life of a worker, and the next one finds it dead."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
    with pytest.raises(SystemExit):
        syncing.advance(run.pk, at=AT)


class TestATypeThatHasToWait:
    def test_is_innocent_of_what_kills_beside_it(self, linked, deadly):
        deadly.answers[ALLERGIES] = http(503)
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for _life in range(worker_deaths.MOST_DEATHS):
            die(run)
        deadly.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        let_lease_end(run)
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert deaths(run) == {"AllergyIntolerance": 0, "Goal": worker_deaths.MOST_DEATHS}
        assert (step(run).status, step(run, "Goal").gap, run.deaths) == ("complete", Gap.WORKER_DIED, 0)


class TestAStepGivenUp:
    def test_is_tried_once_in_the_next_run(self, linked, run, practice):
        run.steps.filter(resource_type="Goal").update(deaths=worker_deaths.MOST_DEATHS)
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        SyncRun.objects.update(lease_until=Now() - timedelta(seconds=1))
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, step(run, "Goal").gap) == ("partial", Gap.WORKER_DIED)
        later = syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=AT + timedelta(minutes=1))
        syncing.advance(later.pk, at=AT + timedelta(minutes=1))
        assert deaths(later) == {"AllergyIntolerance": 0, "Goal": worker_deaths.MOST_DEATHS - 1}

    def test_is_innocent_where_it_came_in_the_next_run(self, linked, run, practice):
        self.test_is_tried_once_in_the_next_run(linked, run, practice)
        practice.answers[GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g1"}))
        later = SyncRun.objects.get(finished_at=None)
        SyncRun.objects.filter(pk=later.pk).update(lease_until=Now() - timedelta(seconds=1))
        syncing.advance(later.pk, at=AT + timedelta(minutes=1))
        assert (step(later, "Goal").status, step(later, "Goal").deaths) == ("complete", 0)


class TestDeathsWithNoStepInHand:
    def test_over_what_a_provider_offers_let_everything_be_asked_for(self, linked, practice):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        SyncRun.objects.update(deaths=worker_deaths.MOST_DEATHS_OF_A_RUN)
        syncing.advance(run.pk, at=AT)
        assert practice.sent(METADATA) == []
        assert stored("Goal") == {"g1", "g2"}
        run.refresh_from_db()
        assert run.deaths == 0

    def test_over_shelves_leave_them_for_later_and_end_the_run(self, run, practice, monkeypatch, caplog):
        practice.answers[ALLERGIES] = practice.answers[GOALS] = http(body=bundle(allergy("a1")))
        built = []
        monkeypatch.setattr(building, "build", lambda *given, **_options: built.append(given))
        SyncRun.objects.update(deaths=worker_deaths.MOST_DEATHS_OF_A_RUN, lease_until=Now() - timedelta(seconds=1))
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, built) == ("complete", [])
        assert run.steps.filter(needs_shelf=True).exists()
        assert "Shelves are not built" in caplog.text

    def test_ten_times_over_shelves_leave_nothing_undone(self, run, practice, monkeypatch):
        practice.answers[ALLERGIES] = practice.answers[GOALS] = http(body=bundle(allergy("a1")))
        left, build = [None] * 10, building.build

        def killed(*given, **options):
            if left:
                left.pop()
                raise SystemExit
            return build(*given, **options)

        monkeypatch.setattr(building, "build", killed)
        for _life in range(15):
            let_lease_end(run)
            with contextlib.suppress(SystemExit):
                syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, run.steps.filter(needs_shelf=True).exists(), left) == ("complete", False, [])

    def test_are_told_from_those_of_steps_by_what_building_puts_down(self, run, practice, monkeypatch):
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1")))

        def killed(*_given, **_options):
            raise SystemExit

        monkeypatch.setattr(building, "build", killed)
        SyncRun.objects.update(lease_until=Now() - timedelta(seconds=1))
        with pytest.raises(SystemExit):
            syncing.advance(run.pk, at=AT)
        SyncRun.objects.update(lease_until=Now() - timedelta(seconds=1))
        leasing.claim(run.pk)
        run.refresh_from_db()
        assert (set(deaths(run).values()), run.deaths) == ({0}, 1)

    def test_are_forgotten_by_a_worker_that_lives(self, run):
        SyncRun.objects.update(deaths=worker_deaths.MOST_DEATHS_OF_A_RUN - 1, lease_until=Now() - timedelta(seconds=1))
        lease = leasing.claim(run.pk)
        assert lease is not None
        lease.give_back()
        run.refresh_from_db()
        assert run.deaths == 0


class TestShelvesGivenUp:
    """What is left off the shelves stays marked, and the next run would kill as many workers over it again."""

    @pytest.fixture
    def ended(self, linked, practice):
        """A run that ended without its shelves, since workers died over them."""
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        syncing.advance(run.pk, at=AT)
        run.steps.filter(resource_type="AllergyIntolerance").update(needs_shelf=True)
        SyncRun.objects.update(deaths=worker_deaths.MOST_DEATHS_OF_A_RUN)
        return run

    @pytest.fixture
    def killing(self, monkeypatch):
        """Each worker dies as it builds; how many did."""
        died = []

        def killed(*_given, **_options):
            died.append(1)
            raise SystemExit

        monkeypatch.setattr(building, "build", killed)
        return died

    def live_and_die(self, connection, *, minutes):
        """One run, taken up again as long as it is open."""
        run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=AT + timedelta(minutes=minutes))
        for _life in range(20):
            let_lease_end(run)
            with contextlib.suppress(SystemExit):
                syncing.advance(run.pk, at=AT + timedelta(minutes=minutes))
        run.refresh_from_db()
        return run

    def test_cost_each_later_run_one_worker(self, linked, ended, killing):
        for later in (1, 2, 3):
            run = self.live_and_die(linked, minutes=later)
            assert (run.outcome, run.deaths, len(killing)) == ("complete", worker_deaths.MOST_DEATHS_OF_A_RUN, later)
            assert (run.pk, linked.pk) in sync_health.examine(at=AT + timedelta(minutes=later)).unshelved

    def test_cost_no_worker_more_where_its_provider_is_silent(self, linked, practice, ended, killing):
        practice.answers[METADATA] = http(503)
        run = self.live_and_die(linked, minutes=1)
        assert (bool(run.outcome), len(killing)) == (True, 1)

    def test_are_built_by_the_next_run_where_they_kill_no_more(self, linked, ended):
        run = self.live_and_die(linked, minutes=1)
        assert (run.outcome, run.steps.filter(needs_shelf=True).exists()) == ("complete", False)
        assert not ended.steps.filter(needs_shelf=True).exists()
        last = self.live_and_die(linked, minutes=2)
        assert last.deaths == 0

    def test_are_over_once_an_operator_has_built_them(self, linked, ended):
        assert sync_health.examine(at=AT).unshelved == ((ended.pk, linked.pk),)
        call_command("rebuild_shelves", "--connection", str(linked.pk))
        assert sync_health.examine(at=AT).unshelved == ()
        assert not ended.steps.filter(needs_shelf=True).exists()

    def test_stay_marked_while_their_run_goes_on(self, linked, ended):
        """What it brings after its shelves were read is not on them."""
        ended.steps.update(needs_shelf=False)
        run = syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=AT + timedelta(minutes=1))
        SyncStep.objects.create(
            run=run, user=linked.user, resource_type="Goal", status="complete", needs_shelf=True, finished_at=AT
        )
        call_command("rebuild_shelves", "--connection", str(linked.pk))
        assert run.steps.filter(needs_shelf=True).exists()

    def test_cost_another_copy_nothing(self, linked, ended, sam):
        theirs = syncing.start(make_connection(sam, linked.endpoint), cause=SyncRun.Cause.PATIENT, at=AT)
        syncing.advance(theirs.pk, at=AT)
        theirs.refresh_from_db()
        assert theirs.deaths == 0


class TestAStranger:
    def test_has_no_death_counted_for_what_killed_another_copy(self, run, sam):
        theirs = syncing.start(make_connection(sam, run.connection.endpoint), cause=SyncRun.Cause.CONFIRMED, at=AT)
        SyncStep.objects.create(run=theirs, user=sam, resource_type="Goal", status="getting")
        left_by_a_dead_worker(run, "Goal")
        leasing.claim(run.pk)
        assert theirs.steps.get().deaths == 0
