"""Reseal records when their user's key is renewed, with the digests that show whether they changed.

Digests of equal bodies are equal only under the same key. While a key is being retired, the records it sealed still
have its digests, and a copy that compared them with digests under the new key would find all of them changed. So code
that is about to compare first reseals those rows in the same transaction (`before_comparing`), so that all digests
compared are under one key.
"""

from collections.abc import Collection
from typing import Any, Final

from apps.connections.models import Connection
from apps.records import bodies
from apps.records.models import Record
from apps.vault.sealed_columns import SealedColumn
from apps.vault.sealing import KeyRing


class DigestedColumn(SealedColumn):
    """Bodies with a digest stored beside them."""

    def anew(self, row: Any, ring: KeyRing) -> dict[str, Any]:
        sealed = bytes(getattr(row, self.field))
        digest = ring.keyed_digest(ring.open_body(sealed, place=self.place(row)))
        return {**super().anew(row, ring), "digest": digest}


RECORDS: Final = DigestedColumn(table=Record.objects, field="sealed_body", place=bodies.place_of)


def before_comparing(connection: Connection, named: Collection[tuple[str, str]], *, ring: KeyRing) -> None:
    """Reseal those of these resources, given by type and id, that the retired key sealed. Waits until their rows are
    unlocked."""
    if ring.retired is None:
        return
    mine = Record.objects.filter(user_id=connection.user_id, connection_id=connection.pk)
    for resource_type in {resource_type for resource_type, _id in named}:
        ids = [logical_id for other, logical_id in named if other == resource_type]
        rows = mine.filter(resource_type=resource_type, logical_id__in=ids).order_by("pk")
        RECORDS.reseal(rows, ring, waits=True)
