"""The choice of what to download takes as many queries for many sources as for one."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from apps.records.exporting import choosing
from apps.records.models import SyncRun, SyncStep
from tests.records.exporting.keeping import keep
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(days=1)


def linked(user, number: int):
    """A record with so many allergies, of which another type did not come."""
    connection = make_connection(user, make_endpoint(f"https://fhir{number}.example/r4"))
    keep(connection, R4_PATIENT, *(allergy(f"a{place}") for place in range(number)))
    for hours in (0, number):
        at = AT + timedelta(hours=hours)
        run = SyncRun.objects.create(
            user=user, connection=connection, cause="schedule", outcome="partial", created_at=at, finished_at=at,
            stated_version="r4",
        )  # fmt: skip
        step = {"run": run, "user": user, "finished_at": at}
        SyncStep.objects.create(**step, resource_type="AllergyIntolerance", status="complete", rows_got=number)
        SyncStep.objects.create(
            **step, resource_type="Condition", status="gap", gap="refused" if hours else "not_shared"
        )
    return connection


class TestChoices:
    def test_take_as_many_queries_for_one_source_as_for_five(self, alice):
        asked = []
        for number in range(1, 6):
            linked(alice, number)
            with CaptureQueriesContext(
                database,
            ) as queries:
                assert len(choosing.choices(alice, at=LATER)) == number
            asked.append(len(queries))
        assert len(set(asked)) == 1, asked

    def test_say_of_each_what_it_says_alone(self, alice, sam):
        connections = [linked(alice, number) for number in range(1, 4)]
        linked(sam, 4)
        together = choosing.choices(alice, at=LATER)
        alone = [choosing.choices(alice, among=[one.pk], at=LATER) for one in connections]
        assert [(choice,) for choice in together] == alone
        assert [choice.entries for choice in together] == [2, 3, 4]  # with the patient
        assert [choice.source.number for choice in together] == [1, 2, 3]
        assert all(choice.gaps.missing for choice in together)

    def test_are_those_of_nobody_else(self, alice, sam):
        hers = linked(alice, 1)
        assert choosing.choices(sam, at=LATER) == ()
        assert choosing.choices(sam, among=[hers.pk], at=LATER) == ()
