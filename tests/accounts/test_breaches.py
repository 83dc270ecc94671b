"""Word that somebody may have seen a record: to everybody whom it concerns, by mail and on Home, until they read it."""

import io
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from apps.accounts import breach_mail, breaches, tasks
from apps.accounts.models import Breach, BreachNotice, User
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from config.celery import SCHEDULE
from tests.accounts.mail_servers import GOES_AWAY, REFUSES, TAKES, taking_mail

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HALF_AN_HOUR = timedelta(minutes=30)
OUTAGE = timedelta(days=5)  # of the mail server, before the first try
ENGLISH, SPANISH = "A laptop was stolen.\n\nChange your password & tell us.", "Robaron una computadora."
HEADING = "Somebody may have seen your record"


def announce(*people: User) -> Breach:
    whom = User.objects.filter(pk__in=[one.pk for one in people])
    words = f"{ENGLISH} {Breach.objects.count()}"
    return breaches.announce(whom, english=words, spanish=SPANISH, at=NOON, actor=Actor.system("tests"))


@pytest.fixture
def notice(alice: User) -> BreachNotice:
    return announce(alice).notices.get()


class TestTheMail:
    def test_says_it_to_each_in_the_words_of_the_operator_once(self, alice, sam):
        User.objects.filter(pk=sam.pk).update(language="es")
        announce(alice, sam)
        assert [breach_mail.send(at=NOON), breach_mail.send(at=NOON + timedelta(days=1))] == [2, 0]
        to_alice, to_sam = sorted(mail.outbox, key=lambda one: one.to)
        assert (to_alice.to, to_sam.to) == ([alice.email], [sam.email])
        assert to_alice.subject == "Important: somebody may have seen your record"
        assert ENGLISH in to_alice.body
        assert SPANISH in to_sam.body
        assert ENGLISH not in to_sam.body

    def test_leads_to_the_page_that_says_it(self, alice, notice, signed_in):
        breach_mail.send(at=NOON)
        (address,) = [line for line in mail.outbox[0].body.split() if "//" in line]
        page = signed_in(alice).get(address.removeprefix("http://testserver")).content.decode()
        assert "<p>A laptop was stolen.</p>" in page
        assert "Change your password &amp; tell us." in page

    def test_asks_for_no_answer_of_a_machine(self, notice):
        breach_mail.send(at=NOON)
        assert mail.outbox[0].extra_headers["Auto-Submitted"] == "auto-generated"

    def test_goes_to_nobody_else(self, sam, notice):
        breach_mail.send(at=NOON)
        assert [one.to for one in mail.outbox] == [["alice@example.org"]]

    def test_is_in_the_audit_log_without_its_words(self, alice, notice):
        breach_mail.send(at=NOON)
        announced, told = AuditEvent.objects.filter(event__in=["breach.announced", "user.told_of_breach"]).order_by(
            "pk"
        )
        assert (announced.facts, told.user_id, told.facts) == ({"count": 1}, alice.pk, {})

    @pytest.mark.parametrize("server", [REFUSES, GOES_AWAY], ids=["refused", "perhaps taken"])
    def test_is_tried_again_for_three_days_ever_less_often(self, notice, settings, server, caplog):
        with taking_mail(settings, server) as mails:
            at = NOON + OUTAGE
            while due_at := BreachNotice.objects.get().mail_due_at:
                assert breach_mail.send(at=due_at - timedelta(seconds=1)) == 0
                at = max(at, due_at)
                assert breach_mail.send(at=at) == 0
        assert len(mails) == 11
        assert at > NOON + OUTAGE + timedelta(days=3)
        assert caplog.text.count("A mail about a breach was not sent") == 10
        assert caplog.text.count("A person cannot be told of a breach by mail") == 1
        assert "alice@example.org" not in caplog.text
        assert BreachNotice.objects.get().mailed_at is None

    def test_is_tried_once_more_if_a_worker_dies_in_the_last_try(self, notice, settings, caplog):
        BreachNotice.objects.update(tries=10)
        before, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, "tests.accounts.mail_servers.WorkerDies"
        with pytest.raises(SystemExit):
            breach_mail.send(at=NOON)
        settings.EMAIL_BACKEND = before
        assert [breach_mail.send(at=NOON + timedelta(hours=n)) for n in (11, 12)] == [0, 1]

    def test_waits_behind_no_address_that_takes_none(self, alice, make_user, settings, caplog):
        gone = [make_user(f"gone{number}@example.org") for number in range(5)]
        announce(*gone)
        BreachNotice.objects.update(mail_due_at=NOON - HALF_AN_HOUR)  # before hers
        announce(alice)
        with taking_mail(settings, TAKES, refused="gone") as mails:
            assert breach_mail.send(at=NOON) == 1
        assert "To: alice@example.org" in mails[0]
        assert caplog.text.count("A mail about a breach was not sent") == 5

    def test_is_sent_on_schedule(self, notice):
        assert "apps.accounts.tasks.tell_of_breaches" in {row.task for row in SCHEDULE}
        tasks.tell_of_breaches()
        assert len(mail.outbox) == 1


class TestHome:
    def test_says_it_until_it_was_read(self, alice, sam, notice, signed_in):
        hers, his = signed_in(alice), signed_in(sam)
        assert HEADING in hers.get(reverse("home")).content.decode()
        assert HEADING not in his.get(reverse("home")).content.decode()
        page = reverse("breach", args=[notice.pk])
        assert "I have read this" in hers.get(page).content.decode()
        assert HEADING in hers.get(reverse("home")).content.decode()
        assert hers.post(page).url == reverse("home")
        assert HEADING not in hers.get(reverse("home")).content.decode()
        again = hers.get(page).content.decode()
        assert "A laptop was stolen." in again
        assert "I have read this" not in again

    def test_leaves_it_to_activity_then(self, alice, sam, notice, signed_in):
        hers, page, activity = signed_in(alice), reverse("breach", args=[notice.pk]), reverse("activity")
        assert page not in hers.get(activity).content.decode()
        hers.post(page)
        assert f'href="{page}"' in hers.get(activity).content.decode()
        assert f'href="{activity}"' in hers.get(page).content.decode().partition("<main")[2]
        assert page not in signed_in(sam).get(activity).content.decode()

    def test_keeps_when_it_was_read_first(self, alice, notice):
        breaches.mark_read(alice, notice.pk, at=NOON)
        breaches.mark_read(alice, notice.pk, at=NOON + HALF_AN_HOUR)
        assert BreachNotice.objects.get().read_at == NOON

    def test_says_two_breaches_one_by_one(self, alice, notice, signed_in):
        announce(alice)
        client = signed_in(alice)
        assert client.get(reverse("home")).content.decode().count("We told you about this on November 20, 2026.") == 2
        client.post(reverse("breach", args=[notice.pk]))
        assert client.get(reverse("home")).content.decode().count(HEADING) == 1

    def test_is_in_the_language_of_the_page(self, alice, notice, signed_in):
        spanish = {"accept-language": "es"}
        page = signed_in(alice).get(reverse("breach", args=[notice.pk]), headers=spanish).content.decode()
        assert "Robaron una computadora." in page
        assert "laptop" not in page


class TestAStranger:
    def test_neither_sees_nor_ends_it(self, sam, notice, signed_in, client):
        page = reverse("breach", args=[notice.pk])
        his = signed_in(sam)
        assert [his.get(page).status_code, his.post(page).status_code] == [404, 404]
        assert client.get(page).status_code == 302
        assert signed_in(sam).get(reverse("breach", args=[uuid.uuid4()])).status_code == 404
        assert BreachNotice.objects.get().read_at is None


class TestTheCommand:
    @pytest.fixture
    def words(self, tmp_path: Path) -> list[str]:
        (tmp_path / "en").write_text(ENGLISH)
        (tmp_path / "es").write_text(SPANISH)
        return ["--english", str(tmp_path / "en"), "--spanish", str(tmp_path / "es")]

    def run(self, *options: str) -> str:
        printed = io.StringIO()
        call_command("announce_breach", *options, stdout=printed)
        return printed.getvalue()

    def test_only_shows_what_it_would_do(self, words, alice, tmp_path):
        (tmp_path / "people").write_text(f"{alice.pk}\n\nALICE@example.org\n")
        printed = self.run(*words, "--people", str(tmp_path / "people"))
        assert ENGLISH in printed
        assert SPANISH in printed
        assert "1 account would be told" in printed
        assert not Breach.objects.exists()

    def test_tells_whom_the_file_names(self, words, alice, sam, tmp_path):
        (tmp_path / "people").write_text(str(alice.pk))
        assert "1 account will be told" in self.run(*words, "--people", str(tmp_path / "people"), "--send")
        assert [row.user for row in BreachNotice.objects.all()] == [alice]

    @pytest.mark.parametrize("line", ["nobody@example.org", "sam@example.org", "alice\0@example.org", "123"])
    def test_tells_nobody_where_a_line_must_be_corrected(self, words, alice, sam, tmp_path, line):
        sam.emailaddress_set.update(verified=False)
        (tmp_path / "people").write_text(f"{alice.pk}\n{line}\n")
        with pytest.raises(CommandError, match=r"Nobody was told\. These lines .*: 2\.") as refused:
            self.run(*words, "--people", str(tmp_path / "people"), "--send")
        assert line not in str(refused.value).partition(":")[0]
        assert not Breach.objects.exists()

    def test_leaves_out_whoever_closed_their_account(self, words, alice, tmp_path):
        (tmp_path / "people").write_text(f"\ufeff{alice.pk}\n{uuid.uuid4()}\n", encoding="utf-8")
        printed = self.run(*words, "--people", str(tmp_path / "people"), "--send")
        assert "1 id of no account" in printed
        assert "1 account will be told" in printed

    def test_tells_everybody_whose_address_was_verified(self, words, alice, sam):
        sam.emailaddress_set.update(verified=False)
        User.objects.filter(pk=alice.pk).update(is_active=False)
        self.run(*words, "--everybody", "--send")
        assert [row.user for row in BreachNotice.objects.all()] == [alice]

    def test_tells_the_same_words_to_nobody_twice(self, words, alice, sam, tmp_path):
        (tmp_path / "people").write_text(str(alice.pk))
        self.run(*words, "--people", str(tmp_path / "people"), "--send")
        assert "1 account would be told" in self.run(*words, "--everybody")
        assert "1 account will be told" in self.run(*words, "--everybody", "--send")
        assert [one.user for one in Breach.objects.latest("pk").notices.all()] == [sam]
        for options in ((), ("--send",)):
            with pytest.raises(CommandError, match="all were told these words before"):
                self.run(*words, "--everybody", *options)
        assert Breach.objects.count() == 2

    def test_tells_more_to_whoever_was_told_before(self, words, alice, sam):
        first = announce(alice)
        self.run(*words, "--told", str(first.pk), "--send")
        assert [one.user for one in Breach.objects.latest("pk").notices.all()] == [alice]
        with pytest.raises(CommandError, match="no such breach"):
            self.run(*words, "--told", "999999", "--send")

    @pytest.mark.parametrize("content", [b"", b" \n", b"\xff", b"a" * 20_001, b"a\0", b"\x1b[2J"])
    def test_takes_no_words_that_nobody_could_read(self, words, alice, tmp_path, content):
        (tmp_path / "es").write_bytes(content)
        with pytest.raises(CommandError):
            self.run(*words, "--everybody", "--send")
        assert not Breach.objects.exists()


class TestABreachThatWasWithdrawn:
    @pytest.fixture
    def withdrawn(self, alice: User, sam: User) -> Breach:
        """Alice has got the mail; Sam was not told yet."""
        announce(alice)
        breach_mail.send(at=NOON)
        breach = announce(alice, sam)
        BreachNotice.objects.filter(user=alice).update(tries=1, mail_due_at=NOON)
        printed = io.StringIO()
        call_command("withdraw_breach", str(breach.pk), stdout=printed)
        assert "1 account knew, or may know." in printed.getvalue()
        mail.outbox.clear()
        return breach

    def test_is_mailed_to_nobody_else(self, withdrawn, alice):
        Breach.objects.exclude(pk=withdrawn.pk).delete()
        assert breach_mail.send(at=NOON + OUTAGE) == 0
        assert list(breaches.told_of(withdrawn)) == [alice]

    def test_is_on_home_only_where_it_may_be_known(self, withdrawn, alice, sam, signed_in):
        home = reverse("home")
        assert signed_in(alice).get(home).content.decode().count(HEADING) == 2
        assert HEADING not in signed_in(sam).get(home).content.decode()
        assert not User.objects.get(pk=sam.pk).has_breach_to_read

    def test_leaves_what_else_there_is_to_read(self, alice):
        first, second = announce(alice), announce(alice)
        breaches.withdraw(second, at=NOON, actor=Actor.system("tests"))
        alice.refresh_from_db()
        assert [one.breach for one in breaches.unread(alice)] == [first]

    def test_is_in_the_audit_log(self, withdrawn):
        event = AuditEvent.objects.get(event="breach.withdrawn")
        assert (event.subject_id, event.facts) == (str(withdrawn.pk), {"count": 1})

    def test_must_exist(self, db):
        with pytest.raises(CommandError, match="no such breach"):
            call_command("withdraw_breach", "1")


class TestTheAdmin:
    def test_says_how_many_it_has_reached(self, alice, sam, staff: Client):
        breach = announce(alice, sam)
        breach_mail.send(at=NOON)
        breaches.mark_read(alice, breach.notices.get(user=alice).pk, at=NOON)
        page = staff.get(reverse("admin:accounts_breach_changelist")).content.decode()
        for column, count in (("people", 2), ("mailed", 2), ("mail_to_come", 0), ("read", 1), ("unreached", 0)):
            assert f'field-{column}">{count}<' in page
        whole = staff.get(reverse("admin:accounts_breach_change", args=[breach.pk])).content.decode()
        assert "A laptop was stolen." in whole

    @pytest.mark.parametrize(
        ("columns", "answer", "words"),
        [
            ({"mailed_at": NOON}, "yes", "told by e-mail"),
            ({"read_at": NOON, "mail_due_at": NOON}, "yes", "read it here"),
            ({"mail_due_at": NOON}, "not-yet", "e-mail to come"),
            ({}, "no", "in no way"),
        ],
    )
    def test_says_whom_it_has_not_reached(self, notice, staff: Client, columns, answer, words):
        BreachNotice.objects.update(**{"mail_due_at": None, **columns})
        every = reverse("admin:accounts_breachnotice_changelist")
        found = {one: staff.get(every, {"reached": one}).content.decode() for one in ("yes", "not-yet", "no")}
        assert [one for one, page in found.items() if str(notice.user_id) in page] == [answer]
        assert f'field-reached">{words}<' in found[answer]
        assert "alice@example.org" not in found[answer]
        page = staff.get(reverse("admin:accounts_breach_changelist")).content.decode()
        assert f'field-unreached">{int(answer == "no")}<' in page
