"""`sendtestemail`: Django's own command, which tries the mail server. A failure is reported in one sentence."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import sendtestemail


class Command(sendtestemail.Command):
    """Of a server's answer only the code is shown: the text may contain an address."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Send it."""
        try:
            super().handle(*args, **options)
        except OSError as error:  # smtplib's errors are all of this kind
            why = " ".join((type(error).__name__, *map(str, _numbers(error))))
            raise CommandError(f"The mail was not sent ({why}). Look at the mail server and EMAIL_URL.") from error


def _numbers(error: Any) -> set[int]:
    """The codes with which the server refused the mail, or each recipient; empty if it gave none."""
    if hasattr(error, "smtp_code"):
        return {error.smtp_code}
    return {number for number, _said in getattr(error, "recipients", {}).values()}
