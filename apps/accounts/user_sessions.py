"""The sessions of a user: described by browser for their owner to see, and ended, all or all but the current one."""

from datetime import datetime

from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import QuerySet

from apps.accounts import account_events, sessions
from apps.accounts.models import Session, User
from apps.audit.recording import EventType

_LONGEST_USER_AGENT = 200


def describe(session: SessionBase, *, ip_address: str | None, user_agent: str, at: datetime) -> None:
    """Note in a session when and where somebody signed in. The note survives a change of the session's key."""
    session[sessions.SIGN_IN] = {
        "signed_in_at": at.isoformat(),
        "ip_address": ip_address,
        "user_agent": user_agent[:_LONGEST_USER_AGENT],
    }


def sessions_of(user: User, *, at: datetime) -> QuerySet[Session]:
    """The sessions in which this user is signed in, oldest first."""
    return Session.objects.filter(user=user, expires_at__gt=at).order_by("signed_in_at", "pk")


def is_current(kept: Session, session: SessionBase) -> bool:
    """Whether the row belongs to the browser's own session."""
    return session.session_key is not None and kept.pk == sessions.digest(session.session_key)


def end_others(user: User, session: SessionBase, *, at: datetime) -> None:
    """End every session of the user except this one, in which somebody else or nobody may be signed in; log each."""
    with transaction.atomic():
        for kept in Session.objects.select_for_update().filter(user=user):
            if not is_current(kept, session):
                kept.delete()
                account_events.record(EventType.USER_SESSION_ENDED, user, at=at)


def end_all(user: User) -> None:
    """End every session of a user whom staff have stopped: none may come back when staff let the user in again."""
    Session.objects.filter(user=user).delete()
