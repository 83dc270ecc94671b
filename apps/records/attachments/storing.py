"""Keep a fetched file sealed, so that it can be read again without asking the provider, even after the link has
ended."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.connections.models import Connection
from apps.records import bodies, places
from apps.records.models import Attachment, Record
from apps.records.presenters import attachments, elements
from apps.records.presenters.elements import Element
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing, Place

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class KeptFile:
    """A kept file, and the record to which it belongs. `content` is None if it cannot be opened."""

    resource_type: str
    logical_id: str
    fetched_at: datetime
    content: bytes | None


def all_of(connection_id: UUID, user_id: UUID, ring: KeyRing) -> Iterator[KeptFile]:
    """Every kept file of this connection, in the order in which they were fetched, opened one at a time."""
    mine = Attachment.objects.filter(user_id=user_id, connection_id=connection_id)
    for pk in list(mine.order_by("pk").values_list("pk", flat=True)):
        kept = mine.filter(pk=pk).select_related("record").defer("record__sealed_body").first()
        if kept is not None:
            record = kept.record
            yield KeptFile(record.resource_type, record.logical_id, kept.fetched_at, _opened(kept, record, ring))


def _opened(kept: Attachment, record: Record, ring: KeyRing) -> bytes | None:
    try:
        return ring.open_body(bytes(kept.sealed_content), place=place_of(record, bytes(kept.digest)))
    except CannotOpen:
        _LOG.error("A kept file does not open: attachment %s.", kept.pk)
        return None


def find(record: Record, sent: Element) -> bytes | None:
    """The content of the file that this Attachment of the record describes; None if we have no such file, or none that
    opens: then its provider may still have it.

    Raises `apps.vault.errors.VaultError` if a key is missing.
    """
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        return _content(_held(record, sent, ring), record, ring)


def keep(record: Record, sent: Element, content: bytes, *, at: datetime) -> None:
    """Seal and store a file, unless the record or its connection is gone meanwhile. If the file was kept already and
    opens, the first one stays; if it does not open, it is replaced.

    Raises `apps.vault.errors.VaultError`.
    """
    with transaction.atomic(), sealing.key_ring(Holder.user(record.user_id)) as ring:
        if not _is_here(record):
            return
        held = _held(record, sent, ring)
        if _content(held, record, ring) is not None:
            return
        held.delete()
        digest = ring.keyed_digest(_described(sent))
        kept = Attachment(
            user_id=record.user_id,
            connection_id=record.connection_id,
            record_id=record.pk,
            digest=digest,
            sealed_content=ring.seal_body(content, place=place_of(record, digest)),
            fetched_at=at,
        )
        Attachment.objects.bulk_create([kept], ignore_conflicts=True)


def _held(record: Record, sent: Element, ring: KeyRing) -> QuerySet[Attachment]:
    digests = ring.keyed_digests(_described(sent))
    return Attachment.objects.filter(user_id=record.user_id, record_id=record.pk, digest__in=digests)


def _content(held: QuerySet[Attachment], record: Record, ring: KeyRing) -> bytes | None:
    opened = (_opened(kept, record, ring) for kept in held)
    return next((content for content in opened if content is not None), None)


def _is_here(record: Record) -> bool:
    """Whether record and connection exist, locked until the transaction ends. `deleting_copies` holds a lock on the
    connection from before it deletes files until after it has deleted records, so that no file can be added between."""
    connections = Connection.objects.select_for_update(no_key=True).filter(pk=record.connection_id)
    if connections.first() is None:
        return False
    return Record.objects.select_for_update().filter(pk=record.pk).first() is not None


def digest_anew(kept: Attachment, ring: KeyRing) -> bytes:
    """A new digest of a kept file, under the key that now seals, from the description in its record. If the record no
    longer describes the file, nobody looks for it by digest, and it gets a unique one.

    Raises `apps.vault.errors.VaultError`.
    """
    body = bodies.find_of(kept.record, ring)
    for sent in attachments.sent_by(elements.parse(body)) if body is not None else ():
        if bytes(kept.digest) in ring.keyed_digests(_described(sent)):
            return ring.keyed_digest(_described(sent))
    return ring.keyed_digest(bytes(kept.digest))


def _described(sent: Element) -> bytes:
    """The whole description: if the provider changes the address, date, size or hash, it is another file."""
    return json.dumps(sent, sort_keys=True, default=str).encode()


def place_of(record: Record, digest: bytes) -> Place:
    """The place of `Attachment.sealed_content`."""
    return places.attachment_place(
        connection_id=record.connection_id,
        resource_type=record.resource_type,
        logical_id=record.logical_id,
        digest=digest,
    )
