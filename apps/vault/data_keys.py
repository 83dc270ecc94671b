"""Find or create a holder's data keys, and unlock them. Only `sealing` and `renewing` call this."""

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
    """A data key in memory, as two keys derived from it: one for AES-GCM, one for digests."""

    short_id: bytes
    cipher: AESGCM
    digest_key: bytes

    def __repr__(self) -> str:
        """Say nothing about the keys."""
        return "<UnlockedKey>"

    def __reduce__(self) -> str:
        """Refuse to be pickled, and so to leave this process."""
        raise TypeError("An unlocked key cannot be pickled.")


@dataclass(frozen=True, repr=False)
class LockedKey:
    """A data key as stored; `wrapped` is None if it was shredded."""

    id: UUID
    wrapped: bytes | None
    wrapping_key_id: str
    is_retired: bool = False


class UnlockedKeys:
    """A holder's data keys: the current one, which seals, and during a renewal the retired one, which only opens what
    it sealed and is unlocked when it is needed. Raises as `find` does."""

    def __init__(self, holder: Holder, locked: Sequence[LockedKey]) -> None:
        self._holder = holder
        self._retired = {short_id(row.id): row for row in locked if row.is_retired}
        self.current = unlock(_current(locked), holder)
        self._unlocked = {self.current.short_id: self.current}

    def __repr__(self) -> str:
        """Say nothing about the keys."""
        return "<UnlockedKeys>"

    def __reduce__(self) -> str:
        """Refuse to be pickled, and so to leave this process."""
        raise TypeError("Unlocked keys cannot be pickled.")

    def named(self, name: bytes) -> UnlockedKey | None:
        """The key with this short id, or None."""
        found = self._unlocked.get(name)
        if found is None and name in self._retired:
            found = self._unlocked[name] = unlock(self._retired[name], self._holder)
        return found

    @property
    def retired(self) -> bytes | None:
        """The short id of the retired key, or None."""
        return next(iter(self._retired), None)

    def each(self) -> tuple[UnlockedKey, ...]:
        """The current key and, if there is one, the retired key."""
        found = (self.named(name) for name in (self.current.short_id, *self._retired))
        return tuple(key for key in found if key is not None)


def obtain(holder: Holder) -> UnlockedKeys:
    """The holder's data keys; the first one is created on first use. Raises Shredded, KeyMissing, CannotOpen or
    WeakKey.

    Two first uses at once agree on one key: the second insert waits for the first and does nothing, and the read that
    follows sees the key that won. Within a transaction the current key's row is locked to the end, shared with others
    who seal, so that nobody retires the key before (`renewing`).
    """
    locked = _held(holder)
    if _current(locked) is None:  # or it was retired just now: then the next read sees its successor
        DataKey.objects.bulk_create([new_row(holder)], ignore_conflicts=True)
        locked = _held(holder)
    return UnlockedKeys(holder, locked)


def find(holder: Holder) -> UnlockedKeys:
    """The holder's data keys if it has any. Raises KeyMissing if not, and otherwise as `obtain` does."""
    return UnlockedKeys(holder, rows([holder]).get(holder, ()))


def rows(holders: Sequence[Holder]) -> Mapping[Holder, Sequence[LockedKey]]:
    """The locked data keys of these holders, found with one query; holders without any are left out. `UnlockedKeys`
    unlocks them."""
    conditions = " OR ".join(_of(holder) for holder in holders)
    return _read(f"{_COLUMNS} WHERE {conditions}", [value for holder in holders for value in _values(holder)], holders)


# Plain SQL without models: building the query and model instances for each value that is opened would cost several
# times as much as the query itself.
_COLUMNS = "SELECT holder_kind, holder_id, id, wrapped, wrapping_key_id, is_retired FROM vault_datakey"
_OF_ONE = "(holder_kind = %s AND holder_id = %s)"
_OF_NOBODY = "(holder_kind = %s AND holder_id IS NULL)"  # `= NULL` matches nothing


def _of(holder: Holder) -> str:
    return _OF_NOBODY if holder.id is None else _OF_ONE


def _values(holder: Holder) -> list[str | UUID]:
    return [holder.kind.value] if holder.id is None else [holder.kind.value, holder.id]


def _held(holder: Holder) -> Sequence[LockedKey]:
    """As `rows`, but within a transaction the current key's row is locked.

    A key that was retired while we waited for its lock is left out: it no longer seals. The retired key is not locked,
    so that closing an account, which shreds both keys while it holds the rest of the account, need not wait for anybody
    who seals.
    """
    if not can_hold():
        return rows([holder]).get(holder, ())
    of = _of(holder)
    query = (
        f"WITH held AS MATERIALIZED (SELECT id FROM vault_datakey WHERE {of} AND NOT is_retired FOR KEY SHARE) "  # noqa: S608 - parts of ours  # nosec B608
        f"{_COLUMNS} WHERE {of} AND (is_retired OR id IN (SELECT id FROM held))"
    )
    return _read(query, [*_values(holder), *_values(holder)], [holder]).get(holder, ())


def can_hold() -> bool:
    """Whether there is a transaction in which a key's row can be locked."""
    return connection.in_atomic_block


def _read(query: str, values: Sequence[str | UUID], holders: Sequence[Holder]) -> dict[Holder, list[LockedKey]]:
    found: dict[tuple[str, UUID | None], list[LockedKey]] = {}
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        for kind, of, *columns in cursor.fetchall():
            found.setdefault((kind, of), []).append(LockedKey(*columns))
    names = ((holder, (holder.kind.value, holder.id)) for holder in holders)
    return {holder: found[name] for holder, name in names if name in found}


def _current(locked: Sequence[LockedKey]) -> LockedKey | None:
    return next((row for row in locked if not row.is_retired), None)


def short_id(key_id: UUID) -> bytes:
    """The first four bytes of the id, by which sealed values name their key. The two keys of a holder never share them:
    `renewing` draws a new id until they differ."""
    return key_id.bytes[:4]


def new_row(holder: Holder) -> DataKey:
    """A new data key, not yet saved."""
    row = DataKey(holder_kind=holder.kind, holder_id=holder.id)
    row.wrapping_key_id, row.wrapped = wrapping.wrap(os.urandom(wrapping.KEY_BYTES), holder=holder, name=row.id.bytes)
    return row


def unlock(row: LockedKey | None, holder: Holder) -> UnlockedKey:
    """The unlocked key. Raises as `find` does."""
    if row is None:
        raise KeyMissing
    if row.wrapped is None:
        raise Shredded
    data_key = wrapping.unwrap(
        bytes(row.wrapped), wrapping_key_id=row.wrapping_key_id, holder=holder, name=row.id.bytes
    )
    return UnlockedKey(
        short_id=short_id(row.id),
        cipher=AESGCM(_derive(data_key, b"holdfast vault sealing")),
        digest_key=_derive(data_key, b"holdfast vault digest"),
    )


def _derive(data_key: bytes, purpose: bytes) -> bytes:
    """HKDF-Expand (RFC 5869): the data key is uniformly random, so there is nothing to extract."""
    return HKDFExpand(algorithm=SHA256(), length=wrapping.KEY_BYTES, info=purpose).derive(data_key)
