"""End shares, and delete those that ended long ago."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.sharing.models import Share

KEPT: Final = timedelta(days=30)  # after the end, so that the owner can still see who came
_LOT: Final = 500  # each may have a hundred openings


def end(user: User, share_id: UUID, *, at: datetime) -> None:
    """End the share now. Calling it again changes nothing. Raises Share.DoesNotExist for somebody else's share."""
    with transaction.atomic():
        share = user.shares.select_for_update().get(pk=share_id)
        if not user.shares.open(at=at).filter(pk=share.pk).exists():
            return
        share.ended_at = at
        share.save(update_fields=["ended_at"])
        recording.record(
            EventType.SHARE_ENDED,
            actor=Actor.user(user.pk),
            at=at,
            user_id=user.pk,
            subject="share",
            subject_id=str(share.pk),
        )


def end_all(*, at: datetime) -> int:
    """End every share of everybody, in a database restored from a backup: some may have been ended after it, and
    nothing says which. Mail that was due when the backup was made is not sent. Returns how many were ended."""
    Share.objects.filter(tell_at__isnull=False).update(tell_at=None)
    return Share.objects.open(at=at).update(ended_at=at)


def forget(user: User) -> None:
    """Delete all shares of an account that is being closed, before its key is shredded.

    Somebody who opens a share locks its row and then uses the key. So all rows are locked first; otherwise an opening
    could be added between the deletion of openings and that of the share. Call it in the transaction that closes the
    account.
    """
    list(user.shares.select_for_update().order_by("pk").values_list("pk"))
    user.shares.all().delete()


def purge(*, at: datetime) -> int:
    """Delete shares that ended long ago, with their openings, each lot in its own transaction. Returns how many
    shares."""
    long_ago, count = at - KEPT, 0
    over = Share.objects.filter(Q(expires_at__lt=long_ago) | Q(ended_at__lt=long_ago))
    while lot := list(over.values_list("pk", flat=True)[:_LOT]):
        Share.objects.filter(pk__in=lot).delete()
        count += len(lot)
    return count
