"""What is sealed by data keys, column by column: which values a retired key has sealed, and how they are sealed anew.

Each app says so of its own tables, by the name of a tuple in its AppConfig (`sealed_columns`); `renewing` goes through
all of them, and knows none.
A value names its key in its header, so the rows that are left are found in the table itself.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models.functions import Length, Substr
from django.utils.module_loading import import_string

from apps.vault import idle_timeout, sealing
from apps.vault.errors import CannotOpen
from apps.vault.holders import Holder, HolderKind, Place
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

_MOST_ROWS = 200  # in one transaction
_MOST_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class SealedColumn:
    """One column of a `table`. `place` says where the value of a row is sealed for, with the rows of `related` at hand
    and without the columns of `deferred`; `owner` is the lookup of the user whose it is, of a column of users."""

    table: models.Manager[Any]
    field: str
    place: Callable[[Any], Place]
    holder: HolderKind = HolderKind.USER
    owner: str = "user_id"
    related: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.table.model.__name__}.{self.field}"

    def rows_of(self, holder: Holder) -> models.QuerySet[Any]:
        """All rows of this holder."""
        rows = self.table.order_by()
        return rows if holder.id is None else rows.filter(**{self.owner: holder.id})

    def left(self, holder: Holder, key: bytes) -> list[tuple[Any, int]]:
        """The rows whose value the key of this short id has sealed, each with its size."""
        return list(self.sealed_by(key, self.rows_of(holder)).values_list("pk", Length(self.field)))

    def reseal(self, rows: models.QuerySet[Any], ring: KeyRing, *, waits: bool) -> None:
        """Those of these rows that the retired key of the ring has sealed, sealed by the one that seals, in the
        transaction of the caller. Rows that somebody else holds are passed by, unless it `waits`. What does not open
        stays as it is, and is logged."""
        key = ring.retired
        if key is None:
            return
        held = rows.select_for_update(skip_locked=not waits, no_key=True, of=("self",)).select_related(*self.related)
        changed = []
        for row in self.sealed_by(key, held).defer(*self.deferred):
            try:
                changed.append((row, self.anew(row, ring)))
            except CannotOpen:
                _LOG.error("A sealed value does not open: %s of row %s.", self, row.pk)
        if changed:
            self.store(changed)

    def anew(self, row: Any, ring: KeyRing) -> dict[str, Any]:
        """The values of all columns that depend on the key."""
        return {self.field: ring.reseal(bytes(getattr(row, self.field)), place=self.place(row))}

    def store(self, changed: Sequence[tuple[Any, Mapping[str, Any]]]) -> None:
        """Write them into the rows, which are held."""
        for row, values in changed:
            for name, value in values.items():
                setattr(row, name, value)
        self.table.bulk_update([row for row, _values in changed], sorted(changed[0][1]))

    def sealed_by(self, key: bytes, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """Those of these rows whose value the key of this short id has sealed."""
        named = Substr(self.field, 2, len(key), output_field=models.BinaryField())
        found: models.QuerySet[Any] = rows.alias(_named=named).filter(_named=key)
        return found


@cache
def everything() -> tuple[SealedColumn, ...]:
    """Every column of every app."""
    named = (getattr(config, "sealed_columns", None) for config in apps.get_app_configs())
    return tuple(column for name in named if name is not None for column in import_string(name))


def of(holder: HolderKind) -> tuple[SealedColumn, ...]:
    """Every column of this kind of holder."""
    return tuple(column for column in everything() if column.holder == holder)


def reseal_all(column: SealedColumn, holder: Holder, key: bytes) -> None:
    """Seal anew what this retired key of the holder has sealed in the column, some rows in a transaction, until nothing
    is left but what others hold and what does not open. A transaction that stood in somebody's way, or was silent for
    too long, is begun again."""
    left = column.left(holder, key)
    while left:
        for lot in _lots(left):
            with suppress(*idle_timeout.ENDED), idle_timeout.transaction(), sealing.key_ring(holder) as ring:
                column.reseal(column.rows_of(holder).filter(pk__in=lot), ring, waits=False)
        before, left = len(left), column.left(holder, key)
        if len(left) >= before:
            return


def _lots(left: Sequence[tuple[Any, int]]) -> Iterator[list[Any]]:
    lot: list[Any] = []
    size = 0
    for pk, length in left:
        if lot and (len(lot) >= _MOST_ROWS or size + length > _MOST_BYTES):
            yield lot
            lot, size = [], 0
        lot.append(pk)
        size += length
    if lot:
        yield lot
