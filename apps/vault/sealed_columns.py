"""Sealed columns: find the values that a retired key sealed, and reseal them.

Each app lists its own columns; its AppConfig names the tuple (`sealed_columns`). `renewing` goes through all of them
without knowing any. A sealed value names its key in its header, so the rows that are left are found in the table
itself.
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
    """One column of a `table`. `place` returns the place of a row's value; it gets the row with `related` rows joined
    and without the columns in `deferred`. `owner` is the lookup of the user who holds the value."""

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
        """The rows whose value was sealed by the key with this short id, each with its size."""
        return list(self.sealed_by(key, self.rows_of(holder)).values_list("pk", Length(self.field)))

    def reseal(self, rows: models.QuerySet[Any], ring: KeyRing, *, waits: bool) -> None:
        """Reseal, with the current key, those of these rows that the ring's retired key sealed, in the caller's
        transaction.

        Rows locked by others are skipped, unless `waits`. A value that does not open stays as it is, and is logged.
        """
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
        """New values for all columns that depend on the key."""
        return {self.field: ring.reseal(bytes(getattr(row, self.field)), place=self.place(row))}

    def store(self, changed: Sequence[tuple[Any, Mapping[str, Any]]]) -> None:
        """Write the values into the rows, which are locked."""
        for row, values in changed:
            for name, value in values.items():
                setattr(row, name, value)
        self.table.bulk_update([row for row, _values in changed], sorted(changed[0][1]))

    def sealed_by(self, key: bytes, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """Those of these rows whose value was sealed by the key with this short id."""
        named = Substr(self.field, 2, len(key), output_field=models.BinaryField())
        found: models.QuerySet[Any] = rows.alias(_named=named).filter(_named=key)
        return found


@cache
def everything() -> tuple[SealedColumn, ...]:
    """Every column of every app."""
    named = (getattr(config, "sealed_columns", None) for config in apps.get_app_configs())
    return tuple(column for name in named if name is not None for column in import_string(name))


def of(holder: HolderKind) -> tuple[SealedColumn, ...]:
    """Every column with this kind of holder."""
    return tuple(column for column in everything() if column.holder == holder)


def reseal_all(column: SealedColumn, holder: Holder, key: bytes) -> None:
    """Reseal what this retired key sealed in the column, some rows per transaction, until only what others hold or what
    does not open is left. A transaction that hit a lock timeout or was silent for too long is repeated."""
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
