"""The patient asks for a check, and the page answers."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.records.models import SyncRun
from tests.records.pages import page
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES
from tests.records.runs import sync_now
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("soon")]


class TestCheckingAgain:
    def test_opens_a_run(self, hers, linked):
        response = hers.post(reverse("check_again", args=[linked.pk]))
        assert response["Location"] == reverse("record", args=[linked.pk])
        assert SyncRun.objects.get().cause == SyncRun.Cause.PATIENT

    def test_twice_finds_the_run_that_is_open(self, hers, linked):
        hers.post(reverse("check_again", args=[linked.pk]))
        hers.post(reverse("check_again", args=[linked.pk]))
        assert SyncRun.objects.count() == 1

    def test_too_soon_says_when(self, hers, linked):
        sync_now(linked)
        response = hers.post(reverse("check_again", args=[linked.pk]), follow=True)
        assert "Checked a moment ago. You can check again at" in response.content.decode()
        assert SyncRun.objects.count() == 1

    def test_is_answered_where_nothing_was_new(self, hers, linked):
        sync_now(linked)
        sync_now(linked, SyncRun.Cause.PATIENT)
        assert "Up to date. Nothing new" in page(hers, "record", linked.pk)

    def test_is_answered_with_how_much_came_or_changed(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a7"), allergy("a8")))
        sync_now(linked, SyncRun.Cause.PATIENT)
        run = SyncRun.objects.get(cause=SyncRun.Cause.PATIENT)
        changed = run.steps.get(resource_type="AllergyIntolerance").rows_changed
        assert changed > 1
        text = page(hers, "record", linked.pk)
        assert f"Up to date. {changed} entries are new or changed" in text
        assert f'href="{reverse("what_is_new")}?of={linked.pk}">What is new</a>' in text

    def test_counts_nobody_of_whom_entries_tell(self, hers, linked):
        sync_now(linked)
        run = sync_now(linked, SyncRun.Cause.PATIENT)
        assert run.steps.filter(resource_type="Practitioner").update(rows_changed=1)
        assert "Up to date. Nothing new" in page(hers, "record", linked.pk)

    def test_is_no_longer_answered_after_a_while(self, hers, linked):
        sync_now(linked)
        sync_now(linked, SyncRun.Cause.PATIENT)
        SyncRun.objects.update(finished_at=timezone.now() - timedelta(minutes=11))
        assert "Up to date." not in page(hers, "record", linked.pk)

    @pytest.mark.parametrize("cause", [SyncRun.Cause.CONFIRMED, SyncRun.Cause.SCHEDULE])
    def test_is_answered_to_nobody_who_did_not_ask(self, hers, linked, cause):
        sync_now(linked, cause)
        assert "Up to date." not in page(hers, "record", linked.pk)

    @pytest.mark.parametrize(("gap", "said", "not_said"), [
        ("not_shared", "Up to date, except what is not shared", "but not everything came"),
        ("unavailable", "Updated, but not everything came", "except what is not shared"),
    ])  # fmt: skip
    def test_calls_what_was_left_out_on_purpose_no_trouble(self, hers, linked, gap, said, not_said):
        run = sync_now(linked)
        run.steps.filter(resource_type="AllergyIntolerance").update(status="gap", gap=gap)
        SyncRun.objects.update(outcome="partial")
        text = page(hers, "record", linked.pk)
        assert said in text
        assert not_said not in text

    def test_is_answered_also_where_something_was_left_out_on_purpose(self, hers, linked):
        sync_now(linked)
        run = sync_now(linked, SyncRun.Cause.PATIENT)
        run.steps.filter(resource_type="AllergyIntolerance").update(status="gap", gap="not_shared")
        SyncRun.objects.filter(pk=run.pk).update(outcome="partial")
        assert "Nothing new. What is not shared is listed below." in page(hers, "record", linked.pk)
        run.steps.filter(resource_type="Condition").update(rows_changed=2)
        assert "2 entries are new or changed. What is not shared" in page(hers, "record", linked.pk)

    def test_is_not_answered_so_where_something_is_missing(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[ALLERGIES] = http(400)
        sync_now(linked, SyncRun.Cause.PATIENT)
        assert "Up to date." not in page(hers, "record", linked.pk)

    def test_that_failed_says_of_when_the_page_is_with_the_full_stop_on_its_line(self, hers, linked):
        run = sync_now(linked)
        SyncRun.objects.filter(pk=run.pk).update(outcome="failed")
        linked.last_checked_at = timezone.now() - timedelta(days=12)
        linked.save()
        text = hers.get(reverse("record", args=[linked.pk])).content.decode()
        assert re.search(r'checked on <span class="whole">[^<]+\.</span> We try again', text)

    def test_without_permission_says_what_to_do(self, hers, linked):
        linked.disconnect(at=timezone.now())
        response = hers.post(reverse("check_again", args=[linked.pk]), follow=True)
        assert "sign in at your provider again" in response.content.decode()

    def test_by_a_link_does_nothing_and_leads_to_the_button(self, hers, linked):
        response = hers.get(reverse("check_again", args=[linked.pk]))
        assert response["Location"] == reverse("record", args=[linked.pk])
        assert not linked.sync_runs.filter(cause=SyncRun.Cause.PATIENT).exists()
