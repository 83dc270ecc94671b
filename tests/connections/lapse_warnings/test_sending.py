"""A warning is sent once, whoever sends it, and whatever fails meanwhile."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.connections import tasks
from apps.connections.ending import disconnecting
from apps.connections.lapse_warnings import muting, planning, sending
from apps.connections.models import Connection, LapseWarning, StoredTokenSet
from apps.connections.reasons import Reason
from config.celery import SCHEDULE, app
from tests.connections.lapse_warnings.conftest import LAPSES_AT, SIGNED_IN_AT, beat, choose
from tests.faults.at_once import results, together

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
DUE_AT = LAPSES_AT.replace(hour=8)


@pytest.fixture
def mail_server(monkeypatch):
    """Set `.raises` to have it refuse; `.asked` counts."""

    class Server:
        raises: Exception | None = None
        asked = 0

    server, deliver = Server(), EmailMessage.send

    def send(message, *args, **kwargs):
        server.asked += 1
        if server.raises is not None:
            raise server.raises
        return deliver(message, *args, **kwargs)

    monkeypatch.setattr(EmailMessage, "send", send)
    return server


class TestAMailServerThatIsDown:
    def test_is_asked_again_later_and_later_until_it_answers(self, link, mail_server):
        link()
        mail_server.raises = SMTPServerDisconnected()
        asked = []
        for minute in range(200):
            before = mail_server.asked
            beat(DUE_AT + _minutes(minute))
            asked += [minute] * (mail_server.asked - before)
        assert asked == [0, 5, 15, 35, 75, 135, 195]
        mail_server.raises = None
        assert beat(DUE_AT + _minutes(255)) == 1
        assert len(mail.outbox) == 1

    def test_has_nothing_sent_late(self, link, mail_server):
        link()
        mail_server.raises = SMTPServerDisconnected()
        beat(DUE_AT)
        mail_server.raises = None
        assert beat(LAPSES_AT + HOUR) == 0
        assert not LapseWarning.objects.exists()

    def test_is_left_alone_after_some_failures(self, link, make_user, mail_server):
        for number in range(6):
            link(user=make_user(f"p{number}@example.org"))
        mail_server.raises = SMTPServerDisconnected()
        beat(DUE_AT)
        assert mail_server.asked == 3

    def test_that_refuses_one_address_keeps_nobody_else_waiting(self, link, make_user, mail_server, monkeypatch):
        for number in range(6):
            link(user=make_user(f"p{number}@example.org"))
        mail_server.raises = SMTPRecipientsRefused({})
        beat(DUE_AT)
        mail_server.raises = None
        assert beat(DUE_AT + _minutes(1)) == 3


class TestAWorkerThatDies:
    def test_in_the_middle_leaves_it_to_another(self, link, mail_server):
        link()
        mail_server.raises = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            beat(DUE_AT)
        mail_server.raises = None
        assert beat(DUE_AT + _minutes(4)) == 0
        assert beat(DUE_AT + _minutes(5)) == 1

    def test_after_sending_repeats_one_mail_at_most(self, link, monkeypatch):
        link()
        note = sending._note
        monkeypatch.setattr(sending, "_note", _die)
        with pytest.raises(KeyboardInterrupt):
            beat(DUE_AT)
        monkeypatch.setattr(sending, "_note", note)
        assert sum(beat(DUE_AT + _minutes(minute)) for minute in range(120)) == 1
        assert len(mail.outbox) == 2


class TestAnEnd:
    def test_is_warned_of_once_for_each_time_whoever_plans_it(self, link, alice):
        connection = link()
        beat(DUE_AT)
        planning.withdraw(connection)
        assert beat(DUE_AT + _minutes(1)) == 0
        row = LapseWarning.objects.get()
        row.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
class TestSeveralWorkers:
    def test_send_one_mail(self, link):
        for hours in range(3):
            link(LAPSES_AT + hours * HOUR)
        sent = results(together(*[lambda: beat(DUE_AT)] * 4))
        assert sorted(sent) == [0, 0, 0, 1]
        assert LapseWarning.objects.count() == LapseWarning.objects.filter(sent_at=DUE_AT).count() == 3


class TestAnUnexpectedEnd:
    def test_is_told_of_soon(self, link):
        connection = link()
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        assert beat(SIGNED_IN_AT + HOUR) == 0
        assert beat(SIGNED_IN_AT + HOUR + _minutes(10)) == 1
        assert beat(SIGNED_IN_AT + 2 * HOUR) == 0
        (message,) = mail.outbox
        body = " ".join(str(message.body).split())
        assert message.subject == "Action needed: sign in again at a provider"
        assert "One of your connections stopped getting updates on November 23, 2026." in body
        assert "Nothing you had is lost." in body
        assert f"/connections/{connection.pk}/" in body
        assert "Harbor" not in message.message().as_string()

    def test_is_not_told_of_where_that_was_switched_off(self, link, alice):
        choose(alice, 12, tells_of_ends=False)
        connection = link()
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        assert not any(beat(SIGNED_IN_AT + hours * HOUR) for hours in range(48))

    def test_is_not_told_of_where_its_patient_wants_no_mail_about_the_link(self, link):
        connection = link()
        muting.mute(connection, is_muted=True, at=SIGNED_IN_AT)
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        assert not any(beat(SIGNED_IN_AT + hours * HOUR) for hours in range(48))

    def test_is_told_of_in_place_of_the_one_that_was_known(self, link):
        connection = link()
        beat(SIGNED_IN_AT)
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        assert (beat(SIGNED_IN_AT + 2 * HOUR), beat(DUE_AT)) == (1, 0)

    def test_is_not_told_of_once_the_patient_has_disconnected(self, link):
        connection = link()
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        beat(SIGNED_IN_AT + HOUR)
        disconnecting.end(connection, at=SIGNED_IN_AT + HOUR)
        assert beat(SIGNED_IN_AT + 2 * HOUR) == 0
        assert not LapseWarning.objects.exists()

    def test_that_no_mail_server_took_is_told_of_for_two_days(self, link, mail_server):
        _ends(link(), Reason.GRANT_ENDED, at=SIGNED_IN_AT)
        mail_server.raises = SMTPServerDisconnected()
        for hours in (1, 47, 49):
            beat(SIGNED_IN_AT + hours * HOUR)
        assert mail_server.asked == 2
        assert not LapseWarning.objects.exists()

    @pytest.mark.parametrize("reason", [Reason.GRANT_ENDED, Reason.EARLIER_COPY])
    def test_is_one_that_comes_before_the_known_end(self, link, reason):
        _ends(link(), reason, at=LAPSES_AT - timedelta(seconds=1))
        assert beat(LAPSES_AT + _minutes(10)) == 1

    @pytest.mark.parametrize("reason", [Reason.SESSION_OVER, Reason.NOT_RENEWABLE])
    def test_is_none_where_it_is_the_nature_of_the_link(self, link, reason):
        _ends(link(), reason, at=SIGNED_IN_AT + HOUR)
        assert not any(beat(SIGNED_IN_AT + hours * HOUR) for hours in range(48))

    @pytest.mark.parametrize("reason", [Reason.WINDOW_OVER, Reason.GRANT_ENDED])
    def test_is_none_where_it_was_known(self, link, reason):
        """An access token may outlive the known end: then what it last asks for is refused."""
        connection = link()
        beat(DUE_AT)
        _ends(connection, reason, at=LAPSES_AT)
        assert not any(beat(LAPSES_AT + hours * HOUR) for hours in range(48))

    def test_is_a_window_that_passed_although_we_meant_to_renew_it(self, link):
        connection = link()
        Connection.objects.update(lapses_at=None)
        _ends(connection, Reason.WINDOW_OVER, at=LAPSES_AT)
        assert any(beat(LAPSES_AT + hours * HOUR) for hours in range(3))

    def test_is_not_told_of_once_the_patient_has_signed_in_again(self, link):
        connection = link()
        _ends(connection, Reason.GRANT_ENDED, at=SIGNED_IN_AT + HOUR)
        beat(SIGNED_IN_AT + HOUR)
        Connection.objects.get().restore()
        assert beat(SIGNED_IN_AT + 2 * HOUR) == 0

    def test_waits_while_their_server_refuses_several_as_it_may_be_mistaken(self, link, make_user):
        refused_at = SIGNED_IN_AT + HOUR
        mine, *others = links = [
            link(),
            link(user=make_user("bob@example.org")),
            link(user=make_user("eve@example.org")),
        ]
        for connection in links:
            _ends(connection, Reason.GRANT_ENDED, at=refused_at)
        for connection in others:
            connection.registration = mine.registration
            connection.save(update_fields=["registration"])
        StoredTokenSet.objects.update(refused_at=refused_at, refresh_due_at=refused_at + 12 * HOUR)
        assert not any(beat(refused_at + hours * HOUR) for hours in range(1, 12))
        StoredTokenSet.objects.filter(connection=others[0]).update(refused_at=None)
        assert beat(refused_at + 12 * HOUR) == 0  # in the middle of the night
        assert beat(refused_at + 17 * HOUR) == 3

    def test_keeps_nobody_waiting_whose_server_refused_nobody_else(self, link, make_user, monkeypatch):
        refused_at = SIGNED_IN_AT + HOUR
        refused = [link(user=make_user(f"p{number}@example.org")) for number in range(3)]
        Connection.objects.update(registration=refused[0].registration)
        for connection in refused:
            _ends(connection, Reason.GRANT_ENDED, at=refused_at)
        StoredTokenSet.objects.update(refused_at=refused_at, refresh_due_at=refused_at + 12 * HOUR)
        _ends(link(), Reason.GRANT_ENDED, at=refused_at + _minutes(1))
        planning.plan(at=refused_at + _minutes(1))
        monkeypatch.setattr(sending, "AT_ONCE", 1)
        assert beat(refused_at + _minutes(11)) == 1

    def test_is_not_told_of_days_later(self, link):
        _ends(link(), Reason.GRANT_ENDED, at=SIGNED_IN_AT)
        assert beat(SIGNED_IN_AT + 25 * HOUR) == 0

    def test_is_told_of_once_a_day(self, link):
        links = {number * 60: link() for number in range(5)}
        sent = []
        for minute in range(0, 60 * 40, 10):
            if minute in links:
                _ends(links[minute], Reason.GRANT_ENDED, at=SIGNED_IN_AT + _minutes(minute))
            if beat(SIGNED_IN_AT + _minutes(minute)):
                sent.append(minute)
        assert sent == [10, 10 + 24 * 60]
        assert mail.outbox[1].subject == "Action needed: sign in again at 4 providers"


class TestTheTasks:
    def test_are_on_the_schedule(self):
        scheduled = {row.task for row in SCHEDULE}
        assert {tasks.warn_of_ends.name, tasks.drop_old_warnings.name} <= scheduled

    def test_never_takes_a_thread_of_those_who_refresh(self):
        """It writes mail, and a mail server may be slow."""
        others = (tasks.warn_of_ends, tasks.drop_old_warnings, tasks.watch_site_certificate, tasks.count_abandoned)
        routed = {task.name: app.amqp.router.route({}, task.name) for task in (tasks.refresh_due, *others)}
        queues = {name: route["queue"].name for name, route in routed.items()}
        assert queues.pop(tasks.refresh_due.name) == "refresh"
        assert set(queues.values()) == {"default"}

    def test_send_nothing_where_nothing_ends(self, db):
        tasks.warn_of_ends()
        assert mail.outbox == []

    def test_drop_what_is_a_month_old(self, link):
        link()
        beat(DUE_AT)
        assert planning.prune(at=LAPSES_AT + timedelta(days=29)) == 0
        assert planning.prune(at=LAPSES_AT + timedelta(days=30)) == 1

    def test_drop_by_themselves_what_is_over_and_nothing_else(self, link):
        old, new = link(), link()
        now = timezone.now()
        planning.plan(at=SIGNED_IN_AT)
        LapseWarning.objects.filter(connection=old).update(ends_at=now - timedelta(days=31))
        LapseWarning.objects.filter(connection=new).update(ends_at=now - timedelta(days=29))
        tasks.drop_old_warnings()
        assert set(LapseWarning.objects.values_list("connection", flat=True)) == {new.pk}


def _minutes(count: int) -> timedelta:
    return timedelta(minutes=count)


def _ends(connection: Connection, reason: Reason, *, at) -> None:
    connection.require_reauthorization(reason, at=at)


def _die(*_args, **_kwargs):
    raise KeyboardInterrupt
