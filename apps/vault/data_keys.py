"""Find or make a holder's data key, and unlock it. Only `sealing` calls this."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from django.db import connection

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
    return unlock(row, holder)


def find(holder: Holder) -> UnlockedKey:
    """The holder's data key where it has one. Raises KeyMissing where not, and as `obtain` does."""
    return unlock(_row(holder), holder)


@dataclass(frozen=True, repr=False)
class LockedKey:
    """A data key as its row holds it; `wrapped` is None where it was shredded."""

    id: UUID
    wrapped: bytes | None
    wrapping_key_id: str


def rows(holders: Sequence[Holder]) -> Mapping[Holder, LockedKey]:
    """The locked data keys of those of these holders that have one, by one query; `unlock` opens them."""
    conditions = " OR ".join(_OF_NOBODY if holder.id is None else _OF_ONE for holder in holders)
    values = [value for holder in holders for value in (holder.kind.value, holder.id) if value is not None]
    with connection.cursor() as cursor:
        cursor.execute(f"{_COLUMNS} WHERE {conditions}", values)
        found = {(kind, of): LockedKey(*columns) for kind, of, *columns in cursor.fetchall()}
    names = ((holder, (holder.kind.value, holder.id)) for holder in holders)
    return {holder: found[name] for holder, name in names if name in found}


# Written out, and read as it comes: putting it together and making models of rows, for each value that is opened,
# costs several times as much as asking.
_COLUMNS = "SELECT holder_kind, holder_id, id, wrapped, wrapping_key_id FROM vault_datakey"
_OF_ONE = "(holder_kind = %s AND holder_id = %s)"
_OF_NOBODY = "(holder_kind = %s AND holder_id IS NULL)"  # `= NULL` matches nothing


def _row(holder: Holder) -> LockedKey | None:
    return rows([holder]).get(holder)


def _new_row(holder: Holder) -> DataKey:
    row = DataKey(holder_kind=holder.kind, holder_id=holder.id)
    row.wrapping_key_id, row.wrapped = wrapping.wrap(os.urandom(wrapping.KEY_BYTES), holder=holder, name=row.id.bytes)
    return row


def unlock(row: LockedKey | None, holder: Holder) -> UnlockedKey:
    """Raises as `find` does."""
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
