"""Record in the audit log that somebody failed to sign in to an account: at most once per cool-off time and kind.

The log is kept for ever, and an attacker tries thousands of times. So `AccessAttempt` has the count, and the log says
that it happened. Nothing that was typed is stored, and nothing at all about an address without an account.
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
    """What was wrong. A code is asked for only after the right password, so a wrong code is more serious."""

    PASSWORD = "password", _("a wrong password")
    PASSWORD_AGAIN = "password again", _("a wrong password, typed in a browser that was signed in")
    CODE = "code", _("the password was right, and the code after it was wrong")
    CODE_AGAIN = "code again", _("a wrong code, typed in a browser that was signed in")


def note_failure(user: User, method: Method, *, at: datetime) -> bool:
    """Record a wrong password or code for this account. False if one was recorded a moment ago."""
    return _note(EventType.USER_SIGN_IN_FAILED, user, {Fact.METHOD: method.value}, at=at)


def note_lockout(user: User, *, at: datetime) -> None:
    """Record that the account is locked out for the address from which its password is guessed."""
    _note(EventType.USER_LOCKED_OUT, user, {}, at=at)


def _note(event: EventType, user: User, facts: dict[str, str], *, at: datetime) -> bool:
    """If two come at the same moment, both may be recorded."""
    noted = AuditEvent.objects.filter(subject_id=str(user.pk), event=event, facts=facts).order_by("-pk")
    latest_at = noted.values_list("at", flat=True).first()
    is_due: bool = latest_at is None or latest_at <= at - settings.AXES_COOLOFF_TIME
    if is_due:
        recording.record(
            event, actor=_ACTOR, at=at, user_id=user.pk, subject="user", subject_id=str(user.pk), facts=facts
        )
    return is_due
