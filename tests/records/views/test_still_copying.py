"""Pages of a record whose first copy is under way or did not finish, or that was not checked for long."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import syncing
from apps.records.models import SyncRun, SyncStep
from tests.records.linked import AT
from tests.records.pages import ask, page
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import sync_now
from tests.records.shelved import keep, order, result
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


class TestARecordThatIsStillBeingCopied:
    SAID = "We have not finished copying this record: entries may be missing."

    def test_says_so_and_where_to_see_how_far(self, hers, sam, connection):
        keep(connection, result(0))
        pages = [("whole_record",), ("everything_by_date",), ("subject", "results")]
        for there in pages:
            text = page(hers, *there)
            assert self.SAID in text
            assert reverse("record", args=[connection.pk]) in text
        hers.force_login(sam)
        for there in pages:
            assert str(connection.pk) not in page(hers, *there)

    def test_says_when_it_was_checked_once_it_is(self, hers, connection):
        connection.last_checked_at = AT
        connection.save()
        text = page(hers, "whole_record")
        assert self.SAID not in text
        assert "From Harbor Family Practice · checked" in text

    def test_counts_what_came_so_far(self, hers, sam, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        SyncStep.objects.create(run=run, user=linked.user, resource_type="Observation")
        keep(linked, result(0), result(1))
        for there in (("everything_by_date",), ("subject", "results")):
            assert "2 entries so far, newest first" in page(hers, *there)
        SyncRun.objects.update(finished_at=timezone.now(), outcome=SyncRun.Outcome.COMPLETE)
        for there in (("everything_by_date",), ("subject", "results")):
            assert "2 entries, newest first" in page(hers, *there)
        hers.force_login(sam)
        assert "2 entries" not in page(hers, "subject", "results")

    def test_offers_no_other_order_of_nothing(self, hers, connection):
        assert "Show A to Z" not in page(hers, "subject", "results")
        keep(connection, result(0))
        assert "Show A to Z" in page(hers, "subject", "results")


class TestARecordThatIsNotUpToDate:
    @pytest.mark.parametrize("there", [("whole_record",), ("everything_by_date",), ("subject", "results")])
    def test_says_so_and_leads_to_why(self, hers, connection, there):
        keep(connection, result(0))
        Connection.objects.update(last_checked_at=timezone.now() - timedelta(days=8))
        why = f'<a class="no-print" href="{reverse("record", args=[connection.pk])}">See why<'
        text = page(hers, *there)
        assert text.index("Not up to date.") < text.index(why)
        Connection.objects.update(last_checked_at=timezone.now())
        assert why not in page(hers, *there)


class TestARecordWhoseFirstCopyLackedOneKind:
    COPYING = "We have not finished copying this record"
    LACKING = "From Harbor Family Practice · Not all of this came: entries may be missing."
    CHECKED = "From Harbor Family Practice · checked"

    @pytest.fixture
    def run(self, linked, provider, soon):
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Goal"))
        provider.answers["GET /fhir/r4/Goal?patient=p-7301"] = http(body=b"[]")
        run = sync_now(linked)
        assert run.outcome == SyncRun.Outcome.PARTIAL
        keep(linked, {"resourceType": "Goal", "id": "g1", "description": {"text": "Walk"}})
        return run

    def test_says_of_each_list_what_is_true_of_its_kinds(self, hers, linked, run):
        allergies, plans = page(hers, "subject", "allergies"), page(hers, "subject", "plans")
        assert self.CHECKED in allergies
        assert self.LACKING not in allergies
        assert self.LACKING in plans
        assert self.CHECKED not in plans
        why = f'<a class="no-print" href="{reverse("record", args=[linked.pk])}">See why<'
        assert why in plans[plans.index(self.LACKING) :]
        assert self.COPYING not in allergies + plans

    def test_says_of_all_lists_at_once_that_something_is_missing(self, hers, run):
        for text in (page(hers, "whole_record"), page(hers, "everything_by_date"), ask(hers, "pteridine")):
            assert self.LACKING in text
            assert self.COPYING not in text

    def test_says_so_on_a_card_of_what_is_on_it(self, hers, run):
        assert self.CHECKED in page(hers, "card_to_carry")
        SyncStep.objects.filter(resource_type="AllergyIntolerance").update(status="gap", gap="refused")
        text = page(hers, "card_to_carry")
        assert self.LACKING in text
        assert self.COPYING not in text

    def test_waits_for_no_kind_that_it_never_asks_for(self, hers, run):
        assert "Harbor Family Practice does not offer this to apps." in page(hers, "subject", "insurance")

    def test_says_the_same_while_it_is_checked_again(self, hers, linked, run):
        again = SyncRun.objects.create(user=linked.user, connection=linked, cause="schedule", created_at=timezone.now())
        for name in ("AllergyIntolerance", "Goal"):
            SyncStep.objects.create(run=again, user=linked.user, resource_type=name)
        assert self.CHECKED in page(hers, "subject", "allergies")
        assert self.LACKING in page(hers, "subject", "plans")

    def test_says_of_what_has_come_that_it_is_here_before_all_has(self, hers, run):
        SyncRun.objects.update(finished_at=None, outcome="")
        assert self.CHECKED in page(hers, "subject", "allergies")
        assert self.COPYING in page(hers, "subject", "plans")
        SyncStep.objects.update(needs_shelf=True)
        assert self.COPYING in page(hers, "subject", "allergies")

    def test_calls_up_to_date_what_came_whole_lately(self, hers, linked, provider, run):
        Connection.objects.update(last_checked_at=timezone.now() - timedelta(days=8))
        allergies, plans = page(hers, "subject", "allergies"), page(hers, "subject", "plans")
        assert "Not up to date." not in allergies
        assert self.CHECKED in allergies
        assert "Not up to date." in plans

    def test_calls_a_list_no_more_up_to_date_than_the_kind_that_came_longest_ago(self, hers, linked, run):
        Connection.objects.update(last_checked_at=timezone.now() - timedelta(days=9))
        earlier = run.steps.filter(resource_type="DiagnosticReport").update(
            finished_at=timezone.now() - timedelta(days=8)
        )
        assert earlier == 1
        keep(linked, result(0))
        assert "Not up to date." in page(hers, "subject", "results")
        run.steps.update(finished_at=timezone.now())
        assert "Not up to date." not in page(hers, "subject", "results")

    def test_says_nothing_of_a_kind_that_only_a_version_from_before_had(self, hers, linked, run):
        keep(linked, order("m1"))
        assert self.CHECKED in page(hers, "subject", "medicines")
        before = SyncRun.objects.create(
            user=linked.user, connection=linked, cause="schedule", outcome="partial",
            created_at=run.created_at - timedelta(days=1), finished_at=run.created_at,
        )  # fmt: skip
        lacking = {"status": "gap", "gap": "refused", "finished_at": run.created_at}
        SyncStep.objects.create(run=before, user=linked.user, resource_type="MedicationOrder", **lacking)
        assert self.CHECKED in page(hers, "subject", "medicines")

    def test_believes_no_clock_by_which_a_kind_comes_whole_tomorrow(self, hers, run):
        run.steps.update(finished_at=timezone.now() + timedelta(days=1))
        assert self.CHECKED not in page(hers, "subject", "allergies")


class TestARecordOfWhichNothingHasCome:
    def test_says_that_its_copy_is_under_way_until_it_has_ended(self, hers, linked, provider, soon):
        provider.answers[ALLERGIES] = http(503)
        provider.answers[METADATA] = http(503)
        run = sync_now(linked)
        keep(linked, result(0))
        assert run.finished_at is None
        said = "From Harbor Family Practice · We have not finished copying this record: entries may be missing."
        assert said in page(hers, "subject", "results")
