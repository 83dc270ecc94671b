"""The demo's mailbox: readable by its user only, and shown to this machine only."""

import pytest
from django.core.mail import EmailMessage
from django.http import Http404

from development.mailbox import MailboxBackend, messages, views


@pytest.fixture
def folder(settings, tmp_path):
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    return tmp_path / "mail"


def send(subject, text="Your code is\nABCD-EFGH\n"):
    MailboxBackend().send_messages([EmailMessage(subject, text, "from@example.org", ["rosa@example.org"])])


class TestTheMailbox:
    def test_keeps_a_message_for_us_alone(self, folder):
        send("Confirm your address")
        (kept,) = folder.iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600

    def test_gives_back_what_was_sent_the_newest_first(self, folder):
        send("First")
        send("Second", "¿Qué tal?")
        newest, oldest = messages.newest_first(folder)
        assert (newest.subject, newest.text.strip(), newest.to) == ("Second", "¿Qué tal?", "rosa@example.org")
        assert "ABCD-EFGH" in oldest.text

    def test_is_empty_before_the_first(self, folder):
        assert messages.newest_first(folder) == []

    def test_prints_that_mail_came_and_no_code(self, folder, capsys):
        send("Confirm your address")
        assert "Confirm your address" in (said := capsys.readouterr().out)
        assert "ABCD" not in said


class TestThePageOfTheMailbox:
    def test_shows_text_as_text(self, folder, rf):
        send("Confirm", "Your code is <b>ABCD-EFGH</b>")
        page = views.mailbox(rf.get("/development/mail/", REMOTE_ADDR="127.0.0.1"))
        assert b"&lt;b&gt;ABCD-EFGH" in page.content

    def test_is_absent_for_another_machine(self, folder, rf):
        with pytest.raises(Http404):
            views.mailbox(rf.get("/development/mail/", REMOTE_ADDR="192.0.2.7"))

    def test_has_no_address_outside_debug(self, client, db):
        assert client.get("/development/mail/").status_code == 404
