"""Tell the owner of an account by mail what staff did to it."""

from datetime import datetime

from apps.accounts import mailing
from apps.accounts.models import User


def tell_of_a_lost_second_step(user: User, *, at: datetime) -> None:
    """Staff took a second step away, because somebody said that it was lost. It speaks to the mail server: call it
    outside transactions. Where that takes nothing the log says so; it stands under Activity all the same."""
    with mailing.not_in_the_way(user):
        mailing.send("accounts/email/second_step_taken", to=user.email, context={"at": at})
