"""Django's e-mail backend of the demo: one file a message, readable by us alone."""

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class MailboxBackend(BaseEmailBackend):
    """Writes to `EMAIL_FILE_PATH` instead of sending; file names sort by time. The console only says that mail came."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._folder = Path(settings.EMAIL_FILE_PATH)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Store every message; returns how many."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for message in email_messages:
            path = self._folder / f"{time.time_ns():020}-{secrets.token_hex(4)}.eml"
            path.touch(mode=0o600)
            path.write_bytes(message.message().as_bytes())
            print(f"mail: {message.subject}: {settings.SITE_ORIGIN}/development/mail/", flush=True)
        return len(email_messages)
