"""Staff can read the audit log in the admin, but not change it, and its pages never count all rows."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from django.urls import reverse

from apps.audit import paging, recording
from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SIGN_IN = "allauth.account.auth_backends.AuthenticationBackend"
LIST = "admin:audit_auditevent_changelist"


@pytest.fixture(autouse=True)
def _no_counting_of_tries(settings):
    """A forced sign-in comes from no address, which the lock-out asks for."""
    settings.AXES_ENABLED = False


@pytest.fixture
def staff(client, stella):
    client.force_login(stella, backend=SIGN_IN)
    return client


@pytest.fixture
def event():
    recording.record(EventType.CONNECTION_CONFIRMED, actor=Actor.system("beat"), at=AT, user_id=uuid4())
    return AuditEvent.objects.latest("id")


class TestAuditLog:
    def test_lists_events(self, staff, event):
        assert str(event.user_id) in staff.get(reverse(LIST)).content.decode()

    def test_says_which_member_of_staff_it_was(self, staff):
        someone = uuid4()
        recording.record(EventType.REGISTRATION_CHANGED, actor=Actor.staff(someone), at=AT)
        assert str(someone) in staff.get(reverse(LIST)).content.decode()

    def test_names_a_person_who_acts_for_themselves_once(self, staff):
        person = uuid4()
        recording.record(EventType.RECORD_VIEWED, actor=Actor.user(person), at=AT, user_id=person)
        assert staff.get(reverse(LIST)).content.decode().count(str(person)) == 1

    def test_shows_one_event_without_anything_to_fill_in(self, staff, event):
        page = staff.get(reverse("admin:audit_auditevent_change", args=[event.pk])).content.decode()
        assert "Record confirmed" in page
        assert 'name="_save"' not in page

    @pytest.mark.parametrize("page", ["add", "change", "delete"])
    def test_takes_no_change(self, staff, event, page):
        arguments = [] if page == "add" else [event.pk]
        answer = staff.post(reverse(f"admin:audit_auditevent_{page}", args=arguments), {"post": "yes", "event": "x"})
        assert answer.status_code == 403
        assert AuditEvent.objects.get().event == EventType.CONNECTION_CONFIRMED

    def test_offers_no_bulk_action(self, staff, event):
        assert 'name="action"' not in staff.get(reverse(LIST)).content.decode()

    def test_is_closed_to_strangers_and_patients(self, client, sam, event):
        assert client.get(reverse(LIST)).status_code == 302
        client.force_login(sam, backend=SIGN_IN)
        answer = client.get(reverse(LIST))
        assert answer.status_code in (302, 403)
        assert str(event.user_id) not in answer.content.decode()

    @pytest.mark.parametrize("term", ["", "nothing", "1' OR 1=1", str(UUID(int=0)), "a" * 5000])
    def test_survives_any_search(self, staff, event, term):
        assert staff.get(reverse(LIST), {"q": term}).status_code == 200

    def test_finds_by_user_actor_and_thing(self, staff, event):
        actor_id = uuid4()
        recording.record(EventType.STAFF_VIEWED, actor=Actor.staff(actor_id), at=AT, subject="page", subject_id="home")
        confirmed, viewed = EventType.CONNECTION_CONFIRMED, EventType.STAFF_VIEWED
        for term, expected in [(event.user_id, confirmed), (actor_id, viewed), ("home", viewed)]:
            rows = staff.get(reverse(LIST), {"q": str(term)}).context["cl"].result_list
            assert [row.event for row in rows] == [expected]

    def test_filters_by_type_and_time(self, staff, event):
        assert staff.get(reverse(LIST), {"event": "connection.confirmed"}).context["cl"].result_count == 1
        assert staff.get(reverse(LIST), {"event": "account.closed"}).context["cl"].result_count == 0
        assert staff.get(reverse(LIST), {"at__gte": "2026-11-21 00:00:00+00:00"}).context["cl"].result_count == 0

    def test_counts_no_further_than_its_bound(self, staff, event, monkeypatch, django_assert_max_num_queries):
        monkeypatch.setattr(paging.BoundedPaginator, "MOST_ROWS", 3)
        for _ in range(4):
            recording.record(EventType.SYNC_STARTED, actor=Actor.system("beat"), at=AT)
        with django_assert_max_num_queries(20) as queries:
            page = staff.get(reverse(LIST))
        assert page.context["cl"].paginator.count == 3
        counts = [query["sql"] for query in queries if "COUNT(" in query["sql"] and "audit_auditevent" in query["sql"]]
        assert counts
        assert all("LIMIT 3" in sql for sql in counts)
