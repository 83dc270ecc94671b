"""Pages of a record whose first copy is under way, or did not end, or that was not checked for long."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from tests.records.linked import AT
from tests.records.pages import page
from tests.records.shelved import keep, result

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
        assert text.index("Not up to date:") < text.index(why)
        Connection.objects.update(last_checked_at=timezone.now())
        assert why not in page(hers, *there)
