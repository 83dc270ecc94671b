"""Wrap data keys with the first of VAULT_KEYS, while the site runs, and say which wrapping keys are still needed.

Sealed values are not touched: the data keys that sealed them stay the same. What is left to do is whatever another key
still wraps, so nothing has to be remembered, and a run that was killed is simply started again. A batch is one short
transaction that locks only its own rows; rows that others hold are skipped and tried once more. Readers never wait:
before and after, a data key is unwrapped by the wrapping key that it names.
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
    """How many data keys one wrapping key wraps. `is_first`: it has the first id in VAULT_KEYS, whose key wraps new
    data keys. `is_given`: VAULT_KEYS has the id; for the first id, also that the key under it is the right one, since a
    wrong one would go unnoticed until tokens do not open."""

    key_id: str
    data_keys: int
    is_given: bool
    is_first: bool


@dataclass(frozen=True)
class Rewrapped:
    """The result of a run. `unopened` data keys were left as they are: the wrapping key with their id does not open
    them."""

    done: int
    unopened: int


def uses() -> list[KeyUse]:
    """Every key of VAULT_KEYS in order, then every other key that wraps a data key. Raises WeakKey."""
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
    """The keys that wrap data keys, but that VAULT_KEYS lacks or has a different key for. Raises WeakKey."""
    return [use for use in uses() if use.data_keys and not use.is_given]


def absent() -> list[str]:
    """The ids of keys that wrap data keys, but that VAULT_KEYS lacks; without counting data keys. Raises WeakKey."""
    given = wrapping.key_ids()
    return [key_id for key_id in _ids_in_use() if key_id not in given]


def waiting() -> int:
    """How many data keys are wrapped by a key of VAULT_KEYS other than the first. Raises WeakKey."""
    return DataKey.objects.filter(wrapping_key_id__in=wrapping.key_ids()[1:]).count()


def rewrap(*, actor: Actor, at: datetime, tell: Callable[[int], object]) -> Rewrapped:
    """Wrap these with the first key. `tell` is called with the number done after each batch. Raises WeakKey.

    Ends when a whole round finds nothing to do: a process with older VAULT_KEYS may have created data keys meanwhile.
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
    """How many were rewrapped, how many did not open, and after which row to continue: None if none is left."""
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
    """None if the wrapping key with its id does not open it."""
    wrapped, key_id = bytes(row.wrapped or b""), row.wrapping_key_id
    try:
        return wrapping.unwrap(wrapped, wrapping_key_id=key_id, holder=_holder(row), name=row.pk.bytes)
    except CannotOpen:
        return None


def _holder(row: DataKey) -> Holder:
    return Holder(HolderKind(row.holder_kind), row.holder_id)


def _opens(key_id: str) -> bool:
    """Whether the key that VAULT_KEYS has under this id is the one that wrapped. Several data keys are tried, because
    one of them may have been tampered with."""
    rows = list(DataKey.objects.filter(wrapping_key_id=key_id).order_by("pk")[:_ASKED])
    return not rows or any(_data_key(row) is not None for row in rows)


def _store(anew: Sequence[tuple[UUID, bytes]]) -> None:
    ids, wrapped = zip(*anew, strict=True)
    with database.cursor() as cursor:
        cursor.execute(_UPDATE, {"key_id": wrapping.key_ids()[0], "ids": list(ids), "wrapped": list(wrapped)})


def _ids_in_use() -> list[str]:
    """Each id once, with one index lookup per id, however many data keys there are. Shredded data keys have no id."""
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
