"""The record as received, what pages read of it, and how it came."""

from apps.records.models.record import Record, RecordVersion
from apps.records.models.shelf import Shelf
from apps.records.models.sync_run import SyncRun, SyncStep

__all__ = ["Record", "RecordVersion", "Shelf", "SyncRun", "SyncStep"]
