"""The deletion ledger: an append-only file outside the database that says what was deleted, one JSON object per line.

A restored backup brings back what was deleted since; the ledger says what to delete again. A line has what happened,
when, and the ids of user and connection: no name, no secret, nothing from a record. When `append` returns, it is on
disk.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from apps.audit.models import EventType

OURS_ALONE = 0o600


@dataclass(frozen=True)
class Deleted:
    """One deletion. `connection_id` is None if it was the whole account."""

    event: EventType
    at: datetime
    user_id: UUID
    connection_id: UUID | None


@dataclass(frozen=True)
class Unreadable:
    """The number, from 1, of a line that is not ours or was cut off by a crash."""

    line: int


def append(path: Path, deleted: Iterable[Deleted]) -> None:
    """Append lines and wait until they are on disk. Several processes may do so at once. Raises OSError, and has then
    written nothing: a full disk leaves no partial line."""
    text = "".join(_line(one) for one in deleted).encode("ascii")
    is_new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, OURS_ALONE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        try:
            _write(descriptor, (b"\n" if is_torn else b"") + text)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
    if is_new:
        _keep_name(path.parent)


def read(path: Path) -> Iterator[Deleted | Unreadable]:
    """Every line, in the order written. Raises OSError."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _read(line) or Unreadable(number)


def _line(one: Deleted) -> str:
    names = {
        "event": one.event.value,
        "at": one.at.isoformat(),
        "user": str(one.user_id),
        "connection": str(one.connection_id) if one.connection_id else None,
    }
    return json.dumps(names) + "\n"


def _read(line: str) -> Deleted | None:
    try:
        names: dict[str, Any] = json.loads(line)
        at = datetime.fromisoformat(names["at"])
        if at.tzinfo is None:
            return None
        at = at.astimezone(UTC)  # OverflowError for a time that no database can store, so it is not ours
        connection = names["connection"]
        return Deleted(
            event=EventType(names["event"]),
            at=at,
            user_id=UUID(names["user"]),
            connection_id=None if connection is None else UUID(connection),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _keep_name(folder: Path) -> None:
    """Sync the folder: without that, a crash may lose the name of a new file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
