"""Finding the runs that brought a record anew after a change of version, without reading other people's runs."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.utils import timezone

from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import resent_after_version_change
from tests.records.linked import make_connection, make_endpoint

pytestmark = pytest.mark.django_db

OTHERS = 2_000
DAY = timedelta(days=1)


def runs_of(connection, *versions):
    """One a day until today, each of which changed allergies."""
    at = timezone.now() - len(versions) * DAY
    runs = [
        SyncRun(
            user=connection.user, connection=connection, cause="schedule", outcome="complete", stated_version=version,
            created_at=at + number * DAY, finished_at=at + number * DAY,
        )
        for number, version in enumerate(versions)
    ]  # fmt: skip
    SyncRun.objects.bulk_create(runs)
    step = {"user": connection.user, "resource_type": "AllergyIntolerance", "status": "complete", "rows_changed": 1}
    SyncStep.objects.bulk_create(SyncStep(run=run, finished_at=run.finished_at, **step) for run in runs)
    return runs


def looked_at(plan):
    """How many rows of runs, whether they were used or not."""
    own = plan.get("Actual Rows", 0) + plan.get("Rows Removed by Filter", 0)
    is_of_runs = plan.get("Relation Name") == "records_syncrun"
    return (own * plan["Actual Loops"] if is_of_runs else 0) + sum(map(looked_at, plan.get("Plans", ())))


class TestWhatWasSentAnew:
    def test_is_found_without_reading_the_runs_of_others(self, connection, sam):
        runs_of(make_connection(sam, make_endpoint("https://other.example/r4")), *["dstu2", "r4"] * (OTHERS // 2))
        _before, changed, _after = runs_of(connection, "dstu2", "r4", "r4")
        with database.cursor() as cursor:
            cursor.execute("ANALYZE records_syncrun, records_syncstep")
        plans = []

        def explain(execute, sql, values, many, context):
            execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values, many, context)
            plans.append(context["cursor"].fetchone()[0][0]["Plan"])
            return execute(sql, values, many, context)

        with database.execute_wrapper(explain):
            found = resent_after_version_change.since([connection.pk], timezone.now() - 9 * DAY)
        assert [one.run_id for one in found] == [changed.pk]
        assert looked_at(plans[0]) < 50
