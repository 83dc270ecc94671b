"""Mail that something new came into a record: to those who chose it, once a day, in the morning, and without
details."""

from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from apps.accounts import preferences
from apps.accounts.models import User, WarningChoices
from apps.audit.models import AuditEvent
from apps.connections.models import Connection
from apps.records import announcing, shelving, tasks
from apps.records.models import Record, SyncRun, SyncStep
from apps.vault import sealing
from config.celery import SCHEDULE, app
from tests.accounts.mail_servers import GOES_AWAY, taking_mail
from tests.faults.at_once import results, together
from tests.records.linked import AT, give_tokens
from tests.records.people import CANARIES, PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import sync
from tests.records.views.arriving import looked
from tests.wire.servers import http

pytestmark = pytest.mark.django_db
ABOUT_HER = {"subject": {"reference": f"Patient/{PATIENT_ID}"}}
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
CHECKED = AT + DAY  # after the first copy: Saturday, 9:40 a.m.
MORNING = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)  # the next one


def choose(user: User, *, at: datetime = AT, tells_of_news: bool = True, time_zone: str = "") -> None:
    """A person's choices, and the beat that comes upon them."""
    user = User.objects.get(pk=user.pk)  # as each request finds them
    preferences.choose(
        user,
        hours_before=[],
        tells_of_ends=False,
        names_providers=True,
        tells_of_news=tells_of_news,
        time_zone=time_zone,
        at=at,
    )
    assert announcing.tell(at=at) == 0


def sent(until: datetime, *, since: datetime = AT) -> list[datetime]:
    """When mail went out, where the beat comes at every full hour."""
    hour, moments = since.replace(minute=0) + HOUR, []
    while hour <= until:
        moments += [hour] * announcing.tell(at=hour)
        hour += HOUR
    return moments


def refusing(monkeypatch) -> list[EmailMessage]:
    """A mail server that takes nothing, and what it was asked to take."""
    asked: list[EmailMessage] = []

    def send(message: EmailMessage) -> None:
        asked.append(message)
        raise SMTPDataError(451, b"Try again later")

    monkeypatch.setattr(EmailMessage, "send", send)
    return asked


@pytest.fixture
def check(linked, provider):
    """Checks by the clock: `check("a3", at=...)` finds this besides what was there; `cause` says who asked."""
    there = {"a1": allergy("a1"), "a2": allergy("a2")}

    def run(*ids: str, at: datetime, cause: SyncRun.Cause = SyncRun.Cause.SCHEDULE, **changed) -> SyncRun:
        there.update({logical_id: allergy(logical_id) for logical_id in ids} | changed)
        found = [each for each in there.values() if each["resourceType"] == "AllergyIntolerance"]  # others come along
        provider.answers[ALLERGIES] = http(body=bundle(*there.values(), total=len(found)))
        give_tokens(linked, issued_at=at)
        run = sync(linked, at=at, cause=cause)
        assert run.outcome == "complete"
        return run

    run(at=AT, cause=SyncRun.Cause.CONFIRMED)
    return run


@pytest.fixture
def chosen(alice, check):
    """Alice has a record, and wants to be told."""
    choose(alice)
    return alice


@pytest.fixture
def came(chosen, check):
    """The next check brought something."""
    check("a3", at=CHECKED)


class TestSomethingNew:
    def test_is_told_once_on_the_morning_after_it_came(self, came):
        assert sent(MORNING + 3 * DAY) == [MORNING]
        (message,) = mail.outbox
        assert message.to == ["alice@example.org"]
        assert message.subject == "There is something new in your record"
        assert "Hello Alice,\n\nThere is something new in your record. To read it, sign in here:\n" in message.body
        assert [line for line in message.body.split() if "//" in line] == [
            "http://testserver/record/new/",
            "http://testserver/settings/warnings/",
        ]
        assert message.extra_headers["List-Unsubscribe"] == "<http://testserver/settings/warnings/>"

    def test_is_told_without_a_word_of_what_it_is_or_from_whom(self, came, linked, caplog):
        caplog.set_level("DEBUG")
        assert sent(MORNING) == [MORNING]
        written = mail.outbox[0].message().as_string()
        for hidden in (*CANARIES, "Harbor", str(linked.pk), "llerg", "a3"):
            assert hidden not in written
            assert hidden not in caplog.text
        assert "alice@example.org" not in caplog.text

    def test_is_told_by_opening_nothing(self, came, monkeypatch):
        monkeypatch.setattr(sealing, "key_ring", _die)
        assert sent(MORNING) == [MORNING]

    def test_is_not_told_to_whoever_did_not_choose_it(self, alice, check, make_user):
        check("a3", at=CHECKED)
        assert sent(MORNING + DAY) == []
        choose(alice, tells_of_news=False)
        choose(make_user("sam@example.org"))  # nothing came into his
        assert sent(MORNING + DAY) == []

    def test_is_told_in_the_language_of_its_reader(self, came):
        User.objects.update(language="es")
        sent(MORNING)
        assert mail.outbox[0].subject == "Hay algo nuevo en su expediente"

    def test_is_told_when_it_is_morning_there(self, alice, check):
        choose(alice, time_zone="Pacific/Honolulu")
        check("a3", at=CHECKED)
        assert sent(MORNING + DAY) == [datetime(2026, 11, 21, 18, 0, tzinfo=UTC)]

    def test_is_told_of_once_however_many_checks_brought_some(self, chosen, check):
        for hours, found in enumerate(("a3", "a4", "a5")):
            check(found, at=CHECKED + hours * HOUR)
        assert sent(MORNING + DAY) == [MORNING]

    def test_is_told_of_again_where_more_came_the_next_day(self, came, check):
        assert sent(MORNING + 2 * HOUR) == [MORNING]
        check("a4", at=MORNING + HOUR)
        assert sent(MORNING + 3 * DAY, since=MORNING + 2 * HOUR) == [MORNING + DAY]

    @pytest.mark.parametrize("name", ["Observation", "DiagnosticReport"])
    def test_is_a_result_that_was_only_ordered_before(self, chosen, check, name):
        ordered = {"resourceType": name, "id": "o1", "status": "registered", "code": {"text": "Biopsy"}, **ABOUT_HER}
        check("a3", at=CHECKED, o1=ordered)
        assert sent(MORNING) == [MORNING]
        check(at=MORNING + HOUR, o1={**ordered, "meta": {"versionId": "2"}})  # as some stamp every answer
        assert sent(MORNING + 2 * DAY, since=MORNING) == []
        check(at=MORNING + 2 * DAY + HOUR, o1={**ordered, "status": "final"})
        assert sent(MORNING + 5 * DAY, since=MORNING + 2 * DAY) == [MORNING + 3 * DAY]
        check(at=MORNING + 5 * DAY + HOUR, o1={**ordered, "status": "final", "meta": {"versionId": "3"}})
        assert sent(MORNING + 8 * DAY, since=MORNING + 5 * DAY) == []

    def test_is_told_where_the_patient_asked_and_did_not_wait(self, chosen, check):
        check("a3", at=CHECKED, cause=SyncRun.Cause.PATIENT)
        assert sent(MORNING) == [MORNING]

    def test_waits_for_the_day_where_it_is_night(self, came):
        WarningChoices.objects.update(news_due_at=CHECKED)
        assert announcing.tell(at=CHECKED.replace(hour=21)) == 0
        assert announcing.tell(at=MORNING - timedelta(minutes=1)) == 0
        assert announcing.tell(at=MORNING) == 1

    def test_is_written_into_the_log_that_its_reader_has(self, came, hers, alice):
        sent(MORNING)
        (event,) = AuditEvent.objects.filter(event="user.told_of_news")
        assert (event.user_id, event.at, event.facts) == (alice.pk, MORNING, {})
        assert "Notice sent by e-mail: something is new" in hers.get(reverse("activity")).content.decode()


class TestNothingNew:
    def test_is_a_first_copy(self, chosen):
        assert sent(AT + 3 * DAY) == []

    def test_is_a_first_copy_that_a_check_found_changed(self, alice, check):
        choose(alice, at=AT - DAY)
        check(at=CHECKED, a1=allergy("a1", code={"text": "Other"}))
        assert sent(MORNING + DAY, since=AT - DAY) == []

    def test_is_what_only_changed(self, chosen, check):
        check(at=CHECKED, a1=allergy("a1", code={"text": "Other"}))
        assert SyncStep.objects.filter(rows_changed=1).exists()
        assert sent(MORNING + DAY) == []

    def test_is_what_came_again_unchanged(self, chosen, check):
        check(at=CHECKED)
        assert sent(MORNING + DAY) == []

    def test_is_a_shelf_that_is_built_anew(self, chosen, linked):
        shelving.rebuild_all(linked, at=CHECKED)
        assert sent(MORNING + DAY) == []

    def test_is_what_a_server_sends_in_another_version(self, came):
        SyncStep.objects.filter(run__cause="schedule", resource_type="Patient").update(
            status="gap", gap="not_offered", rows_removed=1
        )
        assert sent(MORNING + DAY) == []

    def test_is_what_a_server_sends_under_other_ids_in_another_version(self, chosen, check, provider):
        states = statement("Patient", "AllergyIntolerance")
        provider.answers[METADATA] = http(body={**states, "resourceType": "Conformance", "fhirVersion": "1.0.2"})
        check("b1", "b2", at=CHECKED)
        assert sent(MORNING + DAY) == []
        check("b3", at=MORNING + DAY)
        assert sent(MORNING + 3 * DAY, since=MORNING + DAY) == [MORNING + 2 * DAY]

    @pytest.mark.parametrize("name", ["Practitioner", "Patient", "Provenance"])
    def test_is_what_no_list_has(self, came, name):
        Record.objects.filter(logical_id="a3").update(resource_type=name)
        SyncStep.objects.filter(resource_type=name).delete()
        SyncStep.objects.filter(rows_changed=1).update(resource_type=name)
        assert sent(MORNING + DAY) == []

    def test_is_what_its_provider_has_taken_back(self, came):
        Record.objects.filter(logical_id="a3").update(removed_at=CHECKED)
        assert sent(MORNING + DAY) == []

    def test_is_what_came_before_somebody_chose_to_be_told(self, alice, check):
        check("a3", at=CHECKED)
        choose(alice, at=CHECKED + HOUR)
        assert sent(MORNING + DAY, since=CHECKED + HOUR) == []
        check("a4", at=MORNING + DAY + HOUR)
        assert sent(MORNING + 2 * DAY, since=MORNING + DAY + HOUR) == [MORNING + 2 * DAY]


class TestWhoHasLooked:
    def test_is_not_told(self, came, alice):
        looked(alice, at=CHECKED + HOUR)
        assert sent(MORNING + DAY) == []

    def test_before_it_came_is_told(self, came, alice):
        looked(alice, at=CHECKED - HOUR)
        assert sent(MORNING + DAY) == [MORNING]

    @pytest.mark.parametrize("page", ["home", "what_is_new", "whole_record", "record"])
    def test_at_any_page_of_it_is_not_told(self, alice, check, linked, hers, page):
        now = timezone.now()
        choose(alice, at=now - DAY)
        check("a3", at=now - HOUR)
        address = reverse(page, args=[linked.pk] if page == "record" else [])
        assert hers.get(address).status_code == 200
        assert sent(now + 2 * DAY, since=now) == []

    def test_in_a_session_of_that_morning_and_again_after_the_check_is_not_told(self, alice, check, linked, hers):
        now = timezone.now()
        choose(alice, at=now - DAY)
        hers.get(reverse("home"))
        check("a3", at=timezone.now())
        hers.get(reverse("home"))
        assert sent(now + 2 * DAY, since=now) == []


class TestWhoIsNotToBeTold:
    def test_muted_the_connection(self, came):
        Connection.objects.update(is_muted=True)
        assert sent(MORNING + DAY) == []

    def test_has_an_address_that_nobody_confirmed(self, came, alice):
        alice.emailaddress_set.update(verified=False)
        assert sent(MORNING + DAY) == []

    def test_may_not_sign_in(self, came):
        User.objects.update(is_active=False)
        assert sent(MORNING + DAY) == []

    def test_changed_their_mind(self, came, alice):
        choose(alice, tells_of_news=False, at=CHECKED + HOUR)
        choices = WarningChoices.objects.get()
        assert (choices.news_due_at, choices.news_told_until) == (None, None)
        assert sent(MORNING + DAY) == []


class TestWhoChoosesOtherThingsAnew:
    def test_is_still_told(self, came, alice):
        assert sent(CHECKED) == []
        choose(alice, at=CHECKED + HOUR, time_zone="Europe/Madrid")
        assert sent(MORNING + DAY, since=CHECKED + HOUR) == [MORNING]


class TestAMailThatIsNotTaken:
    def test_is_tried_again_in_an_hour_and_not_at_night(self, came, monkeypatch):
        refusing(monkeypatch)
        assert sent(MORNING + HOUR) == []
        assert not AuditEvent.objects.filter(event="user.told_of_news").exists()
        monkeypatch.undo()
        assert sent(MORNING + DAY, since=MORNING + HOUR) == [MORNING + 2 * HOUR]

    def test_is_not_tried_at_night(self, came, monkeypatch):
        asked = refusing(monkeypatch)
        sent(MORNING + timedelta(hours=23))
        assert len(asked) == 13  # from 8 a.m. to 8 p.m.

    def test_is_not_tried_again_where_it_may_have_been(self, came, settings):
        with taking_mail(settings, GOES_AWAY) as mails:
            assert sent(MORNING + 3 * DAY) == []
        assert len(mails) == 1

    def test_is_logged_without_the_address(self, came, alice, monkeypatch, caplog):
        refusing(monkeypatch)
        sent(MORNING)
        assert f"A mail about something new was not sent: user {alice.pk}, SMTPDataError." in caplog.text
        assert "alice@example.org" not in caplog.text

    def test_leaves_the_others_alone_after_some(self, came, monkeypatch, make_user, linked):
        people = [make_user(f"p{number}@example.org") for number in range(5)]
        for person in people:
            choose(person)
        asked = refusing(monkeypatch)
        monkeypatch.setattr(announcing, "_has_news", lambda *_args, **_kwargs: True)
        WarningChoices.objects.update(news_due_at=MORNING)
        assert announcing.tell(at=MORNING) == 0
        assert len(asked) == 3


class TestAWorkerThatDies:
    @pytest.mark.parametrize("step", ["_send", "_note"])
    def test_before_or_after_sending_has_nobody_mailed_twice(self, came, monkeypatch, step):
        done = getattr(announcing, step)
        monkeypatch.setattr(announcing, step, _die)
        with pytest.raises(KeyboardInterrupt):
            sent(MORNING)
        monkeypatch.setattr(announcing, step, done)
        assert sent(MORNING + 2 * DAY, since=MORNING - HOUR) == []
        assert len(mail.outbox) == (step == "_note")

    def test_has_the_next_news_told(self, came, check, monkeypatch):
        monkeypatch.setattr(announcing, "_send", _die)
        with pytest.raises(KeyboardInterrupt):
            sent(MORNING)
        monkeypatch.undo()
        check("a4", at=MORNING + HOUR)
        assert sent(MORNING + DAY, since=MORNING + HOUR) == [MORNING + DAY]


@pytest.mark.django_db(transaction=True)
class TestSeveralWorkers:
    def test_send_one_mail(self, came):
        sent(MORNING - HOUR)
        told = results(together(*[lambda: announcing.tell(at=MORNING)] * 4))
        assert sorted(told) == [0, 0, 0, 1]
        assert len(mail.outbox) == 1

    def test_pass_over_an_account_that_is_being_closed(self, came, alice):
        sent(MORNING - HOUR)
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=alice.pk)
            assert results(together(lambda: announcing.tell(at=MORNING))) == [0]
        assert announcing.tell(at=MORNING) == 1


class TestTheTask:
    def test_is_on_the_schedule(self):
        assert tasks.tell_of_news.name in {row.task for row in SCHEDULE}

    def test_takes_no_thread_of_those_who_sync(self):
        """It speaks to a mail server, which may be slow."""
        assert app.amqp.router.route({}, tasks.tell_of_news.name)["queue"].name == "default"
        assert app.amqp.router.route({}, tasks.prune_runs.name)["queue"].name == "sync"

    def test_tells(self, came):
        WarningChoices.objects.update(news_due_at=timezone.now() - HOUR)
        User.objects.update(time_zone=_where_it_is_day())
        tasks.tell_of_news()
        assert len(mail.outbox) == 1


def _where_it_is_day() -> str:
    hour = timezone.now().hour
    if hour < 11:
        return "Asia/Tokyo"
    return "Africa/Abidjan" if hour < 20 else "Pacific/Honolulu"


def _die(*_args, **_kwargs):
    raise KeyboardInterrupt
