"""Find or make a holder's data key, and unlock it. Only `sealing` calls this."""

import os
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from apps.vault import wrapping
from apps.vault.errors import KeyMissing, Shredded
from apps.vault.holders import Holder
from apps.vault.models import DataKey


@dataclass(frozen=True, repr=False)
class UnlockedKey:
    """A data key in memory, as the two keys derived from it: one in AES-GCM, one for digests."""

    short_id: bytes
    cipher: AESGCM
    digest_key: bytes

    def __repr__(self) -> str:
        """Say nothing about the keys."""
        return "<UnlockedKey>"

    def __reduce__(self) -> str:
        """Refuse to be copied to another process."""
        raise TypeError("An unlocked key cannot be pickled.")


def obtain(holder: Holder) -> UnlockedKey:
    """The holder's data key, made on first use. Raises Shredded, KeyMissing, CannotOpen or WeakKey.

    Two first uses at once agree on one key: the insert that comes second waits for the first, does nothing, and the
    read that follows sees the key that won.
    """
    row = _row(holder)
    if row is None:
        DataKey.objects.bulk_create([_new_row(holder)], ignore_conflicts=True)
        row = _row(holder)
    return _unlock(row, holder)


def find(holder: Holder) -> UnlockedKey:
    """The holder's data key where it has one. Raises KeyMissing where not, and as `obtain` does."""
    return _unlock(_row(holder), holder)


def _row(holder: Holder) -> DataKey | None:
    # `holder_id=None` would read `= NULL`, which matches nothing
    whose = {"holder_id": holder.id} if holder.id else {"holder_id__isnull": True}
    return DataKey.objects.filter(holder_kind=holder.kind, **whose).first()


def _new_row(holder: Holder) -> DataKey:
    row = DataKey(holder_kind=holder.kind, holder_id=holder.id)
    row.wrapping_key_id, row.wrapped = wrapping.wrap(os.urandom(wrapping.KEY_BYTES), holder=holder, name=row.id.bytes)
    return row


def _unlock(row: DataKey | None, holder: Holder) -> UnlockedKey:
    if row is None:
        raise KeyMissing
    if row.wrapped is None:
        raise Shredded
    data_key = wrapping.unwrap(
        bytes(row.wrapped), wrapping_key_id=row.wrapping_key_id, holder=holder, name=row.id.bytes
    )
    return UnlockedKey(
        short_id=row.id.bytes[:4],
        cipher=AESGCM(_derive(data_key, b"holdfast vault sealing")),
        digest_key=_derive(data_key, b"holdfast vault digest"),
    )


def _derive(data_key: bytes, purpose: bytes) -> bytes:
    """HKDF-Expand (RFC 5869): the data key is uniformly random, so there is nothing to extract."""
    return HKDFExpand(algorithm=SHA256(), length=wrapping.KEY_BYTES, info=purpose).derive(data_key)
