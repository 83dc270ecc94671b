"""Fills of prescriptions, for when records are read instead of shelves, which have them in place: a fill stands under
its prescription, and by itself only if that is not here."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines.medications import MedicationEntry

Held = TypeVar("Held")


@dataclass
class Fills(Generic[Held]):
    """The fills found so far, kept until the whole record has been read and it is known which prescriptions are
    here."""

    _orders: set[str] = field(default_factory=set)
    _fills: list[tuple[tuple[str, ...], Held]] = field(default_factory=list)

    def keeps(self, entry: Entry, held: Held) -> bool:
        """Whether it is a fill of a prescription; then `held` is kept for it."""
        if not isinstance(entry, MedicationEntry):
            return False
        if entry.orders:
            self._fills.append((entry.orders, held))
        elif entry.is_order:
            self._orders.add(entry.logical_id)
        return bool(entry.orders)

    def by_themselves(self) -> Iterator[Held]:
        """What was kept for fills whose prescription is not here."""
        return (held for orders, held in self._fills if self._orders.isdisjoint(orders))
