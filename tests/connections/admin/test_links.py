"""Links in the admin: their health, their list, and the history of one, where opening it is recorded."""

import re
import uuid
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.urls import reverse
from django.utils import formats, timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.connections import connection_events
from apps.connections.models import AuthorizationRequest
from tests.connections.conftest import BACKEND
from tests.connections.link_rows import HOUR

pytestmark = pytest.mark.django_db

LIST = "/admin/connections/connection/"
HEALTH = f"{LIST}health/"
CANARIES = ("canary", "alice@example.org", "Alice", "63616e617279")


@pytest.fixture
def hers(client, stella):
    """Stella's browser."""
    client.force_login(stella, backend=BACKEND)
    return client


def read(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return unescape(answer.content.decode())


def viewed():
    """Whom and what staff looked at."""
    rows = AuditEvent.objects.filter(event=EventType.STAFF_VIEWED)
    return [(row.actor_id, row.user_id, row.subject, row.subject_id) for row in rows]


class TestTheHealthOfLinks:
    def test_says_what_staff_must_do_and_leads_there(self, hers, make_link, make_registration):
        now = timezone.now()
        refused = make_registration("Refused gateway", trouble="invalid_client", trouble_at=now)
        make_link(refused, refresh_due_at=now, refresh_deadline_at=now + HOUR)
        text = read(hers, HEALTH)
        assert "<h2>Act now</h2>" in text
        assert "does not accept our client registration" in text
        assert "(invalid_client)" in text
        assert f'<a href="/admin/directory/clientregistration/{refused.pk}/change/">Refused gateway</a>' in text

    def test_is_well_where_nothing_needs_anybody(self, hers, make_link):
        make_link()
        text = read(hers, HEALTH)
        assert "<h2>All is well</h2>" in text
        assert "Nothing here needs attention" in text

    def test_says_so_where_there_is_nothing(self, hers):
        assert "There are no links yet." in read(hers, HEALTH)

    def test_leads_to_the_links_that_each_number_counts(self, hers, make_link, make_registration):
        now = timezone.now()
        columns: dict[str, dict[str, Any]] = {
            "stands=active": {},
            "stands=needs_reauthorization": {"status": "needs_reauthorization"},
            "late=due": {"refresh_due_at": now - HOUR / 60},
            "late=late": {"refresh_due_at": now - HOUR},
            "late=waiting": {"refresh_due_at": now + HOUR / 2, "tries": 2},
            "ends=patient12": {"lapses_at": now + 11 * HOUR},
            "ends=patient24": {"lapses_at": now + 23 * HOUR},
            "ends=renewed12": {"refresh_due_at": now + 5 * HOUR, "refresh_deadline_at": now + 11 * HOUR},
            "ends=renewed24": {"refresh_due_at": now + 5 * HOUR, "refresh_deadline_at": now + 23 * HOUR},
        }
        other = make_registration("Another")
        for one in columns.values():
            make_link(**one)
            make_link(other, **one)
        text = read(hers, HEALTH)
        row = text[text.rindex(">Harbor gateway<") :].partition("</tr>")[0]  # findings name it too
        found = dict(zip(columns, (part.split('">') for part in row.split('<a href="')[1:]), strict=True))
        for answer, (address, number_and_rest) in found.items():
            assert answer in address
            number = int(number_and_rest.split("<")[0])
            assert f"{number} connection" in read(hers, address), answer
        assert [int(rest.split("<")[0]) for _address, rest in found.values()] == [8, 1, 2, 1, 1, 1, 2, 1, 2]

    def test_is_for_staff_alone(self, client, alice, sam, make_link):
        make_link()
        assert client.get(HEALTH).status_code == 302
        for user in (alice, sam):
            client.force_login(user, backend=BACKEND)
            assert client.get(HEALTH).status_code == 302

    def test_is_closed_to_staff_who_may_not_see_links(self, client, make_user, make_link):
        link = make_link()
        client.force_login(make_user("clerk@example.org", is_staff=True), backend=BACKEND)
        for address in (HEALTH, LIST, f"{LIST}{link.pk}/change/", f"{LIST}{link.pk}/history/"):
            assert client.get(address).status_code == 403, address
        assert viewed() == []

    def test_leaves_no_line_with_anybody(self, hers, make_link):
        make_link()
        read(hers, HEALTH)
        read(hers, LIST)
        assert viewed() == []


class TestTheList:
    @pytest.mark.parametrize(
        ("query", "columns"),
        [
            ("why=window_over", {"status": "needs_reauthorization", "reason": "window_over"}),
            ("stands=disconnected", {"status": "disconnected"}),
        ],
    )
    def test_answers_its_questions(self, query, columns, hers, make_link):
        make_link()
        one = make_link(**columns)
        text = read(hers, f"{LIST}?{query}")
        assert "1 connection" in text
        assert str(one.pk) in text

    def test_finds_a_link_by_its_id_its_users_id_or_its_provider(self, hers, make_link, sam):
        one, other = make_link(), make_link(user=sam)
        assert str(one.pk) in read(hers, f"{LIST}?q={one.pk}")
        assert str(other.pk) not in read(hers, f"{LIST}?q={one.pk}")
        assert str(other.pk) in read(hers, f"{LIST}?q={sam.pk}")
        assert str(one.pk) not in read(hers, f"{LIST}?q={sam.pk}")
        assert "2 connections" in read(hers, f"{LIST}?q=harbor")
        assert "0 connections" in read(hers, f"{LIST}?q={uuid.uuid4()}")

    def test_asks_as_much_for_many_as_for_few(self, hers, make_link, django_assert_max_num_queries):
        for _ in range(12):
            make_link(refresh_due_at=timezone.now())
        with django_assert_max_num_queries(10):
            read(hers, LIST)


class TestOneLink:
    def test_that_staff_look_at_says_so_to_its_patient(self, hers, stella, alice, client, make_link):
        link = make_link()
        read(hers, f"{LIST}{link.pk}/change/")
        seen = (stella.pk, alice.pk, "connection", str(link.pk))
        assert viewed() == [seen]
        read(hers, f"{LIST}{link.pk}/history/")
        assert viewed() == [seen, seen]
        client.force_login(alice, backend=BACKEND)
        activity = read(client, reverse("activity"))
        assert "Viewed by staff" in activity
        assert "Harbor Practice" in activity

    def test_has_its_dates_written_as_on_every_page(self, hers, make_link):
        now = timezone.now()
        link = make_link(refresh_due_at=now, refresh_deadline_at=now + HOUR)
        for address in (LIST, f"{LIST}{link.pk}/change/"):
            page = read(hers, address)
            assert formats.date_format(timezone.localtime(now + HOUR), "DATETIME_FORMAT") in page
            assert re.search(r">[^<]*20\d\d-\d\d-\d\d[^<]*<", page) is None

    def test_shows_how_it_is_renewed(self, hers, make_link):
        link = make_link(
            refresh_due_at=timezone.now(), refresh_deadline_at=timezone.now() + 10 * HOUR, tries=3, lapses_at=None
        )
        text = read(hers, f"{LIST}{link.pk}/change/")
        assert "Renewals that failed in a row" in text
        assert '<div class="readonly">3</div>' in text

    def test_without_tokens_is_shown_as_well(self, hers, make_link):
        link = make_link(has_tokens=False, status="disconnected")
        read(hers, f"{LIST}{link.pk}/change/")

    def test_tells_what_happened_to_it_newest_first_and_of_no_other(self, hers, make_link):
        link, other = make_link(), make_link()
        at = timezone.now()
        beat = Actor.system("beat")
        connection_events.note_connection(EventType.CONNECTION_CONFIRMED, link, at=at)
        connection_events.note_connection(
            EventType.TOKENS_REFUSED, link, at=at + HOUR, actor=beat, code="invalid_grant"
        )
        connection_events.note_connection(EventType.TOKENS_REVOKED, other, at=at)
        text = read(hers, f"{LIST}{link.pk}/history/")
        assert text.index("Renewal refused by the provider") < text.index("Record confirmed")
        assert f"{Fact.CODE.value}: invalid_grant" in text
        assert "System (beat)" in text
        assert "Permission ended at the provider" not in text

    def test_has_no_history_where_there_is_none(self, hers):
        for unknown in (uuid.uuid4(), "nonsense"):
            assert hers.get(f"{LIST}{unknown}/history/").status_code == 404

    def test_shows_a_patient_nothing_of_it(self, client, alice, make_link):
        link = make_link()
        client.force_login(alice, backend=BACKEND)
        for page in ("change", "history"):
            assert client.get(f"{LIST}{link.pk}/{page}/").status_code == 302
        assert viewed() == []


class TestOneSignIn:
    def test_that_staff_look_at_says_so_to_its_patient(self, hers, stella, alice, make_link):
        link = make_link()
        row = AuthorizationRequest.objects.create(
            user=alice,
            endpoint=link.endpoint,
            provider=link.provider,
            registration=link.registration,
            state_hash=b"canary-state",
            browser_hash=b"canary-browser",
            created_at=timezone.now(),
            expires_at=timezone.now() + timedelta(minutes=10),
        )
        text = read(hers, f"/admin/connections/authorizationrequest/{row.pk}/change/")
        assert [canary for canary in CANARIES if canary in text] == []
        assert viewed() == [(stella.pk, alice.pk, "authorization request", str(row.pk))]

    def test_stands_above_those_that_began_before(self, hers, make_link):
        link, now = make_link(), timezone.now()
        moments = {hours: now - timedelta(hours=hours) for hours in (2, 0, 3, 1)}
        for hours, moment in moments.items():
            AuthorizationRequest.objects.create(
                user=link.user,
                endpoint=link.endpoint,
                provider=link.provider,
                registration=link.registration,
                state_hash=f"state {hours}".encode(),
                browser_hash=b"browser",
                created_at=moment,
                expires_at=moment + timedelta(minutes=10),
            )
        answer = hers.get("/admin/connections/authorizationrequest/")
        began = [row.created_at for row in answer.context["cl"].result_list]
        assert began == [moments[hours] for hours in range(4)]


class TestAnyPage:
    def test_says_nothing_of_whose_record_it_is_nor_any_secret(self, hers, make_link):
        now = timezone.now()
        link = make_link(
            status="needs_reauthorization",
            reason="window_over",
            requested_scope="canary-scope",
            sealed_context=b"canary-context",
            refresh_due_at=now,
            refresh_deadline_at=now,
        )
        for address in (HEALTH, LIST, f"{LIST}?stands=needs_reauthorization", *_of(link)):
            text = read(hers, address)
            assert [canary for canary in CANARIES if canary in text] == [], address


def _of(link):
    return [f"{LIST}{link.pk}/{page}/" for page in ("change", "history")]
