"""End shares, and delete those that are long over."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.sharing.models import Share

KEPT: Final = timedelta(days=30)  # after their end, so that its owner can still read who came
_LOT: Final = 500  # with a hundred openings each


def end(user: User, share_id: UUID, *, at: datetime) -> None:
    """Let nobody in any more, from now on. Twice is as once. Raises Share.DoesNotExist for anybody else's."""
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
    """End every share of everybody, for a database that was restored from a backup: some may have been ended since, and
    nothing knows which. Their owners get no mail of what the backup held as not told yet. Returns how many."""
    Share.objects.filter(tell_at__isnull=False).update(tell_at=None)
    return Share.objects.open(at=at).update(ended_at=at)


def forget(user: User) -> None:
    """Delete all shares of an account that is being closed, before its key goes: whoever opens one holds its row, and
    then asks for the key. All are held first, or somebody could come between those who came and the share itself. Call
    it in the transaction that closes the account."""
    list(user.shares.select_for_update().order_by("pk").values_list("pk"))
    user.shares.all().delete()


def purge(*, at: datetime) -> int:
    """Delete what is long over, with who came, each lot in a transaction of its own. Returns how many shares."""
    long_ago, count = at - KEPT, 0
    over = Share.objects.filter(Q(expires_at__lt=long_ago) | Q(ended_at__lt=long_ago))
    while lot := list(over.values_list("pk", flat=True)[:_LOT]):
        Share.objects.filter(pk__in=lot).delete()
        count += len(lot)
    return count
