"""What this app keeps sealed for its users, and the digests beside it, for `apps.vault.renewing`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction

from apps.records import bodies, places
from apps.records.attachments import storing
from apps.records.models import Attachment, Leaf, QuarantinedRow, RecordVersion, Shelf, SyncStep
from apps.records.resealing import RECORDS, DigestedColumn
from apps.vault.sealed_columns import SealedColumn
from apps.vault.sealing import KeyRing


class _OnceByDigest(DigestedColumn):
    """For a table with a unique digest. If the same content came again after the key was retired, it is there twice,
    once under each key's digest: then the one under the new key stays."""

    def store(self, changed: Sequence[tuple[Any, Mapping[str, Any]]]) -> None:
        for row, values in changed:
            try:
                with transaction.atomic():
                    super().store([(row, values)])
            except IntegrityError:
                row.delete()


class _AttachmentColumn(_OnceByDigest):
    """The digest is of what the record says about the file, and the file is sealed for that digest."""

    def anew(self, row: Any, ring: KeyRing) -> dict[str, Any]:
        digest = storing.digest_anew(row, ring)
        content = ring.open_body(bytes(row.sealed_content), place=self.place(row))
        place = storing.place_of(row.record, digest)
        return {self.field: ring.seal_body(content, place=place), "digest": digest}


COLUMNS: Final[tuple[SealedColumn, ...]] = (
    RECORDS,
    DigestedColumn(
        table=RecordVersion.objects,
        field="sealed_body",
        related=("record",),
        deferred=("record__sealed_body",),
        place=bodies.place_of,
    ),
    _OnceByDigest(
        table=QuarantinedRow.objects,
        field="sealed_body",
        place=lambda row: places.quarantine_place(run_id=row.run_id, resource_type=row.resource_type),
    ),
    _AttachmentColumn(
        table=Attachment.objects,
        field="sealed_content",
        related=("record",),
        deferred=("record__sealed_body",),
        place=lambda row: storing.place_of(row.record, bytes(row.digest)),
    ),
    SealedColumn(
        table=SyncStep.objects,
        field="sealed_cursor",
        place=lambda row: places.cursor_place(run_id=row.run_id, resource_type=row.resource_type),
    ),
    SealedColumn(
        table=SyncStep.objects,
        field="sealed_page",
        place=lambda row: places.page_place(run_id=row.run_id, resource_type=row.resource_type),
    ),
    SealedColumn(
        table=Shelf.objects,
        field="sealed_index",
        place=lambda row: places.shelf_place(connection_id=row.connection_id, subject=row.subject),
    ),
    SealedColumn(
        table=Leaf.objects,
        field="sealed_rows",
        related=("shelf",),
        deferred=("shelf__sealed_index",),
        place=lambda row: places.leaf_place(
            connection_id=row.shelf.connection_id,
            subject=row.shelf.subject,
            build=row.build,
            arrangement=row.arrangement,
            number=row.number,
        ),
    ),
)
