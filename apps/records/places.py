"""The places of this app's sealed values: names that become their associated data.

A record's body and its earlier versions share one place, so that superseding a body moves it without opening it.
"""

from uuid import UUID

from apps.vault.sealing import Place


def body_place(*, connection_id: UUID, resource_type: str, logical_id: str) -> Place:
    """For `Record.sealed_body` and `RecordVersion.sealed_body`."""
    return Place("record", "body", (str(connection_id), resource_type, logical_id))


def shelf_place(*, connection_id: UUID, subject: str) -> Place:
    """For `Shelf.sealed_index`."""
    return Place("shelf", "index", (str(connection_id), subject))


def leaf_place(*, connection_id: UUID, subject: str, build: UUID, arrangement: str, number: int) -> Place:
    """For `Leaf.sealed_rows`."""
    return Place("leaf", "rows", (str(connection_id), subject, str(build), arrangement, str(number)))


def cursor_place(*, run_id: UUID, resource_type: str) -> Place:
    """For `SyncStep.sealed_cursor`."""
    return Place("sync_step", "cursor", (str(run_id), resource_type))


def page_place(*, run_id: UUID, resource_type: str) -> Place:
    """For `SyncStep.sealed_page`."""
    return Place("sync_step", "page", (str(run_id), resource_type))


def quarantine_place(*, run_id: UUID, resource_type: str) -> Place:
    """For `QuarantinedRow.sealed_body`."""
    return Place("quarantine", "body", (str(run_id), resource_type))


def attachment_place(*, connection_id: UUID, resource_type: str, logical_id: str, digest: bytes) -> Place:
    """For `Attachment.sealed_content`: one description of a file in one resource."""
    return Place("attachment", "content", (str(connection_id), resource_type, logical_id, digest.hex()))
