"""What monitors read about copies: which are late, fail or lack something, and nothing about anybody's health."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.connections.models import Connection
from apps.directory.models import Endpoint
from apps.portal.views import metrics
from apps.records import syncing
from apps.records.models import QuarantinedRow, SyncRun, SyncStep
from tests.records.linked import make_connection, make_endpoint
from tests.records.people import PATIENT_ID

pytestmark = pytest.mark.django_db

TOKEN = "a token for monitors alone, and long enough"
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def connection(alice):
    return make_connection(alice)


def text():
    metrics.readings.forget()
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    return answer.content.decode()


def read(name):
    """The values of one metric, by what its further labels say."""
    return {
        tuple(value for label, value in sample.labels.items() if label not in {"registration", "name"}): sample.value
        for family in text_string_to_metric_families(text())
        for sample in family.samples
        if sample.name == name
    }


def checked(connection, *, ago, **columns):
    at = None if ago is None else timezone.now() - ago
    Connection.objects.filter(pk=connection.pk).update(last_checked_at=at, **columns)


def run(connection, *steps, outcome="partial", ago=timedelta()):
    """A run that ended: each step is a resource type and why something of it is missing, "" where nothing is."""
    at = timezone.now() - ago
    made = syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=at)
    for resource_type, gap in steps:
        status = "gap" if gap else "complete"
        SyncStep.objects.create(
            run=made, user_id=made.user_id, resource_type=resource_type, status=status, gap=gap, finished_at=at
        )
    SyncRun.objects.filter(pk=made.pk).update(outcome=outcome, finished_at=at)
    return made


class TestAStaleCopy:
    @pytest.mark.parametrize(("ago", "number"), [(DAY, 0), (2 * DAY + timedelta(minutes=1), 1), (None, 1)])
    def test_is_one_not_seen_to_be_complete_for_two_days(self, connection, ago, number):
        checked(connection, ago=ago, confirmed_at=timezone.now() - 3 * DAY)
        assert read("holdfast_copies_stale") == {(): number}

    def test_is_none_of_somebody_who_confirmed_today(self, connection):
        checked(connection, ago=None, confirmed_at=timezone.now() - DAY)
        assert read("holdfast_copies_stale") == {(): 0}

    def test_is_none_that_waits_for_its_patient_or_was_switched_off(self, connection):
        checked(connection, ago=3 * DAY, status="needs_reauthorization", reason="window_over")
        assert read("holdfast_copies_stale") == {(): 0}
        checked(connection, ago=3 * DAY, status="active", reason="")
        Endpoint.objects.update(is_switched_on=False)
        assert read("holdfast_copies_stale") == {(): 0}


class TestChecksThatEnded:
    def test_are_counted_by_how_for_an_hour(self, connection):
        run(connection, ("Patient", ""), outcome="complete")
        run(connection, ("Patient", ""), ("Goal", "unavailable"))
        run(connection, ("Patient", "unavailable"), outcome="failed", ago=timedelta(minutes=50))
        run(connection, ("Patient", "unavailable"), outcome="failed", ago=timedelta(minutes=61))
        assert read("holdfast_copies_ended") == {("complete",): 1, ("partial",): 1, ("failed",): 1}

    def test_say_why_something_is_missing(self, connection):
        run(connection, ("Patient", ""), ("Goal", "unavailable"), ("Device", "unavailable"), ("Coverage", "refused"))
        assert read("holdfast_copy_gaps") == {("unavailable",): 2, ("refused",): 1}

    def test_do_not_count_what_is_not_shared_or_not_offered(self, connection):
        run(connection, ("Patient", ""), ("Goal", "not_shared"), ("Device", "not_offered"))
        assert read("holdfast_copy_gaps") == {}

    def test_stand_under_their_own_registration(self, connection, alice):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        run(other, ("Patient", ""), ("Goal", "refused"))
        lines = [line for line in text().splitlines() if line.startswith("holdfast_copy_gaps{")]
        assert [str(other.registration_id) in line for line in lines] == [True]


class TestFindings:
    def test_are_those_of_the_command(self, connection):
        assert read("holdfast_sync_health") == {(): 0}
        made = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now() - timedelta(minutes=20))
        SyncRun.objects.filter(pk=made.pk).update(deaths=2)
        assert read("holdfast_sync_health") == {(): 1}
        found = read("holdfast_copy_findings")
        assert (found["workers_die",], found["runs_waiting",], found["step_given_up",]) == (1, 1, 0)
        assert read("holdfast_oldest_run_seconds")[()] == pytest.approx(1200, abs=60)

    def test_count_what_is_in_quarantine_and_do_not_say_what_it_is(self, connection, alice):
        made = run(connection, ("Goal", "other_patient"))
        QuarantinedRow.objects.create(
            user=alice, connection=connection, run=made, resource_type="Goal", digest=b"d", sealed_body=b"CANARY",
            received_at=timezone.now(),
        )  # fmt: skip
        assert read("holdfast_rows_quarantined") == {(): 1}
        for canary in (alice.email, str(alice.pk), str(connection.pk), str(made.pk), PATIENT_ID, "CANARY", "Goal"):
            assert canary not in text()

    def test_are_found_by_an_index_of_what_is_missing_alone(self, connection):
        """Of a million links there are a billion steps; the last hour's gaps are thousands."""
        run(connection, *((f"Type{number}", "") for number in range(200)), ("Goal", "unavailable"))
        with CaptureQueriesContext(database) as asked:
            text()
        (gaps,) = [
            one["sql"] for one in asked.captured_queries if '"gap" AS' in one["sql"] or '"gap", COUNT' in one["sql"]
        ]
        with database.cursor() as cursor:
            cursor.execute("ANALYZE records_syncstep")
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {gaps}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "sync_steps_with_gaps" in plan

    def test_take_as_many_questions_for_many_copies_as_for_one(self, connection, alice):
        def questions():
            metrics.readings.forget()
            with CaptureQueriesContext(database) as asked:
                text()
            return len(asked)

        few = questions()
        for number in range(5):
            other = make_connection(alice, make_endpoint(f"https://other{number}.example/r4"))
            run(other, ("Patient", ""), ("Goal", "refused"))
        assert questions() == few
