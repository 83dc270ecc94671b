"""Mail to the owner of a share that wrong passcodes ended: once, not at night, and without a word of its content."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.sharing import ending, lockout_mail, making, tasks, visiting
from apps.sharing.models import Opening, Share
from apps.sharing.visiting import Refused
from config.celery import SCHEDULE
from tests.accounts.mail_servers import GOES_AWAY, REFUSES, taking_mail
from tests.faults.at_once import results, together
from tests.records.linked import make_connection
from tests.sharing.giving import NAME, address_of, share_of, terms_of, wrong_for

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NIGHT = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
MORNING = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def guess(share: Share, *, times: int = making.TRIES, at: datetime = NOON) -> None:
    """Give so many wrong passcodes."""
    for _ in range(times):
        with pytest.raises(Refused):
            visiting.enter(terms_of(share).token, wrong_for(share), name=NAME, way=Opening.Way.PROGRAM, at=at)


@pytest.fixture
def share(alice, connection):
    return share_of(alice, connection, at=NOON - HOUR, purpose="For Dr. Poole")


@pytest.fixture
def locked(share):
    guess(share)
    return share


class TestAShareThatWrongPasscodesEnded:
    def test_is_told_to_its_owner_once(self, locked):
        assert [lockout_mail.tell(at=NOON), lockout_mail.tell(at=NOON + HOUR)] == [1, 0]
        (message,) = mail.outbox
        assert message.to == ["alice@example.org"]
        assert message.subject == "A share has ended: too many wrong passcodes"
        assert "Hello Alice,\n\nToo many wrong passcodes were tried on one of your shares" in message.body
        assert [line for line in message.body.split() if "//" in line] == ["http://testserver/share/"]

    def test_is_told_with_neither_its_link_nor_its_passcode_nor_a_word_of_what_it_showed(self, locked, caplog):
        caplog.set_level("DEBUG")
        lockout_mail.tell(at=NOON)
        written, agreed = mail.outbox[0].message().as_string(), terms_of(locked)
        for hidden in (agreed.token, agreed.passcode, address_of(locked), "Poole", "llerg", "Pteridine", "Harbor"):
            assert hidden not in written
            assert hidden not in caplog.text
        assert "alice@example.org" not in caplog.text

    def test_is_told_in_the_language_of_its_owner(self, locked):
        User.objects.update(language="es")
        lockout_mail.tell(at=NOON)
        assert mail.outbox[0].subject == "Terminó un acceso compartido: demasiados códigos incorrectos"
        assert "cree otro acceso" in mail.outbox[0].body

    def test_is_told_in_one_mail_with_others_of_theirs(self, alice, connection, locked):
        guess(share_of(alice, connection, at=NOON - HOUR, purpose="Another"))
        assert lockout_mail.tell(at=NOON) == 1
        assert "tried on several of your shares" in mail.outbox[0].body

    def test_is_told_without_those_of_theirs_that_are_open(self, alice, connection, locked):
        guess(share_of(alice, connection, at=NOON - HOUR, purpose="Another"), times=1)
        assert lockout_mail.tell(at=NOON) == 1
        assert "tried on one of your shares" in mail.outbox[0].body

    def test_is_told_to_its_owner_alone(self, sam, connection, locked):
        guess(share_of(sam, make_connection(sam, connection.endpoint), at=NOON - HOUR))
        assert lockout_mail.tell(at=NOON) == 2
        assert {message.to[0] for message in mail.outbox} == {locked.user.email, sam.email}
        assert all("tried on one of your shares" in message.body for message in mail.outbox)

    def test_is_told_in_the_morning_where_its_owner_sleeps(self, share):
        guess(share, at=NIGHT)
        assert [lockout_mail.tell(at=at) for at in (NIGHT, MORNING - HOUR, MORNING, MORNING + HOUR)] == [0, 0, 1, 0]

    def test_is_told_by_the_clock_of_its_owner(self, share):
        User.objects.update(time_zone="Pacific/Honolulu")
        guess(share, at=NIGHT)
        assert lockout_mail.tell(at=NIGHT) == 1

    def test_is_told_at_night_where_it_would_be_over_by_the_morning(self, alice, connection):
        guess(share_of(alice, connection, at=NOON - HOUR, lasts=timedelta(hours=15)), at=NIGHT)
        assert lockout_mail.tell(at=NIGHT) == 1

    def test_is_told_by_the_schedule(self, locked):
        now = timezone.now()
        Share.objects.update(expires_at=now + HOUR / 60, tell_at=now - HOUR)  # at night it would not wait either
        assert "apps.sharing.tasks.tell_of_locked_shares" in {row.task for row in SCHEDULE}
        tasks.tell_of_locked_shares()
        assert len(mail.outbox) == 1


class TestNothing:
    def test_is_mailed_of_a_share_that_has_a_try_left(self, share):
        guess(share, times=making.TRIES - 1)
        assert lockout_mail.tell(at=NOON) == 0

    def test_is_mailed_of_one_whose_time_is_over(self, locked):
        assert lockout_mail.tell(at=locked.expires_at) == 0
        assert not Share.objects.exclude(tell_at=None).exists()

    def test_is_mailed_to_whoever_is_shut_out(self, locked):
        User.objects.update(is_active=False)
        assert lockout_mail.tell(at=NOON) == 0

    def test_is_mailed_again_of_what_a_backup_brings_back(self, locked):
        ending.end_all(at=NOON)
        assert lockout_mail.tell(at=NOON) == 0


class TestAMailServer:
    def test_that_takes_nothing_is_asked_again_later(self, locked, settings, caplog):
        with taking_mail(settings, REFUSES) as mails:
            assert lockout_mail.tell(at=NOON) == 0
            assert len(mails) == 1
        assert "A mail about a share was not sent" in caplog.text
        assert [lockout_mail.tell(at=NOON), lockout_mail.tell(at=NOON + HOUR), lockout_mail.tell(at=NOON + HOUR)] == [
            0,
            1,
            0,
        ]

    def test_that_takes_nothing_for_days_is_asked_for_as_long_as_the_share_would_have_been_open(self, locked, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        days = [NOON + number * 24 * HOUR for number in range(8)]
        assert [lockout_mail.tell(at=at) for at in days] == [0] * 8
        assert not Share.objects.exclude(tell_at=None).exists()

    def test_that_goes_away_with_the_mail_each_time_has_it_once(self, locked, settings):
        """It may have sent it on; in a month of quarters of an hour that would be three thousand."""
        with taking_mail(settings, GOES_AWAY) as mails:
            for hours in range(48):
                lockout_mail.tell(at=NOON + hours * HOUR)
        assert len(mails) == 1


@pytest.mark.django_db(transaction=True)
class TestTwoWorkersAtOnce:
    def test_send_one_mail(self, locked):
        assert sorted(results(together(*[lambda: lockout_mail.tell(at=NOON)] * 4))) == [0, 0, 0, 1]
        assert len(mail.outbox) == 1

    def test_leave_a_share_to_whoever_holds_it(self, locked):
        with transaction.atomic():
            Share.objects.select_for_update().get(pk=locked.pk)
            assert results(together(lambda: lockout_mail.tell(at=NOON))) == [0]
        assert lockout_mail.tell(at=NOON) == 1
