"""Mail about a known end: once, in time, in its reader's language, and withdrawn if the link no longer ends then."""

import re
from datetime import timedelta

import pytest
from django.core import mail

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.connections.ending import disconnecting
from apps.connections.lapse_warnings import muting, planning, sending
from apps.connections.models import Connection, LapseWarning
from apps.connections.models.connection import NEVER
from apps.connections.reasons import Reason
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.lapse_warnings.conftest import LAPSES_AT, SIGNED_IN_AT, beat, choose, end

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
DUE_AT = LAPSES_AT.replace(hour=8)  # twelve hours before 2 p.m. is at night


class TestAWarning:
    @pytest.mark.parametrize("is_muted", [True, False])
    def test_is_wanted_or_not_of_each_connection_by_itself(self, link, sam, is_muted):
        links = chosen, *others = link(), link(), link(user=sam)
        Connection.objects.update(is_muted=not is_muted)
        planning.plan(at=SIGNED_IN_AT)
        planned = set(LapseWarning.objects.values_list("pk", flat=True))
        muting.mute(chosen, is_muted=is_muted, at=SIGNED_IN_AT)
        assert dict(Connection.objects.values_list("pk", "is_muted")) == {
            one.pk: is_muted if one == chosen else not is_muted for one in links
        }
        assert Connection.objects.get(warnings_planned_for=NEVER) == chosen
        kept = LapseWarning.objects.filter(pk__in=planned)
        assert set(kept.values_list("connection", flat=True)) == ({one.pk for one in others} if is_muted else set())

    def test_is_wanted_or_not_in_the_log_once_each_time_its_reader_changes_their_mind(self, link, alice):
        connection = link()
        for is_muted in (True, True, False, False):
            muting.mute(connection, is_muted=is_muted, at=SIGNED_IN_AT)
        events = AuditEvent.objects.filter(event="user.warnings_chosen")
        assert list(events.values_list("user_id", "subject_id")) == [(alice.pk, str(connection.pk))] * 2

    def test_is_sent_once_when_it_is_due(self, link):
        link()
        assert beat(SIGNED_IN_AT) == 0
        assert beat(DUE_AT - timedelta(minutes=1)) == 0
        assert beat(DUE_AT) == 1
        assert [beat(DUE_AT + minute * timedelta(minutes=1)) for minute in range(1, 12)] == [0] * 11
        assert len(mail.outbox) == 1

    def test_says_what_to_do_and_by_when_and_neither_who_nor_where(self, link, settings):
        settings.SITE_ORIGIN = "https://holdfast.example"
        connection = link()
        beat(DUE_AT)
        (message,) = mail.outbox
        body = " ".join(str(message.body).split())
        assert message.to == ["alice@example.org"]
        assert message.subject == "Action needed by Wednesday: keep a connection"
        assert "One of your connections ends on Wednesday, November 25, 2026, at 2 p.m. (UTC)." in body
        assert "sign in at your provider before then" in body
        assert "Everything already in Holdfast stays." in body
        links = re.findall(r"https?://\S+", body)
        assert links == [
            f"https://holdfast.example/connections/{connection.pk}/",
            "https://holdfast.example/settings/warnings/",
        ]
        assert message.extra_headers["List-Unsubscribe"] == "<https://holdfast.example/settings/warnings/>"
        assert message.extra_headers["Auto-Submitted"] == "auto-generated"
        for secret in ("Harbor", "Wrenna", "Quillfeather", connection.fhir_patient_id):
            assert secret not in message.message().as_string()

    def test_names_the_provider_for_whoever_chose_so(self, link, alice):
        choose(alice, 12, names_providers=True)
        link()
        beat(DUE_AT)
        assert "Your connection to Harbor Family Practice ends on" in str(mail.outbox[0].body)
        assert "Harbor" not in mail.outbox[0].subject

    def test_tells_the_time_of_its_readers_zone(self, link, alice):
        choose(alice, 12, time_zone="America/Los_Angeles")
        link()
        assert beat(LAPSES_AT - 12 * HOUR) == 1  # 6 p.m. there, where nobody sleeps yet
        assert "Wednesday, November 25, 2026, at 6 a.m. (PST)" in " ".join(str(mail.outbox[0].body).split())

    def test_comes_at_each_time_chosen(self, link, alice):
        choose(alice, 24, 3)
        link()
        sent = [hours for hours in range(48, -1, -1) if beat(LAPSES_AT - hours * HOUR)]
        assert sent == [24, 3]

    def test_is_not_sent_to_whoever_chose_no_time(self, link, alice):
        choose(alice)
        link()
        assert not any(beat(LAPSES_AT - hours * HOUR) for hours in range(48, -1, -1))

    def test_follows_new_choices(self, link, alice):
        link()
        beat(SIGNED_IN_AT)
        choose(alice, 24)
        sent = [hours for hours in range(47, -1, -1) if beat(LAPSES_AT - hours * HOUR)]
        assert sent == [24]

    def test_is_planned_anew_once_for_whoever_chose_anew_and_for_nobody_else(self, link, alice, sam):
        link()
        link(user=sam)
        assert [planning.plan(at=SIGNED_IN_AT) for _beat in range(2)] == [2, 0]
        choose(alice, 24)
        assert [planning.plan(at=SIGNED_IN_AT) for _beat in range(2)] == [1, 0]

    def test_is_not_sent_about_a_link_its_patient_wants_none_about(self, link):
        connection = link()
        beat(SIGNED_IN_AT)
        Connection.objects.update(is_muted=True)
        planning.withdraw(connection)
        assert not any(beat(LAPSES_AT - hours * HOUR) for hours in range(48, -1, -1))

    def test_does_not_follow_a_sign_in_that_lasts_no_longer_than_that(self, link):
        connection = link()
        end(connection, at=SIGNED_IN_AT + timedelta(minutes=10))
        assert beat(SIGNED_IN_AT) == 0
        assert not LapseWarning.objects.exists()

    def test_is_written_into_the_log(self, link, alice):
        connection = link()
        beat(DUE_AT)
        (event,) = AuditEvent.objects.filter(event="connection.warned")
        assert (event.user_id, event.subject_id) == (alice.pk, str(connection.pk))


class TestSeveralLinks:
    def test_are_told_of_in_one_mail(self, link, alice):
        choose(alice, 12, names_providers=True)
        for hours in range(8, 13):  # each would be warned of an hour after the one before
            link(LAPSES_AT + hours * HOUR)
        link(LAPSES_AT + 60 * HOUR)  # that of another day is not
        sent = [hours for hours in range(48, -14, -1) if beat(LAPSES_AT - hours * HOUR)]
        assert sent == [4]
        body = str(mail.outbox[0].body)
        assert mail.outbox[0].subject == "Action needed by Wednesday: keep 5 connections"
        assert body.count("Harbor Family Practice") == 5
        assert body.index("10 p.m.") < body.index("2 a.m.")
        assert "/connections/\n" in body

    def test_are_told_of_by_the_soonest_whichever_is_warned_of_first(self, link, alice):
        """Of the end at nine in the morning word comes the evening before, and sooner than of that at midnight."""
        choose(alice, 3)
        link(LAPSES_AT + 19 * HOUR)
        link(LAPSES_AT + timedelta(hours=9, minutes=40))
        assert beat(LAPSES_AT + timedelta(hours=6, minutes=30)) == 1
        assert mail.outbox[0].subject == "Action needed by Wednesday: keep 2 connections"

    def test_made_after_the_mail_of_the_day_wait_for_the_next_and_nobody_else_does(self, link, alice, sam):
        choose(alice, 24)
        link()
        at = LAPSES_AT - 24 * HOUR
        assert beat(at) == 1
        link(LAPSES_AT + 3 * HOUR)  # its own warning would be due at 5 p.m. of the same day
        link(LAPSES_AT + 3 * HOUR, user=sam)
        assert [hours for hours in range(30) if beat(at + hours * HOUR)] == [18, 24]
        assert [message.to[0] for message in mail.outbox[1:]] == ["sam@example.org", "alice@example.org"]

    def test_of_which_one_ended_and_one_will_are_told_of_each_in_a_mail_of_its_own(self, link):
        link()
        link(LAPSES_AT + 60 * HOUR).require_reauthorization(Reason.GRANT_ENDED, at=DUE_AT)
        assert [beat(DUE_AT + timedelta(minutes=10)) for _beat in range(3)] == [1, 1, 0]
        assert [message.subject for message in mail.outbox] == [
            "Action needed by Wednesday: keep a connection",
            "Action needed: sign in again at a provider",
        ]

    def test_that_would_end_before_the_next_mail_do_not_wait(self, link):
        link()
        assert beat(DUE_AT) == 1
        connection = link(LAPSES_AT + 9 * HOUR)  # 11 p.m.: due at 11 a.m.
        sent = [hours for hours in range(30) if beat(DUE_AT + hours * HOUR)]
        assert sent == [3]
        assert str(connection.pk) in str(mail.outbox[1].body)

    def test_of_a_stranger_are_in_no_mail_of_hers(self, link, sam):
        mine, his = link(), link(user=sam)
        assert beat(DUE_AT) == 2
        bodies = {message.to[0]: str(message.body) for message in mail.outbox}
        assert str(mine.pk) in bodies["alice@example.org"]
        assert str(his.pk) not in bodies["alice@example.org"]
        assert str(his.pk) in bodies["sam@example.org"]


class TestAWarningThatHoldsNoMore:
    def test_is_withdrawn_with_a_new_sign_in(self, link):
        connection = link()
        beat(SIGNED_IN_AT)
        later = LAPSES_AT + 10 * HOUR
        end(connection, at=later, signed_in_at=later - timedelta(hours=48))
        assert beat(DUE_AT) == 0
        assert set(LapseWarning.objects.values_list("ends_at", flat=True)) == {later}
        assert beat(later - 12 * HOUR) == 1

    def test_is_withdrawn_where_nobody_has_planned_for_the_new_end_yet(self, link):
        connection = link()
        planning.plan(at=SIGNED_IN_AT)
        later = LAPSES_AT + 48 * HOUR
        end(connection, at=later, signed_in_at=DUE_AT)
        assert sending.send_due(at=DUE_AT) == 0
        assert not LapseWarning.objects.filter(ends_at=LAPSES_AT).exists()

    def test_is_withdrawn_where_nobody_has_planned_yet_for_a_sooner_end(self, link):
        connection = link()
        planning.plan(at=SIGNED_IN_AT)
        connection.require_reauthorization(Reason.GRANT_ENDED, at=DUE_AT)
        assert sending.send_due(at=DUE_AT) == 0
        assert not LapseWarning.objects.exists()

    def test_is_withdrawn_where_the_server_has_begun_to_rotate(self, link):
        link()
        beat(SIGNED_IN_AT)
        Connection.objects.update(lapses_at=None)
        assert beat(DUE_AT) == 0

    def test_is_withdrawn_when_the_patient_disconnects(self, link):
        connection = link()
        beat(SIGNED_IN_AT)
        disconnecting.end(connection, at=SIGNED_IN_AT + HOUR)
        assert beat(DUE_AT) == 0
        assert not LapseWarning.objects.exists()

    def test_is_not_sent_after_the_end(self, link):
        link()
        beat(SIGNED_IN_AT)
        assert beat(LAPSES_AT) == 0
        assert not LapseWarning.objects.exists()

    def test_is_not_sent_to_an_account_that_is_closed(self, link, alice):
        link()
        beat(SIGNED_IN_AT)
        User.objects.update(is_active=False)
        assert beat(DUE_AT) == 0

    @pytest.mark.parametrize(
        ("model", "closed", "opened"),
        [
            (Endpoint, {"is_switched_on": False}, {"is_switched_on": True}),
            (ClientRegistration, {"trouble": "invalid_client"}, {"trouble": ""}),
        ],
    )
    def test_waits_while_nobody_can_sign_in_there(self, link, model, closed, opened):
        link()
        beat(SIGNED_IN_AT)
        model.objects.update(**closed)
        assert beat(DUE_AT) == 0
        model.objects.update(**opened)
        assert beat(DUE_AT + timedelta(minutes=5)) == 1
