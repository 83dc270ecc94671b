"""Records that have files, and how tests open them."""

import json
import uuid
import zlib
from base64 import b64encode
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

from apps.connections.models import Connection
from apps.records.models import Record
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT

FILE = "GET /fhir/r4/document/pdf-1"
BINARY = "GET /fhir/r4/Binary/b1"
PDF = b"%PDF-1.4 canary of a letter"


def png_part(kind: bytes, data: bytes) -> bytes:
    """One part of a PNG picture."""
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


PNG_HEADER = png_part(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")  # of a gray dot
PNG_BEGINNING = b"\x89PNG\r\n\x1a\n"
PNG = (
    PNG_BEGINNING + PNG_HEADER + png_part(b"IDAT", zlib.compress(b"\0\x7f")) + png_part(b"IEND", b"") + b"canary of it"
)


def free() -> AbstractContextManager[bool]:
    """A seat that nobody else wants."""
    return nullcontext(enter_result=True)


def clock() -> datetime:
    """Stands still."""
    return AT


def hold(connection: Connection, *attachments: dict[str, Any], logical_id: str = "d1", **elements: Any) -> Record:
    """The record of a document with these files."""
    sent = {
        "resourceType": "DocumentReference",
        "id": logical_id,
        "status": "current",
        "type": {"text": "Letter"},
        "content": [{"attachment": attachment} for attachment in attachments],
        **elements,
    }
    body = json.dumps(sent).encode()
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        resource = Resource("DocumentReference", logical_id, body)
        storing.keep(connection, [resource], run_id=uuid.uuid4(), ring=ring, at=AT)
    return Record.objects.select_related("connection__provider").get(connection=connection, logical_id=logical_id)


def inline(content: bytes, content_type: str = "text/plain", **described: Any) -> dict[str, Any]:
    """An Attachment that carries its content."""
    return {"contentType": content_type, "data": b64encode(content).decode(), **described}


def linked_to(url: str, content_type: str = "application/pdf", **described: Any) -> dict[str, Any]:
    """An Attachment that says where its content is."""
    return {"contentType": content_type, "url": url, **described}
