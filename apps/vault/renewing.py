"""Give holders new data keys, seal anew what the old ones sealed, and destroy these, while the site runs.

Whoever has a copy of the database and of a wrapping key has the data keys that were in it. Wrapping these anew keeps
nobody out who unwrapped them; only other data keys do. A renewal takes three steps, and what is left of each is found
in the database alone: it may be killed anywhere, begun again, and run twice at once.

1. A key is *retired*, and its successor made, in one transaction (`retire`). From then on it opens what it sealed, and
   seals nothing more. Whoever seals or digests in a transaction holds the row of the key that seals to the end of it,
   shared with all others who do (`data_keys.obtain`). Retiring needs that row alone, so it comes before or after such a
   transaction, never within: none stores what a retired key has sealed, or compares a digest with those of another key.
2. What it sealed is *sealed anew*, row by row under a lock, digests with it (`sealed_columns`), until a look finds
   nothing more (`unused_since`).
3. A day later it is *destroyed* (`destroy`), where another look still finds nothing.

The day is for what is in somebody's hands, and not in a transaction: a value that was read just before it was sealed
anew, whose reader looks for the key afterwards; a row that somebody writes back as they had read it; a token that was
sealed before it was stored. A turn of a copy has such things for its twenty seconds, a refresh for its lease of half a
minute, and for ten where the database does not take its answer, a page for as long as one request takes; no key ring
lives for longer than one of them. All of it opens by the retired key meanwhile. What is written back is found by the
second look, and sealed anew; then the day begins again.

A renewal may also be frozen in the middle, for an hour or for days, and go on as if nothing were: whatever it was about
to do, it looks first at what is there by then. Only what it holds it would hold for as long. So the database ends its
transaction where it says nothing for a minute (`idle_timeout`), and what was begun in it is done by the next run.

Shredding wins: it holds the row that is retired, and takes both keys. One holder has at most one retired key; the next
renewal waits until it is destroyed.
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
_PATIENCE = "SET LOCAL lock_timeout = '3s'"  # for whoever seals at this moment; others are served meanwhile
_FIRST_ID = UUID(int=0)


@dataclass(frozen=True)
class Chosen:
    """Which keys a run is about: those of one holder, or all; and of these, made before when they are to be renewed.
    None: only what was begun is gone on with."""

    holder: Holder | None = None
    made_before: datetime | None = None

    def to_retire(self) -> QuerySet[DataKey]:
        """Keys that seal and were made before then, also of holders who have a retired one still."""
        keys = self._keys().filter(is_retired=False, shredded_at__isnull=True)
        return keys.none() if self.made_before is None else keys.filter(created_at__lt=self.made_before)

    def to_empty(self) -> QuerySet[DataKey]:
        """Retired keys that may have sealed something that is there."""
        return self._keys().filter(is_retired=True, unused_since__isnull=True)

    def kept(self) -> QuerySet[DataKey]:
        """Retired keys of which a look found nothing."""
        return self._keys().filter(is_retired=True, unused_since__isnull=False)

    def to_destroy(self) -> QuerySet[DataKey]:
        """Those of them that nobody needs any more."""
        return self.kept().filter(unused_since__lte=Now() - KEPT_FOR)

    def has_keys(self) -> bool:
        """Whether the holder has any data key, of whatever state."""
        return self._keys().exists()

    def _keys(self) -> QuerySet[DataKey]:
        keys = DataKey.objects.order_by("pk")
        return keys if self.holder is None else keys.filter(holder_kind=self.holder.kind, holder_id=self.holder.id)


@dataclass(frozen=True)
class Done:
    """How many keys a run destroyed, retired, and sealed anew everything of."""

    destroyed: int
    retired: int
    emptied: int


def renew(chosen: Chosen, *, actor: Actor, at: datetime, tell: Callable[[str, int], object]) -> Done:
    """Take every step that is due. `tell` hears which step it is, and how many keys are through with it, after each
    batch. Raises WeakKey where VAULT_KEYS cannot be used."""
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
    """Take the step for each of these keys, and say for how many; what others hold is looked at again, until a whole
    round finds nothing more to do."""
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
    """Put a new key in its place. Not where somebody seals by it for too long, where it does not open, and where the
    holder has a retired one already."""
    try:
        return _retire(key)
    except (*idle_timeout.ENDED, KeyMissing, CannotOpen):  # the first also where nobody had it alone in time
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
    """Seal anew whatever the retired key sealed, and say whether nothing is left of it."""
    holder, name = _holder(key), data_keys.short_id(key.pk)
    try:
        for column in sealed_columns.of(holder.kind):
            sealed_columns.reseal_all(column, holder, name)
    except (KeyMissing, CannotOpen, Shredded):  # of the data keys themselves; of what is shredded nothing is to be done
        return False
    return _note_unused(key)


@transaction.atomic
def _note_unused(key: DataKey) -> bool:
    if _is_used(key):
        return False
    return bool(Chosen().to_empty().filter(pk=key.pk).update(unused_since=Now()))


def destroy(key: DataKey) -> bool:
    """Delete the retired key where nobody needs it any more. What was written back meanwhile is to be sealed anew."""
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
    """Whether anything is there that it sealed."""
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
