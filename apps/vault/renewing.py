"""Renew data keys while the site runs: give holders new ones, reseal what the old ones sealed, and destroy these.

Whoever has a copy of the database and a wrapping key has the data keys that were in it. Rewrapping does not keep out
somebody who has unwrapped them; only new data keys do. A renewal has three steps. What is left to do is found in the
database alone, so a renewal may be killed at any point, repeated, and run twice at once.

1. A key is *retired*, and its successor created, in one transaction (`retire`). From then on it opens what it sealed,
   and seals nothing more. Whoever seals or digests in a transaction holds a shared lock on the current key's row until
   the transaction ends (`data_keys.obtain`). Retiring needs that row exclusively, so it comes before or after such a
   transaction, never within one: no transaction stores a value sealed by a retired key, or compares a digest with those
   of another key.
2. What it sealed is *resealed*, row by row under a lock, digests included (`sealed_columns`), until nothing more is
   found (`unused_since`).
3. A day later it is *destroyed* (`destroy`), if still nothing is found.

The day is for values that are in use outside a transaction: one that was read just before it was resealed, whose reader
looks up the key afterwards; a row that is written back as it was read; a token that was sealed before it was stored. A
turn of a copy keeps such values for its twenty seconds; a refresh for its lease of half a minute, or for ten minutes if
the database does not take its answer; a page for one request. No key ring lives longer than one of these. Until then
the retired key opens all of it. What is written back is found at step 3, resealed, and the day begins again.

A renewal may also be frozen in the middle, for an hour or for days, and then go on as if nothing had happened. That is
safe, because before each change it looks at the current rows; but its locks would be held as long. So the database
aborts its transaction after a minute of silence (`idle_timeout`), and the next run does what was left.

Shredding takes precedence: it locks the row to be retired, and destroys both keys. A holder has at most one retired
key; the next renewal waits until that is destroyed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.vault import data_keys, idle_timeout, sealed_columns
from apps.vault.data_keys import LockedKey
from apps.vault.errors import CannotOpen, KeyMissing, Shredded
from apps.vault.holders import Holder, HolderKind
from apps.vault.models import DataKey

KEPT_FOR = timedelta(days=1)
BATCH = 100
_PATIENCE = "SET LOCAL lock_timeout = '3s'"  # to wait for those who seal just now; then other keys are served first
_FIRST_ID = UUID(int=0)


@dataclass(frozen=True)
class Chosen:
    """Which keys a run is about: those of one holder, or all. Of these, keys made before `made_before` are to be
    renewed; if it is None, the run only continues what was begun."""

    holder: Holder | None = None
    made_before: datetime | None = None

    def to_retire(self) -> QuerySet[DataKey]:
        """Current keys made before then, including those of holders who still have a retired key."""
        keys = self._keys().filter(is_retired=False, shredded_at__isnull=True)
        return keys.none() if self.made_before is None else keys.filter(created_at__lt=self.made_before)

    def to_empty(self) -> QuerySet[DataKey]:
        """Retired keys that may have sealed something that still exists."""
        return self._keys().filter(is_retired=True, unused_since__isnull=True)

    def kept(self) -> QuerySet[DataKey]:
        """Retired keys for which nothing was found."""
        return self._keys().filter(is_retired=True, unused_since__isnull=False)

    def to_destroy(self) -> QuerySet[DataKey]:
        """Those of `kept` that have been kept long enough."""
        return self.kept().filter(unused_since__lte=Now() - KEPT_FOR)

    def has_keys(self) -> bool:
        """Whether the holder has any data key, in whatever state."""
        return self._keys().exists()

    def _keys(self) -> QuerySet[DataKey]:
        keys = DataKey.objects.order_by("pk")
        return keys if self.holder is None else keys.filter(holder_kind=self.holder.kind, holder_id=self.holder.id)


@dataclass(frozen=True)
class Done:
    """How many keys a run destroyed and retired, and of how many it resealed everything."""

    destroyed: int
    retired: int
    emptied: int


def renew(chosen: Chosen, *, actor: Actor, at: datetime, tell: Callable[[str, int], object]) -> Done:
    """Take every step that is due. After each batch, `tell` is called with the step and how many keys have passed it.
    Raises WeakKey if VAULT_KEYS cannot be used."""
    destroyed = _each(chosen.to_destroy, destroy, lambda count: tell("destroyed", count))
    if destroyed:
        _record("destroyed", destroyed, chosen, actor=actor, at=at)
    if waiting := chosen.to_retire().count():
        _record("begun", waiting, chosen, actor=actor, at=at)
    retired = _each(chosen.to_retire, retire, lambda count: tell("retired", count))
    emptied = _each(chosen.to_empty, empty, lambda count: tell("emptied", count))
    if emptied:
        _record("emptied", emptied, chosen, actor=actor, at=at)
    return Done(destroyed, retired, emptied)


def _each(keys: Callable[[], QuerySet[DataKey]], step: Callable[[DataKey], bool], tell: Callable[[int], object]) -> int:
    """Take the step for each of these keys, and return for how many. Keys that others hold are tried again, until a
    whole round finds nothing to do."""
    done = 0
    while True:
        before = done
        for batch in _batches(keys()):
            taken = sum(step(key) for key in batch)
            done += taken
            if taken:
                tell(done)
        if done == before:
            return done


def _batches(keys: QuerySet[DataKey]) -> Iterator[list[DataKey]]:
    after = _FIRST_ID
    while batch := list(keys.filter(pk__gt=after)[:BATCH]):
        yield batch
        after = batch[-1].pk


def retire(key: DataKey) -> bool:
    """Replace a key by a new one. False if somebody seals with it for too long, if it does not open, or if the holder
    already has a retired key."""
    try:
        return _retire(key)
    except (*idle_timeout.ENDED, KeyMissing, CannotOpen):  # the first also after the lock timeout
        return False


@idle_timeout.transaction()
def _retire(key: DataKey) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_PATIENCE)
    held = DataKey.objects.select_for_update().filter(pk=key.pk, is_retired=False, shredded_at__isnull=True).first()
    holder = _holder(key)
    theirs = DataKey.objects.filter(holder_kind=holder.kind, holder_id=holder.id)
    if held is None or theirs.filter(is_retired=True).exists():
        return False
    data_keys.unlock(LockedKey(held.pk, bytes(held.wrapped or b""), held.wrapping_key_id), holder)
    theirs.filter(pk=held.pk).update(is_retired=True)
    successor = data_keys.new_row(holder)
    while data_keys.short_id(successor.pk) == data_keys.short_id(held.pk):
        successor = data_keys.new_row(holder)
    successor.save(force_insert=True)
    return True


def empty(key: DataKey) -> bool:
    """Reseal whatever the retired key sealed, and return whether nothing is left."""
    holder, name = _holder(key), data_keys.short_id(key.pk)
    try:
        for column in sealed_columns.of(holder.kind):
            sealed_columns.reseal_all(column, holder, name)
    except (KeyMissing, CannotOpen, Shredded):  # the data keys do not open, or were shredded
        return False
    return _note_unused(key)


@transaction.atomic
def _note_unused(key: DataKey) -> bool:
    if _is_used(key):
        return False
    return bool(Chosen().to_empty().filter(pk=key.pk).update(unused_since=Now()))


def destroy(key: DataKey) -> bool:
    """Delete the retired key if nothing needs it. If something was written back meanwhile, that has to be resealed
    first."""
    try:
        return _destroy(key)
    except idle_timeout.ENDED:
        return False


@idle_timeout.transaction()
def _destroy(key: DataKey) -> bool:
    held = Chosen().to_destroy().select_for_update(skip_locked=True).filter(pk=key.pk)
    if held.first() is None:
        return False
    if _is_used(key):
        Chosen().kept().filter(pk=key.pk).update(unused_since=None)
        return False
    DataKey.objects.filter(pk=key.pk).delete()
    return True


def _is_used(key: DataKey) -> bool:
    """Whether something that the key sealed still exists."""
    holder, name = _holder(key), data_keys.short_id(key.pk)
    return any(column.left(holder, name) for column in sealed_columns.of(holder.kind))


def _holder(key: DataKey) -> Holder:
    return Holder(HolderKind(key.holder_kind), key.holder_id)


def _record(action: str, count: int, chosen: Chosen, *, actor: Actor, at: datetime) -> None:
    holder = chosen.holder
    recording.record(
        EventType.KEYS_RENEWED,
        actor=actor,
        at=at,
        subject="data keys" if holder is None else f"data key of the {holder.kind.value}",
        subject_id=str(holder.id) if holder is not None and holder.id else "",
        facts={Fact.ACTION: action, Fact.COUNT: count},
    )
