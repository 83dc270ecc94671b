"""Wrap data keys anew by the first of VAULT_KEYS, while the site runs, and say which wrapping keys are still needed.

Values are not touched: they are sealed by data keys, which stay the same. What is left to do is what another key still
wraps, so that nothing has to be remembered: a run that was killed is begun again, and does what is left. A batch is one
short transaction that holds its own rows alone; rows that somebody holds are passed by and looked at once more. Readers
wait for nothing: before and after, a data key is unwrapped by the key it names.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection as database
from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.vault import wrapping
from apps.vault.errors import CannotOpen
from apps.vault.holders import Holder, HolderKind
from apps.vault.models import DataKey

BATCH = 500
_ASKED = 5
_FIRST_ID = UUID(int=0)

_UPDATE = """
UPDATE vault_datakey AS held SET wrapped = anew.wrapped, wrapping_key_id = %(key_id)s
FROM unnest(%(ids)s::uuid[], %(wrapped)s::bytea[]) AS anew (id, wrapped) WHERE held.id = anew.id
"""


@dataclass(frozen=True)
class KeyUse:
    """How many data keys one wrapping key wraps. `is_given`: among VAULT_KEYS, and where it is the first, not another
    key under its id, which nothing else would notice before somebody's tokens do not open; `is_first`: the first id
    there, whose key wraps what is new."""

    key_id: str
    data_keys: int
    is_given: bool
    is_first: bool


@dataclass(frozen=True)
class Rewrapped:
    """What came of a run. `unopened`: their key is at hand under its id and does not open them, so they were left."""

    done: int
    unopened: int


def uses() -> list[KeyUse]:
    """Every key of VAULT_KEYS in its order, then every other that a data key is wrapped by. Raises WeakKey."""
    given = wrapping.key_ids()
    wrapping_now = _ids_in_use()
    ids = [*given, *(key_id for key_id in wrapping_now if key_id not in given)]
    return [
        KeyUse(
            key_id=key_id,
            data_keys=_wrapped_by(key_id) if key_id in wrapping_now else 0,
            is_given=key_id in given and (key_id != given[0] or _opens(key_id)),
            is_first=key_id == given[0],
        )
        for key_id in ids
    ]


def missing() -> list[KeyUse]:
    """The keys that data keys are wrapped by and VAULT_KEYS does not have, or has others for. Raises WeakKey."""
    return [use for use in uses() if use.data_keys and not use.is_given]


def absent() -> list[str]:
    """The ids of keys that data keys are wrapped by and VAULT_KEYS does not have; no data key is counted. Raises
    WeakKey."""
    given = wrapping.key_ids()
    return [key_id for key_id in _ids_in_use() if key_id not in given]


def waiting() -> int:
    """How many data keys another of VAULT_KEYS wraps than the first. Raises WeakKey."""
    return DataKey.objects.filter(wrapping_key_id__in=wrapping.key_ids()[1:]).count()


def rewrap(*, actor: Actor, at: datetime, tell: Callable[[int], object]) -> Rewrapped:
    """Wrap what waits by the first key. `tell` hears how many are done after each batch. Raises WeakKey.

    Ends when a whole round finds nothing more to do: a process with earlier VAULT_KEYS may have made keys meanwhile.
    Several runs at once share the work.
    """
    todo = waiting()
    if not todo:
        return Rewrapped(done=0, unopened=0)
    _record("begun", todo, actor=actor, at=at)
    done = 0
    while True:
        before, unopened = done, 0
        for old in wrapping.key_ids()[1:]:
            after: UUID | None = _FIRST_ID
            while after is not None:
                batch, failed, after = _take_batch(old, after)
                done, unopened = done + batch, unopened + failed
                if batch:
                    tell(done)
        if done == before:
            break
    _record("ended", done, actor=actor, at=at)
    return Rewrapped(done=done, unopened=unopened)


@transaction.atomic
def _take_batch(old: str, after: UUID) -> tuple[int, int, UUID | None]:
    """How many were wrapped anew, how many did not open, and after which row to go on: None where none is left."""
    rows = DataKey.objects.select_for_update(skip_locked=True, no_key=True).filter(wrapping_key_id=old, pk__gt=after)
    held = list(rows.order_by("pk")[:BATCH])
    if not held:
        return 0, 0, None
    anew = [(row.pk, wrapped) for row in held if (wrapped := _wrapped_anew(row)) is not None]
    if anew:
        _store(anew)
    return len(anew), len(held) - len(anew), held[-1].pk


def _wrapped_anew(row: DataKey) -> bytes | None:
    data_key = _data_key(row)
    return None if data_key is None else wrapping.wrap(data_key, holder=_holder(row), name=row.pk.bytes)[1]


def _data_key(row: DataKey) -> bytes | None:
    """None where the key under its id does not open it."""
    wrapped, key_id = bytes(row.wrapped or b""), row.wrapping_key_id
    try:
        return wrapping.unwrap(wrapped, wrapping_key_id=key_id, holder=_holder(row), name=row.pk.bytes)
    except CannotOpen:
        return None


def _holder(row: DataKey) -> Holder:
    return Holder(HolderKind(row.holder_kind), row.holder_id)


def _opens(key_id: str) -> bool:
    """Whether what VAULT_KEYS has under this id is the key that wrapped: told by a few data keys, as one of them may
    have been changed."""
    rows = list(DataKey.objects.filter(wrapping_key_id=key_id).order_by("pk")[:_ASKED])
    return not rows or any(_data_key(row) is not None for row in rows)


def _store(anew: Sequence[tuple[UUID, bytes]]) -> None:
    ids, wrapped = zip(*anew, strict=True)
    with database.cursor() as cursor:
        cursor.execute(_UPDATE, {"key_id": wrapping.key_ids()[0], "ids": list(ids), "wrapped": list(wrapped)})


def _ids_in_use() -> list[str]:
    """Each id once, by one look into the index for each, however many data keys there are. Shredded ones have none."""
    found: list[str] = []
    while True:
        later = DataKey.objects.filter(wrapping_key_id__gt=found[-1] if found else "")
        key_id = later.order_by("wrapping_key_id").values_list("wrapping_key_id", flat=True).first()
        if key_id is None:
            return found
        found.append(key_id)


def _wrapped_by(key_id: str) -> int:
    return DataKey.objects.filter(wrapping_key_id=key_id).count()


def _record(action: str, count: int, *, actor: Actor, at: datetime) -> None:
    recording.record(
        EventType.KEYS_REWRAPPED,
        actor=actor,
        at=at,
        subject="wrapping key",
        subject_id=wrapping.key_ids()[0],
        facts={Fact.ACTION: action, Fact.COUNT: count},
    )
