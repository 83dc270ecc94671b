"""What is kept of sync runs: what the ledger and pages need, and the last month."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from apps.connections.models import Connection
from apps.records import ledger, tasks
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import pruning
from apps.records.viewing.opening import overview
from config.celery import SCHEDULE
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(days=365)


@pytest.fixture
def connection(connection):
    """Long confirmed."""
    Connection.objects.update(confirmed_at=AT - timedelta(days=500))
    return connection


@pytest.fixture
def ran():
    """Leaves a run that ended `days` after AT; its allergies came to their end, or not."""

    def run(connection, days, *, gap="", stated=""):
        ended_at = AT + timedelta(days=days)
        run = SyncRun.objects.create(
            user=connection.user,
            connection=connection,
            cause="schedule",
            outcome="partial" if gap else "complete",
            stated_version=stated,
            created_at=ended_at - timedelta(minutes=1),
            finished_at=ended_at,
        )
        for resource_type, missing in (("Patient", ""), ("AllergyIntolerance", gap)):
            SyncStep.objects.create(
                run=run,
                user=connection.user,
                resource_type=resource_type,
                status="gap" if missing else "complete",
                gap=missing,
                finished_at=ended_at,
            )
        return run

    return run


def left():
    return list(SyncRun.objects.order_by("created_at"))


class TestPruning:
    def test_drops_what_is_over_a_month_old_with_its_steps(self, connection, ran):
        ran(connection, 0)
        kept = ran(connection, 1)
        assert pruning.prune(at=LATER) == 1
        assert left() == [kept]
        assert SyncStep.objects.count() == 2

    def test_keeps_the_last_thirty_days(self, connection, ran):
        runs = [ran(connection, days) for days in (0, 30)]
        assert pruning.prune(at=AT + timedelta(days=30)) == 0
        assert left() == runs
        assert pruning.prune(at=AT + timedelta(days=30, seconds=1)) == 1

    def test_keeps_the_last_proof_of_each_type(self, connection, ran):
        ran(connection, 0)
        proof = ran(connection, 1)
        ran(connection, 2, gap="refused")
        last = ran(connection, 3, gap="refused")
        before = said(connection)
        assert pruning.prune(at=LATER) == 2
        assert left() == [proof, last]
        assert said(connection) == before

    def test_keeps_the_latest_run_though_it_proved_nothing(self, connection, ran):
        last = ran(connection, 0, gap="refused")
        SyncStep.objects.update(status="gap", gap="refused")
        assert pruning.prune(at=LATER) == 0
        assert left() == [last]

    def test_keeps_the_last_run_with_which_rows_went_as_their_provider_changed_over(self, connection, ran):
        earlier, went, _between, last = (ran(connection, days) for days in range(4))
        for run, rows in ((earlier, 2), (went, 3), (last, 0)):
            step = SyncStep(run=run, user=connection.user, resource_type="MedicationOrder", rows_removed=rows)
            step.status, step.gap, step.finished_at = "gap", "not_offered", run.finished_at
            step.save()
        assert pruning.prune(at=LATER) == 2
        assert left() == [went, last]

    def test_keeps_the_runs_of_the_week_after_each_version_of_a_provider_was_first_stated(self, connection, ran):
        versions = [(0, "dstu2"), (20, "dstu2"), (21, "r4"), (22, ""), (25, "r4"), (29, "r4"), (40, "r4"), (60, "r4")]
        first, _dstu2, changed, _unstated, late, *_known, last = (
            ran(connection, days, stated=version) for days, version in versions
        )
        assert pruning.prune(at=LATER) == 4
        assert left() == [first, changed, late, last]

    def test_keeps_none_for_its_version_where_no_other_was_stated(self, connection, ran):
        for days in range(3):
            ran(connection, days, stated="r4")
        assert pruning.prune(at=LATER) == 2

    def test_keeps_the_run_that_began_with_the_confirmation(self, connection, ran):
        first = ran(connection, 0)
        Connection.objects.update(confirmed_at=first.created_at)
        _second, last = ran(connection, 1), ran(connection, 2)
        assert pruning.prune(at=LATER) == 1
        assert left() == [first, last]

    def test_keeps_what_is_open(self, connection, ran):
        ran(connection, 1)
        opened = SyncRun.objects.create(user=connection.user, connection=connection, cause="schedule", created_at=AT)
        pruning.prune(at=LATER)
        assert opened in left()

    def test_tells_connections_apart(self, connection, alice, ran):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        proof, latest = ran(connection, 0), ran(connection, 1)
        SyncStep.objects.filter(run=latest).update(status="gap", gap="refused")
        theirs = ran(other, 2)
        assert pruning.prune(at=LATER) == 0
        assert left() == [proof, latest, theirs]

    def test_goes_on_until_nothing_is_left(self, connection, ran, monkeypatch):
        monkeypatch.setattr(pruning, "_BATCH", 2)
        for days in range(6):
            ran(connection, days)
        assert pruning.prune(at=LATER) == 5

    def test_holds_no_connection_meanwhile(self, connection, ran):
        """Whoever writes down a refreshed token would wait for it."""
        ran(connection, 0)
        ran(connection, 1)
        with CaptureQueriesContext(database) as asked:
            pruning.prune(at=LATER)
        held = [one["sql"].rpartition("FOR UPDATE")[2] for one in asked.captured_queries if "FOR UPDATE" in one["sql"]]
        assert set(held) == {' OF "records_syncrun" SKIP LOCKED'}

    def test_happens_by_the_clock(self, connection, ran):
        ran(connection, -400)
        ran(connection, -399)
        tasks.prune_runs()
        assert len(left()) == 1
        assert tasks.prune_runs.name in [row.task for row in SCHEDULE]


def said(connection):
    """What the page says of the connection, and of each subject."""
    found = overview.of(connection, at=LATER)
    latest = connection.sync_runs.order_by("-created_at").first()
    return found.state, ledger.lines(connection, latest, provider="the provider")
