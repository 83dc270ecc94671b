"""Which results belong to reports that may carry grave news, even if the shelf of results cannot be read.

A report on HIV refers to a result called "Ag/Ab combo"; somebody who leaves the report out does not want to reveal
that, either.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final
from uuid import UUID

from apps.records.exporting import reading, shelved
from apps.records.exporting.choosing import Choice
from apps.records.presenters.entry import Entry
from apps.records.shelving import grave_results
from apps.records.subjects import RESULTS
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing

_NAMING: Final = ("DiagnosticReport", "Observation")  # types that refer to results as their own


def to_grave(choices: Sequence[Choice], *, today: date) -> Mapping[UUID, frozenset[str]]:
    """By connection, as `Type/id`, including those that the provider no longer has. Raises
    `apps.vault.errors.VaultError` if nothing of this person can be opened."""
    with sealing.key_ring(Holder.user(choices[0].source.user_id)) as ring:
        shelves = shelved.opened(choices, [RESULTS], ring)
        found: dict[UUID, frozenset[str]] = {}
        for choice in choices:
            shelf = shelves.get((choice.connection.pk, RESULTS.key))
            found[choice.connection.pk] = by_records(choice, ring, today=today) if shelf is None else shelf.of_grave
        return found


def by_records(choice: Choice, ring: KeyRing, *, today: date) -> frozenset[str]:
    """The same for one connection, from its records. Raises as `to_grave` does."""
    named: set[str] = set()
    for told in reading.told(choice.connection, choice.source, types=_NAMING, unopened=set(), today=today):
        named.update(grave_results.named_by(told.entry))
    return grave_results.listed(choice.connection, named, ring) if named else frozenset()


def belongs(entry: Entry, known: frozenset[str]) -> bool:
    """Whether this entry is one of them."""
    return f"{entry.resource_type}/{entry.logical_id}" in known
