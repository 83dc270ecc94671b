"""The record as received, what pages read of it, and how it came."""

from apps.records.models.attachment import Attachment
from apps.records.models.record import QuarantinedRow, Record, RecordVersion
from apps.records.models.shelf import Leaf, Shelf
from apps.records.models.sync_run import PendingRead, SyncRun, SyncStep

__all__ = [
    "Attachment",
    "Leaf",
    "PendingRead",
    "QuarantinedRow",
    "Record",
    "RecordVersion",
    "Shelf",
    "SyncRun",
    "SyncStep",
]
