"""`sendtestemail`: Django's own, which tries the mail server. Why it did not take the mail is one sentence."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import sendtestemail


class Command(sendtestemail.Command):
    """Nothing that a server says beside its number is repeated: it may hold an address."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Send it."""
        try:
            super().handle(*args, **options)
        except OSError as error:  # smtplib's errors are all of this kind
            why = " ".join((type(error).__name__, *map(str, _numbers(error))))
            raise CommandError(f"The mail was not sent ({why}). Look at the mail server and EMAIL_URL.") from error


def _numbers(error: Any) -> set[int]:
    """By which the server refused the mail, or each of whom it was for; none where it said nothing."""
    if hasattr(error, "smtp_code"):
        return {error.smtp_code}
    return {number for number, _said in getattr(error, "recipients", {}).values()}
