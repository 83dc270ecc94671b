"""Find or make a holder's data keys, and unlock them. Only `sealing` and `renewing` call this."""

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


@dataclass(frozen=True, repr=False)
class LockedKey:
    """A data key as its row holds it; `wrapped` is None where it was shredded."""

    id: UUID
    wrapped: bytes | None
    wrapping_key_id: str
    is_retired: bool = False


class UnlockedKeys:
    """A holder's data keys: the one that seals, and while that is being renewed the retired one, which opens what it
    sealed, and is unlocked where something asks for it. Raises as `find` does."""

    def __init__(self, holder: Holder, locked: Sequence[LockedKey]) -> None:
        self._holder = holder
        self._retired = {short_id(row.id): row for row in locked if row.is_retired}
        self.current = unlock(_current(locked), holder)
        self._unlocked = {self.current.short_id: self.current}

    def __repr__(self) -> str:
        """Say nothing about the keys."""
        return "<UnlockedKeys>"

    def __reduce__(self) -> str:
        """Refuse to be copied to another process."""
        raise TypeError("Unlocked keys cannot be pickled.")

    def named(self, name: bytes) -> UnlockedKey | None:
        """The one with this short id; None where neither has it."""
        found = self._unlocked.get(name)
        if found is None and name in self._retired:
            found = self._unlocked[name] = unlock(self._retired[name], self._holder)
        return found

    @property
    def retired(self) -> bytes | None:
        """The short id of the one that seals no more."""
        return next(iter(self._retired), None)

    def each(self) -> tuple[UnlockedKey, ...]:
        """The one that seals, and the retired one."""
        found = (self.named(name) for name in (self.current.short_id, *self._retired))
        return tuple(key for key in found if key is not None)


def obtain(holder: Holder) -> UnlockedKeys:
    """The holder's data keys, the first made on first use. Raises Shredded, KeyMissing, CannotOpen or WeakKey.

    Two first uses at once agree on one key: the insert that comes second waits for the first, does nothing, and the
    read that follows sees the key that won. Within a transaction the key that seals is held to its end, shared with
    whoever seals as well: nobody retires it before (`renewing`).
    """
    locked = _held(holder)
    if _current(locked) is None:  # or it was retired just now: then the read that follows sees its successor
        DataKey.objects.bulk_create([new_row(holder)], ignore_conflicts=True)
        locked = _held(holder)
    return UnlockedKeys(holder, locked)


def find(holder: Holder) -> UnlockedKeys:
    """The holder's data keys where it has one that seals. Raises KeyMissing where not, and as `obtain` does."""
    return UnlockedKeys(holder, rows([holder]).get(holder, ()))


def rows(holders: Sequence[Holder]) -> Mapping[Holder, Sequence[LockedKey]]:
    """The locked data keys of those of these holders that have any, by one query; `UnlockedKeys` opens them."""
    conditions = " OR ".join(_of(holder) for holder in holders)
    return _read(f"{_COLUMNS} WHERE {conditions}", [value for holder in holders for value in _values(holder)], holders)


# Written out, and read as it comes: putting it together and making models of rows, for each value that is opened,
# costs several times as much as asking.
_COLUMNS = "SELECT holder_kind, holder_id, id, wrapped, wrapping_key_id, is_retired FROM vault_datakey"
_OF_ONE = "(holder_kind = %s AND holder_id = %s)"
_OF_NOBODY = "(holder_kind = %s AND holder_id IS NULL)"  # `= NULL` matches nothing


def _of(holder: Holder) -> str:
    return _OF_NOBODY if holder.id is None else _OF_ONE


def _values(holder: Holder) -> list[str | UUID]:
    return [holder.kind.value] if holder.id is None else [holder.kind.value, holder.id]


def _held(holder: Holder) -> Sequence[LockedKey]:
    """As `rows` says them, with the one that seals held where there is a transaction. One that was retired while we
    waited for it is left out: it does not seal any more. The retired one is held by nobody: whoever shreds both, with
    all else of the account in hand, waits for nobody who seals."""
    if not can_hold():
        return rows([holder]).get(holder, ())
    of = _of(holder)
    query = (
        f"WITH held AS MATERIALIZED (SELECT id FROM vault_datakey WHERE {of} AND NOT is_retired FOR KEY SHARE) "  # noqa: S608 - parts of ours  # nosec B608
        f"{_COLUMNS} WHERE {of} AND (is_retired OR id IN (SELECT id FROM held))"
    )
    return _read(query, [*_values(holder), *_values(holder)], [holder]).get(holder, ())


def can_hold() -> bool:
    """Whether there is a transaction, to the end of which a key can be held."""
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
    """By which sealed values name their key. No two keys of one holder have the same: of each there is one, and
    `renewing` draws the other until it differs."""
    return key_id.bytes[:4]


def new_row(holder: Holder) -> DataKey:
    """A data key that was never used, for whoever stores it."""
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
        short_id=short_id(row.id),
        cipher=AESGCM(_derive(data_key, b"holdfast vault sealing")),
        digest_key=_derive(data_key, b"holdfast vault digest"),
    )


def _derive(data_key: bytes, purpose: bytes) -> bytes:
    """HKDF-Expand (RFC 5869): the data key is uniformly random, so there is nothing to extract."""
    return HKDFExpand(algorithm=SHA256(), length=wrapping.KEY_BYTES, info=purpose).derive(data_key)
