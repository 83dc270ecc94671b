"""Destroy a holder's data key, so that nothing sealed under it can be opened again."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.vault.holders import Holder, HolderKind
from apps.vault.models import DataKey


def shred(holder: Holder) -> None:
    """Destroy the user's data key and leave a tombstone: later seals and opens raise Shredded. Twice is as once.

    A key that is being renewed is shredded with its successor, whichever comes first: both hold the row of the key that
    seals. A user who never had a key gets the tombstone too, so that work still under way cannot make one afterwards.
    When the deletion is final in backups stands in docs/privacy.md. Raises ValueError for the installation, whose key
    every patient's link depends on.
    """
    if holder.kind != HolderKind.USER:
        raise ValueError("Only a user's data key can be shredded.")
    tombstone = DataKey(holder_kind=holder.kind, holder_id=holder.id, wrapping_key_id="", shredded_at=Now())
    with transaction.atomic():
        keys = DataKey.objects.filter(holder_kind=holder.kind, holder_id=holder.id)
        list(keys.select_for_update(no_key=True))  # nobody makes another from now on; whoever seals is not waited for
        DataKey.objects.bulk_create([tombstone], ignore_conflicts=True)
        _destroy_retired(keys.filter(is_retired=True))
        keys.filter(is_retired=False, shredded_at__isnull=True).update(
            wrapped=None, wrapping_key_id="", shredded_at=Now()
        )


def _destroy_retired(keys: QuerySet[DataKey]) -> None:
    """Delete them. One that somebody came to hold while it was retired, and holds without using it, is emptied: that
    waits for nobody. Its row goes with the next renewal."""
    keys.filter(pk__in=list(keys.select_for_update(skip_locked=True).values_list("pk", flat=True))).delete()
    keys.update(wrapped=b"")
