"""Home: a welcome, or what needs action and the user's providers."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.connections.reasons import Reason
from apps.records import syncing
from apps.records.models import SyncRun, SyncStep
from apps.records.subjects import LISTED
from tests.records.linked import give_tokens, make_connection, make_endpoint

pytestmark = pytest.mark.django_db


def page(client, **query):
    response = client.get(reverse("home"), query)
    assert response.status_code == 200
    text = re.sub(r"\s+", " ", response.content.decode())
    return re.sub(r'<span class="whole">([^<]*)</span>', r"\1", text)


@pytest.fixture
def synced(alice, endpoint):
    connection = make_connection(alice, endpoint)
    give_tokens(connection, issued_at=timezone.now())
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
    syncing.advance(run.pk, at=timezone.now())
    connection.refresh_from_db()
    return connection


@pytest.fixture
def childs(alice, synced):
    connection = make_connection(alice, synced.endpoint, fhir_patient_id="p-2")
    connection.sealed_person = candidates.seal_person(connection, Candidate("p-2", "Milo Quillfeather", "2019-01-02"))
    connection.save()
    return connection


def ended(connection, *, ago=timedelta(), outcome="failed", gap="unavailable"):
    """A check that ended so long ago."""
    at = timezone.now() - ago
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="schedule", outcome=outcome, created_at=at, finished_at=at
    )
    SyncStep.objects.create(
        run=run, user=connection.user, resource_type="Observation", status="gap", gap=gap, finished_at=at
    )


class TestTimes:
    @pytest.mark.parametrize("there", ["home", "activity"])
    def test_are_said_to_be_in_utc_until_a_zone_is_chosen(self, hers, alice, synced, there):
        offered = f'<a class="as-link" href="{reverse("warnings")}#id_time_zone">Choose your time zone</a>'
        assert offered in hers.get(reverse(there)).content.decode()
        alice.time_zone = "America/Denver"
        alice.save()
        assert offered not in hers.get(reverse(there)).content.decode()

    def test_lead_to_where_the_zone_is_chosen(self, hers, alice):
        assert 'id="id_time_zone"' in hers.get(reverse("warnings")).content.decode()


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
            address = reverse("subject", args=[subject.key])
            assert f'<a class="row-link" href="{address}"><div><span class="row-title">{subject.name}</span>' in text

    def test_has_no_lists_of_nothing(self, hers, waiting):
        assert reverse("subject", args=["results"]) not in page(hers)

    def test_says_whose_record_it_is(self, hers, synced):
        assert "Record of Wrenna Quillfeather" in page(hers)

    def test_asks_whose_record_it_shall_be_of_where_there_are_several_people(self, hers, alice, synced, childs):
        text = page(hers)
        for whose, name, another in ((synced, "Wrenna", "Milo"), (childs, "Milo", "Wrenna")):
            assert f'<a class="chip" href="?of={whose.pk}">{name} Quillfeather</a>' in text
            one = page(hers, of=whose.pk)
            assert f'<a class="chip on" href="/">{name} Quillfeather <span' in one
            assert f'href="{reverse("record", args=[whose.pk])}"' in one
            assert another not in one

    def test_of_one_person_counts_what_needs_her_for_another(self, hers, synced, childs):
        childs.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        assert reverse("reauthorize", args=[childs.pk]) in page(hers, of=childs.pk)
        text = page(hers, of=synced.pk)
        assert reverse("reauthorize", args=[childs.pk]) not in text
        assert "1 more needs you" in text

    def test_is_there_although_the_person_of_one_connection_does_not_open(self, hers, alice, synced):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        Connection.objects.filter(pk=other.pk).update(sealed_person=synced.sealed_person)
        text = page(hers)
        assert ">Wrenna Quillfeather</a>" in text
        assert ">Name not given</a>" in text

    def test_lists_providers_with_the_last_check(self, hers, synced):
        text = page(hers)
        assert reverse("record", args=[synced.pk]) in text
        assert "Harbor Family Practice" in text
        assert "checked today at" in text

    def test_says_of_a_provider_that_was_not_checked_for_long_that_it_is_not_up_to_date(self, hers, synced):
        assert "Not up to date" not in page(hers)
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
            most = len(one)
        for number in range(4):
            make_connection(alice, make_endpoint(f"https://fhir{number}.example/r4"), last_checked_at=timezone.now())
        page(hers)  # which writes down that she looked
        with django_assert_max_num_queries(most):
            page(hers)

    def test_opens_nothing_of_a_record_where_there_is_none(self, hers, waiting):
        page(hers)
        assert not AuditEvent.objects.filter(event=EventType.RECORD_VIEWED).exists()

    def test_is_a_look_at_the_record(self, hers, synced):
        page(hers)
        (event,) = AuditEvent.objects.filter(event=EventType.RECORD_VIEWED)
        assert event.subject_id == str(synced.pk)

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


class TestAFirstCopy:
    """On its way: what is there can be read."""

    @pytest.fixture
    def arriving(self, alice, endpoint):
        connection = make_connection(alice, endpoint)
        give_tokens(connection, issued_at=timezone.now())
        syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        return connection

    def test_is_told_with_the_way_to_its_ledger(self, hers, client, sam, arriving):
        text = page(hers)
        assert '<p class="title"> Getting your record from Harbor Family Practice </p>' in text
        assert f'<a href="{reverse("record", args=[arriving.pk])}">See our progress' in text
        assert reverse("subject", args=["results"]) in text
        client.force_login(sam)
        assert "Getting your record" not in page(client)

    def test_is_told_no_more_once_it_came_to_an_end(self, hers, synced):
        assert "Getting your record" not in page(hers)

    def test_is_not_told_where_it_is_her_turn(self, hers, arriving):
        arriving.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        assert "Getting your record" not in page(hers)


class TestAProviderThatCouldNotBeChecked:
    def test_is_told_in_one_line_with_what_we_have(self, hers, client, sam, synced):
        Connection.objects.update(last_checked_at=datetime(2026, 5, 3, 12, tzinfo=UTC))
        ended(synced)
        said = "We could not check Harbor Family Practice today. This is what we had on May 3, 2026."
        assert said in page(hers)
        client.force_login(sam)
        assert "We could not check" not in page(client)

    def test_is_told_with_the_day_where_that_is_over(self, hers, alice, endpoint):
        connection = make_connection(alice, endpoint)
        ended(connection, ago=timedelta(days=3))
        text = page(hers)
        assert "We could not check Harbor Family Practice on" in text
        assert "Not everything has come from there yet. We try again by ourselves." in text
        assert "Getting your record" not in text

    def test_is_not_told_where_a_check_of_the_same_day_brought_something(self, hers, synced):
        ended(synced)
        assert "We could not check" not in page(hers)

    def test_is_told_no_more_once_a_check_brought_something(self, hers, synced):
        Connection.objects.update(last_checked_at=datetime(2026, 5, 3, 12, tzinfo=UTC))
        ended(synced, ago=timedelta(hours=2))
        ended(synced, ago=timedelta(hours=1), outcome="partial", gap="unavailable")
        assert "We could not check" not in page(hers)

    def test_is_not_told_where_it_is_her_turn(self, hers, synced):
        ended(synced)
        Connection.objects.update(last_checked_at=datetime(2026, 5, 3, 12, tzinfo=UTC))
        synced.refresh_from_db()
        assert "We could not check" in page(hers)
        synced.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        assert "We could not check" not in page(hers)

    def test_stands_as_one_that_lets_us_in_nowhere_where_all_is_refused(self, hers, synced):
        ended(synced, gap="not_enabled")
        text = page(hers)
        assert "Harbor Family Practice does not let this app in" in text
        assert "We could not check" not in text
        assert "> Connected<" not in text
