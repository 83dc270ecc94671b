"""Activity: the audit log as its own person reads it."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.connections import connection_events
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from tests.connections.conftest import BACKEND
from tests.records.linked import make_connection, make_endpoint

pytestmark = pytest.mark.django_db


def note(user, event=EventType.RECORD_VIEWED, actor=None, **about):
    recording.record(event, actor=actor or Actor.user(user.pk), at=timezone.now(), user_id=user.pk, **about)


def page(client, query=""):
    response = client.get(reverse("activity") + query)
    assert response.status_code == 200
    return response.content.decode()


class TestActivity:
    def test_says_what_happened_by_whom_and_where(self, hers, alice, endpoint, stella):
        connection = make_connection(alice, endpoint)
        note(alice, subject="connection", subject_id=str(connection.pk))
        note(alice, EventType.STAFF_VIEWED, Actor.staff(stella.pk))
        note(alice, EventType.SYNC_FINISHED, Actor.system("sync"))
        text = page(hers)
        for shown in ("Record viewed", "You", "Harbor Family Practice", "Holdfast staff", "Holdfast, automatically"):
            assert shown in text
        assert text.index("Copying finished") < text.index("Record viewed")

    def test_shows_nothing_of_anybody_else(self, hers, sam):
        note(sam, EventType.RECORD_EXPORTED)
        assert "Record exported" not in page(hers)

    def test_goes_on_where_the_page_before_ended(self, hers, alice):
        note(alice, EventType.CONSENT_GIVEN)
        for _number in range(51):
            note(alice)
        first = page(hers)
        assert "Consent given" not in first
        before = first.split("?before=")[1].split('"')[0]
        assert "Consent given" in page(hers, f"?before={before}")

    @pytest.mark.parametrize("before", ["", "x", "-1", "9" * 40, "%00", "1e3", "²"])
    def test_takes_any_address(self, hers, before):
        page(hers, f"?before={before}")

    def test_asks_whoever_is_signed_out_to_sign_in(self, client):
        assert client.get(reverse("activity")).status_code == 302

    def test_knows_no_word_that_only_programmers_know(self):
        assert [event for event in EventType if "token" in str(event.label).lower()] == []


class TestRecordsOfSeveralPeople:
    @pytest.fixture
    def childs(self, alice, endpoint):
        connection = make_connection(alice, endpoint, fhir_patient_id="p-2")
        person = Candidate("p-2", "Milo Quillfeather", "2019-01-02")
        connection.sealed_person = candidates.seal_person(connection, person)
        connection.save()
        return connection

    @pytest.mark.parametrize("event", [EventType.RECORD_VIEWED, EventType.TOKENS_REFRESHED])
    def test_are_told_apart_by_whose_they_are(self, hers, client, sam, alice, endpoint, childs, event):
        hers_too = make_connection(alice, endpoint)
        for connection in (hers_too, childs):
            connection_events.note_connection(event, connection, at=timezone.now(), actor=Actor.system("x"))
        text = page(hers)
        assert "Harbor Family Practice (Wrenna Quillfeather)" in text
        assert "Harbor Family Practice (Milo Quillfeather)" in text
        client.force_login(sam, backend=BACKEND)
        assert "Quillfeather" not in page(client)

    def test_are_told_apart_where_several_renewals_are_one_line(self, hers, alice, endpoint, childs):
        make_connection(alice, endpoint)
        for _time in range(3):
            connection_events.note_connection(
                EventType.TOKENS_REFRESHED, childs, at=timezone.now(), actor=Actor.system("x")
            )
        assert "Harbor Family Practice (Milo Quillfeather)" in page(hers)
        first = html.unescape(re.findall(r'href="(/activity/[^"]+renewals[^"]+)"', page(hers))[0])
        assert "(Milo Quillfeather)" in hers.get(first).content.decode()

    def test_are_not_told_apart_where_all_are_of_one(self, hers, alice):
        both = [make_connection(alice, make_endpoint(f"https://{name}.example/r4")) for name in ("one", "two")]
        for connection in both:
            note(alice, subject="connection", subject_id=str(connection.pk))
        assert "Quillfeather" not in page(hers)


class TestTheVerySame:
    def test_within_a_minute_is_one_line_and_how_often(self, hers, alice, sam, client):
        at = timezone.now().replace(second=5)
        for event, seconds in ((EventType.CONSENT_GIVEN, 0), *((EventType.RECORD_VIEWED, n) for n in range(3))):
            moment = at + timedelta(seconds=seconds)
            recording.record(event, actor=Actor.user(alice.pk), at=moment, user_id=alice.pk)
        text = page(hers)
        assert "Record viewed, 3 times" in text
        assert text.count("Record viewed") == 1
        assert "Consent given, " not in text
        client.force_login(sam, backend=BACKEND)
        assert "Record viewed" not in page(client)

    @pytest.mark.parametrize("between", ["a minute", "another"])
    def test_with_something_between_is_two(self, hers, alice, between):
        at = timezone.now().replace(second=5)
        later = at + (timedelta(minutes=1) if between == "a minute" else timedelta(seconds=9))
        recording.record(EventType.RECORD_VIEWED, actor=Actor.user(alice.pk), at=at, user_id=alice.pk)
        if between == "another":
            recording.record(EventType.RECORD_EXPORTED, actor=Actor.user(alice.pk), at=at, user_id=alice.pk)
        recording.record(EventType.RECORD_VIEWED, actor=Actor.user(alice.pk), at=later, user_id=alice.pk)
        assert page(hers).count("Record viewed") == 2


class TestRenewals:
    """Thousands of them must not hide what else happened."""

    @pytest.fixture
    def links(self, alice, endpoint):
        return [make_connection(alice, endpoint, fhir_patient_id=f"p{number}") for number in range(2)]

    def renew(self, connection, times=1):
        for _time in range(times):
            connection_events.note_connection(
                EventType.TOKENS_REFRESHED, connection, at=timezone.now(), actor=Actor.system("refreshing")
            )

    def lines(self, text):
        return [" ".join(line.split()) for line in re.findall(r'class="row-title"[^>]*>(.*?)</', text, re.DOTALL)]

    def test_with_nothing_between_are_one_line(self, hers, alice, links):
        note(alice, EventType.CONSENT_GIVEN)
        self.renew(links[0], 120)
        note(alice)
        self.renew(links[0], 2)
        assert self.lines(page(hers)) == [
            "Permission renewed, 2 times",
            "Record viewed",
            "Permission renewed, 120 times",
            "Consent given",
        ]

    def test_of_two_links_are_two_lines_however_they_alternate(self, hers, links):
        for _time in range(5):
            self.renew(links[0])
            self.renew(links[1])
        assert self.lines(page(hers)) == ["Permission renewed, 5 times"] * 2

    def test_alone_are_lines_like_others(self, hers, alice, links):
        self.renew(links[0])
        text = page(hers)
        assert self.lines(text) == ["Permission renewed"]
        assert "Harbor Family Practice" in text

    def test_open_to_each_of_them_and_to_no_others(self, hers, alice, links):
        self.renew(links[0], 3)
        note(alice)
        self.renew(links[0], 30)
        self.renew(links[1], 4)
        self.renew(links[0], 30)
        address = html.unescape(re.findall(r'href="(/activity/[^"]+renewals[^"]+)"', page(hers))[0])
        assert str(links[0].pk) in address
        shown = hers.get(address).content.decode()
        assert len(self.lines(shown)) == 50
        older = html.unescape(re.findall(r'href="(/activity/[^"]+renewals[^"]+)"', shown)[0])
        assert len(self.lines(hers.get(older).content.decode())) == 10

    def test_lose_nothing_from_page_to_page(self, hers, alice, links):
        for number in range(130):
            note(alice)
            self.renew(links[number % 2], number % 4)
        found, address = [], reverse("activity")
        while address:
            text = hers.get(address).content.decode()
            found += self.lines(text)
            older = re.search(r'href="(/activity/\?before=\d+)"', text)
            address = older[1] if older else ""
        told = [(line.split(",")[0], re.search(r", (\d+) times", line)) for line in found]
        times = {what: sum(int(n[1]) if n else 1 for one, n in told if one == what) for what, _n in told}
        assert times["Record viewed"] == 130
        assert times["Permission renewed"] == sum(number % 4 for number in range(130))

    def test_cost_the_same_however_many(self, hers, links, django_assert_max_num_queries):
        self.renew(links[0], 2)
        page(hers)
        with django_assert_max_num_queries(12) as few:
            page(hers)
        self.renew(links[0], 300)
        with django_assert_max_num_queries(len(few.captured_queries)):
            page(hers)

    @pytest.mark.parametrize("query", ["", "?first=x&before=-1", "?first=%00", "?before=" + "9" * 40])
    def test_take_any_address(self, hers, links, query):
        self.renew(links[0], 2)
        assert hers.get(reverse("renewals", args=[links[0].pk]) + query).status_code == 200

    def test_are_not_there_for_a_stranger(self, client, sam, links):
        self.renew(links[0], 2)
        client.force_login(sam)
        assert client.get(reverse("renewals", args=[links[0].pk])).status_code == 404


class TestALine:
    def test_says_why_a_link_ended(self, hers, alice, endpoint):
        connection = make_connection(alice, endpoint)
        connection_events.note_connection(
            EventType.CONNECTION_NEEDS_REAUTHORIZATION,
            connection,
            at=timezone.now(),
            actor=Actor.system("refreshing"),
            reason="session_over",
        )
        assert "New sign-in needed: the session at the provider ended" in " ".join(page(hers).split())

    def test_names_the_provider_of_a_link_that_is_gone(self, hers, alice, endpoint):
        connection = make_connection(alice, endpoint)
        connection_events.note_connection(EventType.CONNECTION_DISCONNECTED, connection, at=timezone.now())
        connection.delete()
        assert "Harbor Family Practice" in page(hers)

    def test_tells_the_end_of_a_permission_that_was_no_connection_s_apart(self, hers, alice, endpoint):
        """As the one before a new sign-in, or of a sign-in that was given up."""
        connection = make_connection(alice, endpoint)
        provider_id = str(connection.provider_id)
        revoked = {"subject": "connection", "facts": {Fact.PROVIDER_ID: provider_id, Fact.REVOKED_AT_PROVIDER: True}}
        note(alice, EventType.TOKENS_REVOKED, subject_id="", **revoked)
        assert "Permission ended at the provider: an earlier one, or one that was not kept" in page(hers)
        note(alice, EventType.TOKENS_REVOKED, subject_id=str(connection.pk), **revoked)
        assert page(hers).count("an earlier one") == 1
