"""Delete accounts whose address was never verified: a mistyped address belongs to somebody else."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType

BATCH = 500


def due_for_purge(*, at: datetime) -> QuerySet[User]:
    """Accounts older than UNVERIFIED_ACCOUNT_DAYS that have no verified address and never signed in.

    Accounts of staff are made by a command, without a mailbox, and stay.
    """
    due = _never_confirmed().filter(joined_at__lt=at - timedelta(days=settings.UNVERIFIED_ACCOUNT_DAYS))
    return due.order_by("joined_at", "pk")


def _never_confirmed() -> QuerySet[User]:
    verified = EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)
    return User.objects.filter(~Exists(verified), last_login__isnull=True, is_staff=False)


def purge_unverified(*, at: datetime, actor: Actor) -> int:
    """Delete these accounts and log each. Returns how many were deleted."""
    purged = 0
    while True:
        with transaction.atomic():
            due = due_for_purge(at=at).select_for_update(skip_locked=True, of=("self",))[:BATCH]
            users = list(due)
            _purge(users, at=at, actor=actor)
        purged += len(users)
        if len(users) < BATCH:
            return purged


def make_way(email: str, *, to: User, at: datetime) -> None:
    """Delete the account of whoever signed up with an address and never confirmed it, for a user who just has. Else
    anybody could keep them from their own address."""
    with transaction.atomic():
        others = _never_confirmed().filter(email=email.lower()).exclude(pk=to.pk)
        _purge(list(others.select_for_update(of=("self",))), at=at, actor=Actor.system("confirming"))


def _purge(users: Sequence[User], *, at: datetime, actor: Actor) -> None:
    for user in users:
        recording.record(
            EventType.USER_PURGED, actor=actor, at=at, user_id=user.pk, subject="user", subject_id=str(user.pk)
        )
    User.objects.filter(pk__in=[user.pk for user in users]).delete()
