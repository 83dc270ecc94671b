"""Mail to the owner of an account about what staff did to it."""

from datetime import datetime

from apps.accounts import mailing
from apps.accounts.models import User


def tell_of_a_lost_second_step(user: User, *, at: datetime) -> None:
    """Staff removed a second step that was reported lost. Speaks to the mail server: call it outside transactions. If
    that fails, it is logged; the owner can read it under Activity all the same."""
    with mailing.failures_logged(user):
        mailing.send("accounts/email/second_step_taken", to=user.email, context={"at": at})
