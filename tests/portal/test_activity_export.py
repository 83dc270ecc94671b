"""Activity as a file: one line for each event, for its own person only."""

import csv
import io
import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection as database
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from apps.audit import recording
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.connections import connection_events
from apps.portal import activity, activity_export, closing
from apps.records.exporting import admitting
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.people import CANARIES, allergy
from tests.records.several_people import CHILDS, HERS, is_of
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

COLUMNS = ["Date and time", "Time zone", "What happened", "Details", "Who did it", "Provider", "Whose record"]


@pytest.fixture
def address():
    return reverse("save_activity")


def note(user, event=EventType.RECORD_VIEWED, actor=None, at=None, **about):
    recording.record(event, actor=actor or Actor.user(user.pk), at=at or timezone.now(), user_id=user.pk, **about)


def note_many(user, count):
    """As far back as no account is: written by the database."""
    with database.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO audit_auditevent
                (at, event, actor_kind, actor_id, actor_name, user_id, subject, subject_id, facts)
            SELECT now() - number * interval '1 minute',
                CASE number %% 2 WHEN 0 THEN 'record.viewed' ELSE 'tokens.refreshed' END,
                'system', NULL, 'refreshing', %s, '', '', '{}'
            FROM generate_series(1, %s) AS number
            """,
            [user.pk, count],
        )


def read(response):
    assert response.status_code == 200
    return b"".join(response)


def saved(response, **how):
    """The lines of the file, without the names of its columns."""
    text = read(response).decode("utf-8-sig")
    columns, *lines = csv.reader(io.StringIO(text, newline=""), **how)
    return columns, lines


def page_of(client):
    return client.get(reverse("activity")).content.decode()


class TestTheFile:
    def test_has_every_event_by_itself_and_in_the_words_of_the_page(self, hers, alice, endpoint, stella, address):
        connection = make_connection(alice, endpoint)
        at = datetime(2026, 5, 3, 9, 40, 12, tzinfo=UTC)
        note(alice, EventType.STAFF_VIEWED, Actor.staff(stella.pk), at=at)
        for seconds in range(3):
            renewed = EventType.TOKENS_REFRESHED
            connection_events.note_connection(
                renewed, connection, at=at + timedelta(seconds=seconds), actor=Actor.system("x")
            )
        note(alice, EventType.USER_SIGN_IN_FAILED, at=at, facts={Fact.METHOD: "password"})
        columns, (taken, *lines) = saved(hers.post(address))
        assert columns == COLUMNS
        assert taken[2:] == ["Activity saved as a file", "", "You", "", ""]
        renewal = ["UTC", "Permission renewed", "", "Holdfast, automatically", "Harbor Family Practice", ""]
        assert lines == [
            ["2026-05-03 09:40:12", "UTC", "Wrong password or code", lines[0][3], lines[0][4], "", ""],
            *([f"2026-05-03 09:40:{second}", *renewal] for second in (14, 13, 12)),
            ["2026-05-03 09:40:12", "UTC", "Viewed by staff", "", "Holdfast staff", "", ""],
        ]
        page = page_of(hers)
        for said in lines[0][2:5]:
            assert said
            assert said in page

    def test_goes_back_as_far_as_there_is_anything(self, hers, alice, address, monkeypatch):
        monkeypatch.setattr(activity, "_ROWS_AT_ONCE", 7)
        note_many(alice, 60)
        note(alice, EventType.CONSENT_GIVEN)
        _columns, lines = saved(hers.post(address))
        assert len(lines) == 1 + 1 + 60
        assert [line[2] for line in lines[:2]] == ["Activity saved as a file", "Consent given"]

    def test_has_nothing_of_anybody_else(self, client, sam, alice, endpoint, address):
        connection = make_connection(alice, endpoint)
        note(alice, EventType.RECORD_EXPORTED, subject="connection", subject_id=str(connection.pk))
        client.force_login(sam)
        text = read(client.post(address)).decode()
        assert "Activity saved as a file" in text
        for hers in ("Record exported", "Harbor", "Quillfeather"):
            assert hers not in text
        assert not AuditEvent.objects.filter(event=EventType.ACTIVITY_SAVED, user_id=alice.pk).exists()

    def test_is_in_the_language_and_the_time_zone_of_its_reader(self, hers, alice, endpoint, address):
        alice.time_zone = "America/Denver"
        alice.save()
        first, second = (datetime(2026, 11, 1, hour, 30, tzinfo=UTC) for hour in (7, 8))  # the clock goes back between
        for at in (first, second):
            note(alice, EventType.RECORD_EXPORTED, at=at)
        hers.cookies["django_language"] = "es"
        answer = hers.post(address)
        with translation.override("en"), timezone.override(UTC):  # as of somebody else's request
            columns, lines = saved(answer)
        assert columns[:3] == ["Fecha y hora", "Zona horaria", "Qué pasó"]
        assert [line[:3] for line in lines[1:]] == [
            ["2026-11-01 01:30:00", "MST", "Expediente exportado"],
            ["2026-11-01 01:30:00", "MDT", "Expediente exportado"],
        ]
        assert lines[1][4] == "Usted"

    def test_says_whose_record_it_was_where_there_are_several_people_s(self, hers, alice, endpoint, address):
        names = {HERS: "1984-03-09", CHILDS: "2019-01-02"}
        for number, (name, born) in enumerate(names.items()):
            connection = make_connection(alice, endpoint, fhir_patient_id=f"p{number}")
            is_of(connection, name, born)
            note(alice, subject="connection", subject_id=str(connection.pk))
        _columns, (_taken, *lines) = saved(hers.post(address))
        assert [line[5:] for line in lines] == [["Harbor Family Practice", name] for name in (CHILDS, HERS)]

    def test_has_no_fact_about_health_and_no_secret(self, hers, alice, address):
        connection = make_connection(alice)
        keep(connection, allergy("a1"))
        give_tokens(connection)
        hers.get(reverse("whole_record"))
        answer = hers.post(address)
        given = f"{answer.headers}{read(answer).decode()}"
        assert "Record viewed" in given
        for canary in (*CANARIES, "access-canary", "refresh-canary", "s3cret-canary", alice.email, str(connection.pk)):
            assert canary not in given

    @pytest.mark.parametrize("mark", [",", ";", "\t"])
    def test_is_no_formula_wherever_lines_are_split(self, hers, alice, address, mark):
        endpoint = make_endpoint()
        evil = '=HYPERLINK("https://evil.example";"x");=1+1\t@SUM(A1)'
        endpoint.providers.update(name=evil)
        for number, name in enumerate(("+cmd|calc", "Perrin;-1+1")):
            connection = make_connection(alice, endpoint, fhir_patient_id=f"p{number}")
            is_of(connection, name, f"201{number}-01-02")
            note(alice, subject="connection", subject_id=str(connection.pk))
        written = read(hers.post(address)).decode("utf-8-sig")
        assert "evil.example" in written
        assert "+cmd|calc" in written
        cells = [cell for line in csv.reader(io.StringIO(written, newline=""), delimiter=mark) for cell in line]
        assert [cell for cell in cells if cell.lstrip('"').startswith(("=", "+", "-", "@", "\t"))] == []

    def test_is_kept_in_no_cache_and_has_a_name_that_says_nothing(self, hers, address):
        answer = hers.post(address)
        assert "no-store" in answer["Cache-Control"]
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        named = f'attachment; filename="holdfast-activity-{timezone.localdate():%Y-%m-%d}.csv"'
        assert answer["Content-Disposition"] == named
        assert read(answer).startswith(b"\xef\xbb\xbf")


class TestALongLife:
    """Of a hundred thousand events no more is in memory, and asked of the database, than of a few at a time."""

    def taken(self, user):
        pieces = activity_export.take(user, at=timezone.now())
        tracemalloc.start()
        try:
            return sum(piece.count(b"\n") for piece in pieces), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_takes_no_more_memory_than_a_short_one(self, alice):
        note_many(alice, 1_000)
        _lines, few = self.taken(alice)
        note_many(alice, 9_000)
        lines, many = self.taken(alice)
        assert lines == 10_000 + 3
        assert many < 1.5 * few

    def test_is_read_on_from_the_number_of_the_last_event(self, alice, django_assert_max_num_queries):
        note_many(alice, 4 * activity._ROWS_AT_ONCE)
        pieces = activity_export.take(alice, at=timezone.now())
        with django_assert_max_num_queries(3 * 6) as asked:
            assert sum(1 for _piece in pieces) == 1 + 5
        assert "OFFSET" not in str(asked.captured_queries)


class TestTakingIt:
    def test_wants_somebody_signed_in(self, client, alice, address):
        note(alice)
        answer = client.post(address)
        assert answer.status_code == 302
        assert reverse("account_login") in answer["Location"]

    def test_is_done_by_the_button_of_the_page_alone(self, hers, alice, address):
        note(alice)
        page = page_of(hers)
        assert f'<form method="post" action="{address}" data-file>' in page
        assert hers.get(address).status_code == 405
        forged = Client(enforce_csrf_checks=True)
        forged.force_login(alice)
        assert forged.post(address).status_code == 403
        assert not AuditEvent.objects.filter(event=EventType.ACTIVITY_SAVED).exists()

    def test_wants_no_password_as_the_page_wants_none(self, hers, alice, address):
        note(alice)
        assert "Record viewed" in read(hers.post(address)).decode()

    def test_is_written_down_for_its_person_to_read(self, hers, alice, address):
        read(hers.post(address))
        (event,) = AuditEvent.objects.filter(event=EventType.ACTIVITY_SAVED)
        assert (event.user_id, event.actor_id, event.facts) == (alice.pk, alice.pk, {})
        assert "Activity saved as a file" in page_of(hers)

    def test_is_refused_above_so_many_an_hour_of_ones_own(self, hers, client, alice, sam, address, monkeypatch):
        monkeypatch.setattr(admitting, "MOST_AN_HOUR", 2)
        note(sam, EventType.ACTIVITY_SAVED)
        note(alice, EventType.RECORD_EXPORTED)
        note(alice, EventType.ACTIVITY_SAVED, at=timezone.now() - timedelta(minutes=61))
        assert [hers.post(address).status_code for _time in range(3)] == [200, 200, 429]

    def test_breaks_off_after_its_time(self, alice, monkeypatch):
        monkeypatch.setattr(admitting, "LONGEST_SECONDS", -1.0)
        pieces = activity_export.take(alice, at=timezone.now())
        next(pieces)
        with pytest.raises(admitting.TookTooLong):
            next(pieces)

    def test_of_an_account_that_was_closed_a_moment_ago_gives_nothing(self, hers, alice, address, monkeypatch):
        taking = activity_export.take

        def closed_before(user, *, at):
            closing.close(user, at=at)
            return taking(user, at=at)

        monkeypatch.setattr(activity_export, "take", closed_before)
        answer = hers.post(address)
        assert (answer.status_code, answer["Location"]) == (302, reverse("activity"))
