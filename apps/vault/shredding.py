"""Destroy a holder's data key, so that nothing sealed with it can ever be opened (crypto-shredding)."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.vault.holders import Holder, HolderKind
from apps.vault.models import DataKey


def shred(holder: Holder) -> None:
    """Destroy the user's data key and leave a tombstone: later seals and opens raise Shredded. Calling it again changes
    nothing.

    During a renewal both keys are shredded, whichever comes first: both operations lock the current key's row. A user
    who never had a key gets a tombstone, too, so that work still in progress cannot create one afterwards.
    docs/privacy.md says when the deletion is final in backups. Raises ValueError for the installation, on whose key
    every patient's link depends.
    """
    if holder.kind != HolderKind.USER:
        raise ValueError("Only a user's data key can be shredded.")
    tombstone = DataKey(holder_kind=holder.kind, holder_id=holder.id, wrapping_key_id="", shredded_at=Now())
    with transaction.atomic():
        keys = DataKey.objects.filter(holder_kind=holder.kind, holder_id=holder.id)
        list(keys.select_for_update(no_key=True))  # no other key is created from now on; sealing does not block this
        DataKey.objects.bulk_create([tombstone], ignore_conflicts=True)
        _destroy_retired(keys.filter(is_retired=True))
        keys.filter(is_retired=False, shredded_at__isnull=True).update(
            wrapped=None, wrapping_key_id="", shredded_at=Now()
        )


def _destroy_retired(keys: QuerySet[DataKey]) -> None:
    """Delete the retired keys. If somebody still has a lock on one from before it was retired, its contents are erased
    instead, which need not wait; the next renewal deletes the row."""
    keys.filter(pk__in=list(keys.select_for_update(skip_locked=True).values_list("pk", flat=True))).delete()
    keys.update(wrapped=b"")
