"""Where the sealed values of this app live: the names that become their associated data.

A record's body and its earlier versions share one place, so that superseding a body moves it without opening it.
"""

from uuid import UUID

from apps.vault.sealing import Place


def body_place(*, connection_id: UUID, resource_type: str, logical_id: str) -> Place:
    """Of `Record.sealed_body` and `RecordVersion.sealed_body`."""
    return Place("record", "body", (str(connection_id), resource_type, logical_id))


def shelf_place(*, connection_id: UUID, subject: str) -> Place:
    """Of `Shelf.sealed_index`."""
    return Place("shelf", "index", (str(connection_id), subject))


def leaf_place(*, connection_id: UUID, subject: str, build: UUID, arrangement: str, number: int) -> Place:
    """Of `Leaf.sealed_rows`."""
    return Place("leaf", "rows", (str(connection_id), subject, str(build), arrangement, str(number)))


def cursor_place(*, run_id: UUID, resource_type: str) -> Place:
    """Of `SyncStep.sealed_cursor`."""
    return Place("sync_step", "cursor", (str(run_id), resource_type))


def page_place(*, run_id: UUID, resource_type: str) -> Place:
    """Of `SyncStep.sealed_page`."""
    return Place("sync_step", "page", (str(run_id), resource_type))


def quarantine_place(*, run_id: UUID, resource_type: str) -> Place:
    """Of `QuarantinedRow.sealed_body`."""
    return Place("quarantine", "body", (str(run_id), resource_type))


def attachment_place(*, connection_id: UUID, resource_type: str, logical_id: str, digest: bytes) -> Place:
    """Of `Attachment.sealed_content`: of one description of one resource."""
    return Place("attachment", "content", (str(connection_id), resource_type, logical_id, digest.hex()))
