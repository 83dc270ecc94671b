"""Mail servers on this machine that misbehave; while one runs, the site's settings point to it."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend

GOES_AWAY = ""  # as the answer to a whole mail
REFUSES = "451 Try again later"
TAKES = "250 Well"


@contextmanager
def taking_mail(settings: Any, answer: str, *, refused: str = "refused") -> Iterator[list[str]]:
    """Every mail that is handed over, whole, is answered so; the mails. Addresses that begin with `refused` take
    none."""
    mails: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline():
                command = line[:4].strip().upper()
                if line.upper().startswith(f"RCPT TO:<{refused.upper()}".encode()):
                    self._say("550 No such mailbox")
                    continue
                if command != b"DATA":
                    self._say("221 Bye" if command == b"QUIT" else "250 Well")
                    continue
                self._say("354 Go on")
                mails.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                if not answer:
                    return
                self._say(answer)

        def _say(self, said: str) -> None:
            self.wfile.write(f"{said}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        before = settings.EMAIL_BACKEND
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
        try:
            yield mails
        finally:
            settings.EMAIL_BACKEND = before
            server.shutdown()


class WorkerDies(BaseEmailBackend):
    """No server: the process ends while it sends."""

    def send_messages(self, email_messages: Any) -> int:
        raise SystemExit
