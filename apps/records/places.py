"""Where the sealed values of this app live: the names that become their associated data.

A record's body and its earlier versions share one place, so that superseding a body moves it without opening it.
"""

from uuid import UUID

from apps.vault.sealing import Place


def body_place(*, connection_id: UUID, resource_type: str, logical_id: str) -> Place:
    """Of `Record.sealed_body` and `RecordVersion.sealed_body`."""
    return Place("record", "body", (str(connection_id), resource_type, logical_id))


def shelf_place(*, connection_id: UUID, subject: str) -> Place:
    """Of `Shelf.sealed_summaries`."""
    return Place("shelf", "summaries", (str(connection_id), subject))


def cursor_place(*, run_id: UUID, resource_type: str) -> Place:
    """Of `SyncStep.sealed_cursor`."""
    return Place("sync_step", "cursor", (str(run_id), resource_type))
