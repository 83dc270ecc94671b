"""What operators learn about copies: what kills workers and what waits too long, and nothing about anybody's health."""

import io
import json
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.records import syncing
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing.workers import worker_deaths
from tests.records.linked import make_connection
from tests.records.people import PATIENT_ID

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(alice):
    """Opened now; the patient came, allergies are under way."""
    run = syncing.start(make_connection(alice), cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
    for resource_type, status in (("Patient", "complete"), ("AllergyIntolerance", "getting")):
        SyncStep.objects.create(run=run, user=alice, resource_type=resource_type, status=status)
    return run


def told(*options):
    said = io.StringIO()
    try:
        call_command("sync_health", *options, stdout=said)
    except CommandError as ended:
        return ended.returncode, said.getvalue()
    return 0, said.getvalue()


def end(run, *, ago=timedelta(), **columns):
    at = timezone.now() - ago
    SyncRun.objects.filter(pk=run.pk).update(outcome="partial", finished_at=at, **columns)
    run.steps.update(finished_at=at)


class TestHealthOfCopies:
    def test_is_well_where_a_run_was_just_opened(self, run):
        assert told() == (0, "All is well with copies.\n")

    @pytest.mark.parametrize("of_step", [True, False])
    def test_names_an_open_run_over_which_workers_died(self, run, of_step):
        (run.steps.filter(status="getting") if of_step else SyncRun.objects.filter(pk=run.pk)).update(deaths=3)
        code, said = told()
        assert (code, f"workers_die: run {run.pk}: 3 times" in said, "(us)" in said) == (1, True, True)

    def test_names_what_was_given_up_in_the_last_days(self, run):
        run.steps.filter(status="getting").update(status="gap", gap=SyncStep.Gap.WORKER_DIED, deaths=5)
        end(run, ago=timedelta(days=1))
        code, said = told()
        assert (code, said) == (1, f"step_given_up: run {run.pk}, AllergyIntolerance: workers died over it. (us)\n")
        end(run, ago=timedelta(days=3))
        assert told()[0] == 0

    def test_names_a_run_whose_shelves_were_given_up_until_they_are_built(self, run):
        run.steps.update(needs_shelf=True)
        end(run, deaths=worker_deaths.MOST_DEATHS_OF_A_RUN)
        code, said = told()
        assert (code, f"shelves_not_built: run {run.pk}, connection {run.connection_id}: " in said) == (1, True)
        run.steps.update(needs_shelf=False)
        assert told()[0] == 0

    def test_says_that_runs_wait_which_nobody_takes_up(self, run):
        SyncRun.objects.update(created_at=timezone.now() - timedelta(minutes=20))
        code, said = told()
        assert (code, "runs_waiting: 1, the oldest since" in said) == (1, True)

    def test_is_one_object_for_monitors(self, run):
        run.steps.filter(status="getting").update(deaths=2)
        code, said = told("--json")
        found = json.loads(said)
        assert (code, found["dying"], found["is_well"]) == (1, [[str(run.pk), 2]], False)

    def test_writes_its_times_as_that_of_links_does(self, run):
        since_at = timezone.now() - timedelta(minutes=20)
        SyncRun.objects.update(created_at=since_at)
        found = json.loads(told("--json")[1])
        assert found["waiting_since_at"] == since_at.isoformat()
        assert datetime.fromisoformat(found["at"]).isoformat() == found["at"]

    def test_tells_neither_whose_copy_it_is_nor_what_came(self, run, alice):
        run.steps.filter(status="getting").update(deaths=2)
        for said in (told()[1], told("--json")[1]):
            for canary in (alice.email, str(alice.pk), PATIENT_ID, str(run.connection_id)):
                assert canary not in said
