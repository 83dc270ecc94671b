"""An old URL of an entry leads to where it is now, and reveals to nobody else what it led to."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.records.models import Record
from tests.records.pages import main_of, text_of
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

PAGES = ["entry", "entry_as_sent"]


def missing(client, address):
    """What the page says, without what every page has."""
    answer = client.get(address)
    assert answer.status_code == 404
    return re.sub(r"\s+", " ", answer.content.decode()).split("<main", 1)[1].split("</main>")[0]


class TestAnEntryThatIsNotHere:
    @pytest.mark.parametrize("page", PAGES)
    def test_leads_to_where_it_may_be_looked_for(self, hers, page):
        said = missing(hers, reverse(page, args=["results", 4711]))
        for further in ("search_record", "everything_by_date", "connections", "home"):
            assert f'href="{reverse(further)}"' in said

    @pytest.mark.parametrize("page", PAGES)
    def test_looks_like_one_of_somebody_else(self, sam, client, connection, page):
        keep(connection, result(0))
        client.force_login(sam)
        theirs = reverse(page, args=["results", Record.objects.get(logical_id="o0").pk])
        assert missing(client, theirs) == missing(client, reverse(page, args=["results", 4711]))

    def test_leads_nobody_in_particular_into_a_record(self, client):
        said = missing(client, "/no/such/page/")
        assert reverse("search_record") not in said
        assert "your record" not in said


class TestAnEntryUnderAnotherSubject:
    """What an entry is listed under may change, by its provider or by a release of ours."""

    @pytest.mark.parametrize("subject", ["allergies", "no-such-subject"])
    def test_is_found_where_it_is_now(self, hers, sam, connection, subject):
        keep(connection, result(0))
        pk = Record.objects.get(logical_id="o0").pk
        kept = reverse("entry", args=[subject, pk])
        now = reverse("entry", args=["results", pk])
        assert hers.get(kept).headers["Location"] == now
        assert hers.post(kept).headers["Location"] == now
        assert "Sodium" in text_of(hers.get(kept, follow=True))
        hers.force_login(sam)
        assert hers.get(kept).status_code == 404

    def test_is_found_with_what_its_address_asked_for_and_nothing_else(self, hers, sam, connection):
        keep(connection, result(0))
        pk = Record.objects.get(logical_id="o0").pk
        kept = f"{reverse('entry', args=['vitals', pk])}?versions=all&range=&next=//elsewhere.example/%0d%0aX:1"
        now = f"{reverse('entry', args=['results', pk])}?versions=all&range="
        assert hers.get(kept).headers["Location"] == now
        assert hers.post(kept).headers["Location"] == now
        assert hers.post(now).headers["Location"] == now
        hers.force_login(sam)
        for answer in (hers.get(kept), hers.post(kept), hers.post(now)):
            assert (answer.status_code, "Location" in answer.headers) == (404, False)

    @pytest.mark.parametrize("page", ["over_time", "save_values"])
    def test_has_the_values_that_were_chosen_where_they_are_now(self, hers, connection, page):
        keep(connection, result(0), result(1))
        pk = Record.objects.get(logical_id="o0").pk
        asked = f"?span=1-year&all=&from={connection.pk}"
        kept, now = (reverse(page, args=[subject, pk]) for subject in ("vitals", "results"))
        assert hers.get(f"{kept}{asked}&to=//elsewhere.example").headers["Location"] == f"{now}{asked}"

    @pytest.mark.parametrize("page", ["over_time", "save_values"])
    def test_has_its_values_over_time_where_they_are_now(self, hers, sam, connection, page):
        keep(connection, result(0), result(1))
        pk = Record.objects.get(logical_id="o0").pk
        kept = reverse(page, args=["vitals", pk])
        assert hers.get(kept).headers.get("Location") == reverse(page, args=["results", pk])
        hers.force_login(sam)
        assert hers.get(kept).status_code == 404


class TestAnEntryOfAConnectionThatEnded:
    def test_says_first_that_it_may_have_changed_and_where_to_read_why(self, hers, connection):
        keep(connection, result(0))
        there = reverse("entry", args=["results", Record.objects.get(logical_id="o0").pk])
        connection.last_checked_at = timezone.now()
        connection.save()
        assert "Not up to date." not in main_of(hers.get(there))
        connection.status = Connection.Status.DISCONNECTED
        connection.save()
        said = main_of(hers.get(there))
        assert said.index("Not up to date.") < said.index("From Harbor Family Practice") < said.index("5.1 mmol/L")
        assert said.count("From Harbor Family Practice") == 1
        assert f'href="{reverse("record", args=[connection.pk])}">See why</a>' in said
