"""Write down that somebody did not get into an account: at most once within the cool-off time for each kind.

The log is for ever, and whoever guesses does so thousands of times: the count stands in `AccessAttempt`, and the log
says that it happened. Nothing that was typed is kept, and nothing at all of an address without an account.
"""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact

_ACTOR = Actor.system("sign-in")  # nobody knows who it was


class Method(models.TextChoices):
    """What was wrong. A code is asked for after the right password, so that a wrong one is graver."""

    PASSWORD = "password", _("a wrong password")
    PASSWORD_AGAIN = "password again", _("a wrong password, typed in a browser that was signed in")
    CODE = "code", _("the password was right, and the code after it was wrong")
    CODE_AGAIN = "code again", _("a wrong code, typed in a browser that was signed in")


def note_failure(user: User, method: Method, *, at: datetime) -> bool:
    """Somebody typed what is not this account's password or code. False where that was written down a moment ago."""
    return _note(EventType.USER_SIGN_IN_FAILED, user, {Fact.METHOD: method.value}, at=at)


def note_lockout(user: User, *, at: datetime) -> None:
    """The account takes no password from where somebody guesses it."""
    _note(EventType.USER_LOCKED_OUT, user, {}, at=at)


def _note(event: EventType, user: User, facts: dict[str, str], *, at: datetime) -> bool:
    """Two that come at the same moment may both be written."""
    noted = AuditEvent.objects.filter(subject_id=str(user.pk), event=event, facts=facts).order_by("-pk")
    latest_at = noted.values_list("at", flat=True).first()
    is_due: bool = latest_at is None or latest_at <= at - settings.AXES_COOLOFF_TIME
    if is_due:
        recording.record(
            event, actor=_ACTOR, at=at, user_id=user.pk, subject="user", subject_id=str(user.pk), facts=facts
        )
    return is_due
