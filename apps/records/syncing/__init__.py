"""Copying a record: a run with one step per resource type, which resumes where it stopped (design, section 5).

Callers import from here.
"""

from apps.records.syncing.running import NoLongerThere, NotSyncable, advance, advance_next, start
from apps.records.syncing.workers.backoff import PAUSES_SECONDS

__all__ = ["PAUSES_SECONDS", "NoLongerThere", "NotSyncable", "advance", "advance_next", "start"]
