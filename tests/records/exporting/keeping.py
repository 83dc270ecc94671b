"""Store records without a provider: bodies byte for byte, sealed for their owner."""

import json
from datetime import datetime
from typing import Any

from apps.connections.models import Connection
from apps.records import places
from apps.records.models import Record, RecordVersion
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT


def keep(connection: Connection, *resources: Resource | dict[str, Any], at: datetime = AT) -> None:
    """Store these; what is there already under the same type and id becomes an earlier version."""
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        for row in (given if isinstance(given, Resource) else as_received(given) for given in resources):
            named = {"resource_type": row.resource_type, "logical_id": row.logical_id}
            sealed = ring.seal_body(row.body, place=places.body_place(connection_id=connection.pk, **named))
            columns = {"digest": ring.keyed_digest(row.body), "sealed_body": sealed}
            times = {"first_received_at": at, "received_at": at, "confirmed_at": at}
            held = Record.objects.filter(user=connection.user, connection=connection, **named).first()
            if held is None:
                Record.objects.create(user=connection.user, connection=connection, **named, **columns, **times)
                continue
            RecordVersion.objects.create(
                user=connection.user, record=held, sealed_body=held.sealed_body, digest=held.digest,
                received_at=held.received_at, superseded_at=at,
            )  # fmt: skip
            times.pop("first_received_at")
            Record.objects.filter(pk=held.pk).update(**columns, **times)


def as_received(resource: dict[str, Any]) -> Resource:
    """The resource as a provider that writes JSON on one line would send it."""
    return raw(resource["resourceType"], resource["id"], json.dumps(resource).encode())


def raw(resource_type: str, logical_id: str, body: bytes) -> Resource:
    """A body as it stands, whatever it is."""
    return Resource(resource_type, logical_id, body)


def spoil(connection: Connection, resource_type: str, logical_id: str) -> None:
    """One record that no longer opens."""
    records = Record.objects.filter(connection=connection, resource_type=resource_type, logical_id=logical_id)
    sealed = bytes(records.get().sealed_body)
    assert records.update(sealed_body=sealed[:-1] + bytes([sealed[-1] ^ 1])) == 1


def versions(connection: Connection) -> int:
    """How many earlier versions are kept."""
    return RecordVersion.objects.filter(record__connection=connection).count()
