"""`manage.py sendtestemail` says in one sentence why a mail was not sent."""

import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from development import ports

FULL = "452 canary@example.org: insufficient system storage"


class MailServer(socketserver.StreamRequestHandler):
    """Takes whatever comes, but for the command that `refusing` names."""

    refusing = ""

    def handle(self) -> None:
        self.say("220 here")
        while command := self.rfile.readline().split(b" ")[0].strip().decode().upper():
            if command == self.refusing:
                self.say(FULL)
                continue
            self.say("354 go on" if command == "DATA" else "250 taken")
            while command == "DATA" and self.rfile.readline().strip() != b".":
                pass
            if command == "DATA":
                self.say("250 taken")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def mail_server(settings: Any) -> Iterator[type[MailServer]]:
    class Ours(MailServer):
        pass

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Ours) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.server_address[1]
        yield Ours
        server.shutdown()


class TestTryingTheMailServer:
    def test_says_nothing_where_the_mail_was_taken(self, mail_server):
        call_command("sendtestemail", "you@example.org")

    @pytest.mark.parametrize(
        ("command", "why"),
        [
            ("MAIL", "SMTPSenderRefused 452"),
            ("RCPT", "SMTPRecipientsRefused 452"),
            ("DATA", "SMTPDataError 452"),
        ],
    )
    def test_names_the_number_of_a_refusal_and_no_words_of_the_server(self, mail_server, command, why):
        mail_server.refusing = command
        with pytest.raises(CommandError) as raised:
            call_command("sendtestemail", "you@example.org")
        assert str(raised.value) == f"The mail was not sent ({why}). Look at the mail server and EMAIL_URL."

    def test_says_that_nobody_is_there(self, mail_server, settings):
        settings.EMAIL_PORT = ports.free_port()
        with pytest.raises(CommandError, match=r"The mail was not sent \(ConnectionRefusedError\)"):
            call_command("sendtestemail", "you@example.org")
