"""Somebody looks at their record after more than a month: the runs of that time are deleted, but what they brought is
new."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun
from apps.records.syncing import pruning
from tests.records.pages import main
from tests.records.people import allergy
from tests.records.shelved import keep, result
from tests.records.views.arriving import checked, looked

pytestmark = pytest.mark.django_db


def ago(days):
    return timezone.now() - timedelta(days=days)


def came(days, **which):
    Record.objects.filter(**which).update(received_at=ago(days), first_received_at=ago(days))


@pytest.fixture
def record(connection):
    """Confirmed a hundred days ago, and copied then; looked at two months ago."""
    keep(connection, result(0), allergy("a1", code={"text": "Brazil nuts"}))
    Connection.objects.update(confirmed_at=ago(100))
    came(99)
    looked(connection.user, at=ago(60))
    return connection


def checked_until_today(connection):
    """Every other day, without anything new; what is over a month old is dropped."""
    for days in range(38, 0, -2):
        checked(connection, changed=0, at=ago(days), resource_type="AllergyIntolerance")
    assert pruning.prune(at=timezone.now())


class TestWhatCameOverAMonthAgo:
    def test_is_new_to_whoever_has_not_looked_since(self, hers, sam, record, django_assert_max_num_queries):
        came(40, resource_type="AllergyIntolerance")
        checked(record, changed=1, at=ago(40), resource_type="AllergyIntolerance")
        checked_until_today(record)
        assert not SyncRun.objects.filter(steps__rows_changed__gt=0).exists()
        main(hers, "home")  # whereby the look of today is written down
        for page in ("home", "what_is_new"):
            with django_assert_max_num_queries(12):
                text = main(hers, page)
            assert "Brazil nuts" in text
            assert "Sodium" not in text.split("Everything in your record")[0]
        hers.force_login(sam)
        assert "Brazil nuts" not in main(hers, "what_is_new")

    def test_is_not_what_came_before_that_look(self, hers, record):
        checked(record, changed=1, at=ago(70), resource_type="AllergyIntolerance")
        checked_until_today(record)
        assert "No entry came or changed since your last visit on" in main(hers, "what_is_new")

    def test_is_not_a_first_copy_that_was_under_way_at_that_look(self, hers, record):
        confirmed_at = ago(60) - timedelta(minutes=2)
        Connection.objects.update(confirmed_at=confirmed_at)
        came(59)
        checked(record, changed=1, at=ago(59), resource_type="AllergyIntolerance")
        SyncRun.objects.update(created_at=confirmed_at, cause="confirmed")
        checked_until_today(record)
        assert "Brazil nuts" not in main(hers, "what_is_new")
