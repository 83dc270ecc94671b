"""Mail to those who wait for a provider: once, when it works, and not at night."""

import uuid
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from apps.accounts import preferences
from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.connections import availability_mail, clocks, tasks
from apps.connections.models import AuthorizationRequest, EndpointSilence, RefreshPace
from apps.connections.outcomes import Outcome
from apps.directory import registering
from apps.directory.models import ClientRegistration, Enablement, Endpoint, EndpointCheck, Provider, Wish
from apps.directory.searching import wishing
from config.celery import SCHEDULE
from tests.accounts.mail_servers import GOES_AWAY, taking_mail
from tests.connections.conftest import Place

pytestmark = pytest.mark.django_db

ASKED = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)  # by day
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SOON = ASKED + 20 * MINUTE
LATER = SOON + 20 * MINUTE


@pytest.fixture
def wish(alice, place) -> Wish:
    """Alice waits for a provider that nothing stands in the way of, as after its silence."""
    return wishing.note(alice, place.provider, at=ASKED)


def found(place: Place, outcome: str = "well", *, at: datetime = SOON, endpoint: Endpoint | None = None) -> None:
    """What the latest check of it says."""
    rows = EndpointCheck.objects.filter(endpoint=endpoint or place.endpoint)
    rows.update(is_latest=False)
    rows.create(endpoint=endpoint or place.endpoint, checked_at=at, outcome=outcome)


def tried(place: Place, who: User, outcome: Outcome, *, at: datetime) -> None:
    """Somebody's sign-in, and how it ended."""
    AuthorizationRequest.objects.create(
        user=who,
        endpoint=place.endpoint,
        provider=place.provider,
        registration=place.registration,
        state_hash=uuid.uuid4().bytes,
        browser_hash=b"0",
        created_at=at,
        expires_at=at + 10 * MINUTE,
        claimed_at=at,
        outcome=outcome,
    )


def name_providers(user: User) -> None:
    preferences.choose(
        user, hours_before=[], tells_of_ends=False, names_providers=True, tells_of_news=False, time_zone="", at=ASKED
    )


class TestWhoWaits:
    def test_is_told_once_when_a_check_finds_it_well(self, place, wish):
        assert availability_mail.tell(at=SOON) == 0
        found(place, at=SOON)
        assert [availability_mail.tell(at=LATER), availability_mail.tell(at=LATER + HOUR)] == [1, 0]
        (told,) = mail.outbox
        assert told.to == [wish.user.email]
        assert told.subject == "A provider you asked for can be connected"
        assert "/providers/#wishes" in told.body
        wish.refresh_from_db()
        assert (wish.waits_since, wish.due_at) == (None, None)

    def test_is_told_when_somebody_else_was_let_in(self, place, wish, sam):
        tried(place, sam, Outcome.COMPLETED, at=ASKED + MINUTE)
        assert availability_mail.tell(at=SOON) == 1

    def test_is_not_told_by_what_was_there_before(self, place, wish, sam):
        found(place, at=ASKED - MINUTE)
        tried(place, sam, Outcome.CONFIRMED, at=ASKED - MINUTE)
        assert availability_mail.tell(at=SOON) == 0

    def test_is_not_told_while_a_check_finds_it_ill(self, place, wish):
        for outcome in ("ill", "ask"):
            found(place, outcome, at=SOON)
            assert availability_mail.tell(at=wish.due_at + DAY) == 0

    def test_is_not_told_while_others_meet_its_silence(self, place, wish, sam):
        found(place, at=SOON)
        tried(place, sam, Outcome.PROVIDER_DOWN, at=SOON + MINUTE)
        assert availability_mail.tell(at=LATER) == 0
        found(place, at=LATER)
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_is_not_told_by_one_that_was_let_in_before_the_silence(self, place, wish, sam):
        tried(place, sam, Outcome.COMPLETED, at=ASKED + MINUTE)
        tried(place, sam, Outcome.PROVIDER_DOWN, at=ASKED + 2 * MINUTE)
        assert availability_mail.tell(at=SOON) == 0

    def test_is_not_told_while_renewals_of_others_get_no_answer(self, place, wish):
        found(place, at=SOON)
        pace = RefreshPace.objects.create(registration=place.registration, next_at=SOON, silences=2)
        assert availability_mail.tell(at=LATER) == 0
        RefreshPace.objects.filter(pk=pace.pk).update(silences=0)
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_is_not_told_while_records_answer_nobody(self, place, wish):
        found(place, at=SOON)
        EndpointSilence.objects.create(endpoint=place.endpoint, began_at=ASKED - HOUR, last_at=SOON, turns=5)
        assert availability_mail.tell(at=LATER) == 0

    def test_is_not_told_while_one_of_its_two_ways_is_ill(self, place, make_place, wish):
        other = make_place("Another name", version="dstu2").endpoint
        ClientRegistration.objects.update(versions_added=["r4", "dstu2"])
        other.providers.set([place.provider])
        found(place, at=SOON)
        found(place, "ill", at=SOON, endpoint=other)
        assert availability_mail.tell(at=LATER) == 0
        found(place, at=LATER, endpoint=other)
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_is_not_told_while_one_of_its_two_ways_was_not_looked_at_since(self, place, make_place, wish):
        other = make_place("Another name", version="dstu2").endpoint
        ClientRegistration.objects.update(versions_added=["r4", "dstu2"])
        other.providers.set([place.provider])
        found(place, at=SOON)
        assert availability_mail.tell(at=LATER) == 0
        found(place, at=ASKED - MINUTE, endpoint=other)
        assert availability_mail.tell(at=LATER + HOUR) == 0
        found(place, at=LATER + HOUR, endpoint=other)
        assert availability_mail.tell(at=LATER + 2 * HOUR) == 1

    def test_is_told_when_staff_have_approved(self, place, alice):
        ClientRegistration.objects.update(status="provisional")
        wishing.note(alice, place.provider, at=ASKED)
        found(place, at=SOON)
        assert availability_mail.tell(at=LATER) == 0
        ClientRegistration.objects.update(status="approved")
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_is_looked_after_each_quarter_of_an_hour_and_hourly_after_a_day(self, place, wish):
        for at, after in ((SOON, 15 * MINUTE), (ASKED + DAY, HOUR), (ASKED + 9 * DAY, HOUR)):
            assert availability_mail.tell(at=at) == 0
            wish.refresh_from_db()
            assert wish.due_at == at + after

    def test_is_not_told_because_somebody_may_try_again_by_now(self, place, wish):
        found(place, at=SOON)
        ClientRegistration.objects.update(trouble="invalid_client", trouble_at=ASKED, trouble_seen_at=ASKED)
        assert not registering.is_in_trouble(ClientRegistration.objects.get(), at=ASKED + HOUR)
        assert availability_mail.tell(at=ASKED + HOUR) == 0
        ClientRegistration.objects.update(trouble="")
        row = Enablement.objects.create(
            registration=place.registration, endpoint=place.endpoint, is_enabled=False, since_at=ASKED, refused_at=ASKED
        )
        assert availability_mail.tell(at=ASKED + 2 * HOUR) == 0
        row.delete()
        assert availability_mail.tell(at=ASKED + 3 * HOUR) == 1

    def test_is_told_of_a_refused_request_by_a_sign_in_alone(self, place, alice, sam):
        wishing.note(alice, place.provider, at=ASKED, needs_sign_in=True)
        found(place, at=SOON)
        assert availability_mail.tell(at=LATER) == 0
        tried(place, sam, Outcome.CONFIRMED, at=LATER)
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_waits_no_more_once_they_were_let_in_themselves(self, place, wish, alice):
        tried(place, alice, Outcome.CONFIRMED, at=ASKED + MINUTE)
        assert availability_mail.tell(at=SOON) == 0
        assert not Wish.objects.filter(due_at__isnull=False).exists()

    def test_waits_no_more_once_they_were_let_in_by_another_row_of_it(self, place, make_place, wish, alice):
        twin = Provider.objects.create(
            directory="others", directory_id="1", name=place.provider.name, is_sandbox=True, imported_at=ASKED
        )
        other = make_place("Another name", path="/two")
        other.endpoint.providers.set([twin])
        tried(Place(twin, other.endpoint, other.registration), alice, Outcome.CONFIRMED, at=ASKED + MINUTE)
        assert availability_mail.tell(at=SOON) == 0
        assert not Wish.objects.filter(due_at__isnull=False).exists()

    def test_is_told_after_the_night(self, place, wish):
        found(place, at=SOON)
        night = ASKED.replace(hour=23)
        assert availability_mail.tell(at=night) == 0
        assert availability_mail.tell(at=night + 8 * HOUR + 59 * MINUTE) == 0
        assert availability_mail.tell(at=night + 9 * HOUR) == 1

    def test_is_told_of_all_in_one_mail(self, make_place, alice, wish, place):
        other = make_place("Sutter Clinic", path="/two")
        wishing.note(alice, other.provider, at=ASKED)
        name_providers(alice)
        found(place, at=SOON)
        found(place, at=SOON, endpoint=other.endpoint)
        assert availability_mail.tell(at=LATER) == 1
        (told,) = mail.outbox
        assert told.subject == "2 providers you asked for can be connected"
        assert "- Harbor Family Practice\n- Sutter Clinic\n" in told.body

    def test_reads_no_name_of_a_provider_unless_they_chose_so(self, place, wish, alice):
        found(place, at=SOON)
        availability_mail.tell(at=LATER)
        told = mail.outbox.pop()
        assert "Harbor" not in told.message().as_string()
        assert str(place.provider.pk) not in told.body
        name_providers(alice)
        wishing.note(alice, place.provider, at=ASKED)
        availability_mail.tell(at=LATER)
        assert "Harbor Family Practice" in mail.outbox.pop().body

    def test_can_ask_again(self, place, wish, alice):
        found(place, at=SOON)
        availability_mail.tell(at=LATER)
        wishing.note(alice, place.provider, at=LATER)
        assert availability_mail.tell(at=LATER + HOUR) == 0
        found(place, at=LATER + HOUR)
        assert availability_mail.tell(at=LATER + 2 * HOUR) == 1

    def test_reads_it_under_activity(self, place, wish, alice):
        found(place, at=SOON)
        availability_mail.tell(at=LATER)
        (event,) = AuditEvent.objects.filter(event="user.told_of_provider")
        assert (event.user_id, event.subject_id) == (alice.pk, str(alice.pk))

    def test_is_told_by_beat(self, place, wish, monkeypatch):
        monkeypatch.setattr(clocks, "now", lambda: LATER)
        found(place, at=SOON)
        tasks.tell_who_waits()
        assert len(mail.outbox) == 1
        assert "apps.connections.tasks.tell_who_waits" in {row.task for row in SCHEDULE}


class TestNobodyIsTold:
    def test_who_took_it_off_the_list(self, place, wish, alice):
        found(place, at=SOON)
        wishing.take_back(alice, wish.pk)
        assert availability_mail.tell(at=LATER) == 0

    def test_who_was_stopped(self, place, wish, alice):
        found(place, at=SOON)
        User.objects.filter(pk=alice.pk).update(is_active=False)
        assert availability_mail.tell(at=LATER) == 0

    def test_whose_address_nobody_confirmed(self, place, wish, alice):
        found(place, at=SOON)
        alice.emailaddress_set.update(verified=False)
        assert availability_mail.tell(at=LATER) == 0

    def test_of_a_provider_that_vanished(self, place, wish):
        found(place, at=SOON)
        place.provider.vanished_at = SOON
        place.provider.save()
        assert availability_mail.tell(at=LATER) == 0

    def test_who_wished_before_there_was_such_mail(self, place, alice):
        Wish.objects.create(user=alice, provider=place.provider, created_at=ASKED)
        found(place, at=SOON)
        assert availability_mail.tell(at=LATER) == 0


class TestAMailServer:
    def test_that_takes_nothing_is_asked_again(self, place, wish, monkeypatch):
        def refuse(_message: EmailMessage) -> None:
            raise SMTPDataError(451, b"Try again later")

        found(place, at=SOON)
        with monkeypatch.context() as patched:
            patched.setattr(EmailMessage, "send", refuse)
            assert availability_mail.tell(at=LATER) == 0
        assert availability_mail.tell(at=LATER + 59 * MINUTE) == 0
        assert availability_mail.tell(at=LATER + HOUR) == 1

    def test_that_takes_nothing_does_not_undo_what_was_asked_meanwhile(self, place, wish, alice, monkeypatch):
        def refuse(_message: EmailMessage) -> None:
            wishing.note(alice, place.provider, at=LATER)
            raise SMTPDataError(451, b"Try again later")

        found(place, at=SOON)
        monkeypatch.setattr(EmailMessage, "send", refuse)
        availability_mail.tell(at=LATER)
        assert Wish.objects.get().waits_since == LATER

    def test_that_goes_away_with_a_mail_gets_it_once(self, place, wish, settings):
        found(place, at=SOON)
        with taking_mail(settings, GOES_AWAY) as mails:
            assert availability_mail.tell(at=LATER) == 0
            assert availability_mail.tell(at=LATER + DAY) == 0
        assert len(mails) == 1
