"""What a copy holds, opened: its rows, and its shelves as they stand beside those that its rows would make now."""

from typing import Any

import msgspec
from django.db import transaction

from apps.connections.models import Connection
from apps.records import bodies, places, shelving
from apps.records.models import Leaf, Record, RecordVersion, Shelf
from apps.records.shelving.indexing import Index
from apps.records.subjects import PATIENT, SUBJECTS
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing
from tests.records.copy_life_rows import Key

Content = dict[tuple[str, str, int], Any]


def held(connection: Connection, **columns: Any) -> dict[Key, bytes]:
    """The bodies of its rows."""
    found = Record.objects.filter(connection=connection, **columns)
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return {(one.resource_type, one.logical_id): bodies.of(one, ring) for one in found}


def earlier(connection: Connection) -> list[tuple[Key, bytes]]:
    """The earlier bodies of its rows, oldest first."""
    found = RecordVersion.objects.filter(record__connection=connection).select_related("record").order_by("pk")
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return [((one.record.resource_type, one.record.logical_id), bodies.find_of(one, ring) or b"") for one in found]


def standing(connection: Connection) -> Content:
    """Every index and leaf of its shelves, by subject, arrangement and number."""
    found: Content = {}
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        for shelf in Shelf.objects.filter(connection=connection):
            found[shelf.subject, "", 0] = index = _index(connection, shelf, ring)
            for leaf in Leaf.objects.filter(shelf=shelf):
                assert leaf.build == index["build"], "a leaf of another build"
                found[shelf.subject, leaf.arrangement, leaf.number] = _leaf(connection, shelf, leaf, ring)
            index.pop("build", None)
    return found


def built_anew(connection: Connection) -> Content:
    """The same, were each built from the rows now, at the time at which it was built."""
    with transaction.atomic():
        for shelf in Shelf.objects.filter(connection=connection):
            subject = next(one for one in SUBJECTS if one.key == shelf.subject)
            shelving.rebuild(connection, subject, at=shelf.built_at)
        found = standing(connection)
        transaction.set_rollback(True)
    return found


def _index(connection: Connection, shelf: Shelf, ring: KeyRing) -> dict[str, Any]:
    place = places.shelf_place(connection_id=connection.pk, subject=shelf.subject)
    opened = ring.open_body(bytes(shelf.sealed_index), place=place)
    if shelf.subject == PATIENT.key:
        return {"people": msgspec.json.decode(opened)}
    index = msgspec.json.decode(opened, type=Index)
    told: dict[str, Any] = {name: getattr(index, name) for name in index.__struct_fields__}
    return told | {"arrangements": {name: bytes(raw) for name, raw in index.arrangements.items()}}


def _leaf(connection: Connection, shelf: Shelf, leaf: Leaf, ring: KeyRing) -> bytes:
    place = places.leaf_place(
        connection_id=connection.pk,
        subject=shelf.subject,
        build=leaf.build,
        arrangement=leaf.arrangement,
        number=leaf.number,
    )
    return ring.open_body(bytes(leaf.sealed_rows), place=place)
