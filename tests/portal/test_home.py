"""Home: a welcome, or what needs you and your providers."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.answers import candidates
from apps.connections.answers.candidates import Candidate
from apps.connections.models import Connection
from apps.connections.reasons import Reason
from apps.records import syncing
from apps.records.models import SyncRun
from apps.records.subjects import LISTED
from tests.records.linked import give_tokens, make_connection, make_endpoint

pytestmark = pytest.mark.django_db


def page(client):
    response = client.get(reverse("home"))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


@pytest.fixture
def synced(alice, endpoint):
    connection = make_connection(alice, endpoint)
    give_tokens(connection, issued_at=timezone.now())
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
    syncing.advance(run.pk, at=timezone.now())
    connection.refresh_from_db()
    return connection


class TestWelcome:
    def test_says_what_it_is_and_what_we_will_not_do(self, client, db):
        text = page(client)
        assert "Your health record, in one place" in text
        assert "We never sell your record" in text
        assert reverse("account_signup") in text
        assert reverse("account_login") in text


class TestHomeOfSomebodyNew:
    def test_leads_to_the_first_provider(self, hers):
        text = page(hers)
        assert "Connect your first provider" in text
        assert reverse("find-provider") in text


class TestTheMenu:
    def test_leads_to_the_search_which_no_column_does_on_a_phone(self, hers):
        menu = page(hers).split('<ul class="menu-list">')[1].split("</ul>")[0]
        assert f'<a href="{reverse("search_record")}">Search</a>' in menu


class TestTheHeader:
    def test_leads_to_the_search(self, hers):
        header = page(hers).split('<header class="site-header">')[1].split("<details")[0]
        assert f'<a class="plain" href="{reverse("search_record")}">Search</a>' in header

    def test_has_no_search_for_whoever_is_signed_out(self, client):
        assert reverse("search_record") not in page(client)


class TestHome:
    def test_has_each_list_of_the_record_one_step_away(self, hers, synced):
        text = page(hers)
        for subject in LISTED:
            assert f'<a href="{reverse("subject", args=[subject.key])}">{subject.name}</a>' in text

    def test_has_no_lists_of_nothing(self, hers, waiting):
        assert reverse("subject", args=["results"]) not in page(hers)

    def test_says_whose_record_it_is(self, hers, synced):
        assert "Record of Wrenna Quillfeather" in page(hers)

    def test_leads_to_the_record_of_each_where_there_are_several_people(self, hers, alice, synced):
        childs = make_connection(alice, synced.endpoint, fhir_patient_id="p-2")
        childs.sealed_person = candidates.seal_person(childs, Candidate("p-2", "Milo Quillfeather", "2019-01-02"))
        childs.save()
        text = page(hers)
        for whose, name in ((synced, "Wrenna Quillfeather"), (childs, "Milo Quillfeather")):
            address = f"{reverse('whole_record')}?of={whose.pk}"
            assert f'<a class="chip" href="{address}">{name}</a>' in text
            assert f"({name})" in hers.get(address).content.decode()
        assert "(Milo" not in hers.get(f"{reverse('whole_record')}?of={synced.pk}").content.decode()

    def test_is_there_although_the_person_of_one_connection_does_not_open(self, hers, alice, synced):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        Connection.objects.filter(pk=other.pk).update(sealed_person=synced.sealed_person)
        assert "Record of Wrenna Quillfeather" in page(hers)

    def test_lists_providers_with_the_last_check(self, hers, synced):
        text = page(hers)
        assert reverse("record", args=[synced.pk]) in text
        assert "Harbor Family Practice" in text
        assert "checked today at" in text

    def test_says_of_a_provider_that_was_not_checked_for_long_that_it_is_not_up_to_date(self, hers, synced):
        assert "Not up to date:" not in page(hers)
        Connection.objects.update(last_checked_at=timezone.now() - timedelta(days=8))
        assert "<strong>Not up to date:</strong> checked" in page(hers)

    def test_shows_what_needs_her(self, hers, synced):
        synced.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        text = page(hers)
        assert "Needs you" in text
        assert reverse("reauthorize", args=[synced.pk]) in text

    def test_asks_about_a_person_found(self, hers, waiting):
        text = page(hers)
        assert reverse("confirm", args=[waiting.pk]) in text
        assert "Quillfeather" not in text

    def test_no_longer_asks_when_it_is_too_late(self, hers, waiting):
        waiting.confirm_by_at = timezone.now() - timedelta(seconds=1)
        waiting.save()
        assert reverse("confirm", args=[waiting.pk]) not in page(hers)

    def test_shows_three_things_at_most_and_counts_the_rest(self, hers, alice):
        for number in range(5):
            connection = make_connection(alice, make_endpoint(f"https://fhir{number}.example/r4"))
            connection.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        text = page(hers)
        assert text.count("Sign in to get updates") == 3 + 5  # needs you, and each provider's own row
        assert "2 more need you" in text

    def test_costs_the_same_whatever_the_number_of_providers(self, hers, alice, synced, django_assert_max_num_queries):
        page(hers)
        with django_assert_max_num_queries(12) as one:
            page(hers)
        for number in range(4):
            make_connection(alice, make_endpoint(f"https://fhir{number}.example/r4"))
        with django_assert_max_num_queries(len(one.captured_queries)):
            page(hers)

    def test_of_a_stranger_has_nothing_of_hers(self, client, sam, synced, waiting):
        client.force_login(sam)
        text = page(client)
        assert "Quillfeather" not in text
        assert "Harbor" not in text

    def test_says_nothing_of_the_person_in_its_title(self, hers, synced):
        title = re.search("<title>(.*?)</title>", page(hers))
        assert title
        assert title[1].split()[0] == "Home"
        assert "Quillfeather" not in title[1]
