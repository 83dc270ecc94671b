"""System checks: an error if the audit log could be emptied, a warning if restoring a backup would undo deletions."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error


def log_cannot_be_emptied(**_options: Any) -> list[CheckMessage]:
    """The option that lets test runners empty tables (migration 0001) must not be set outside tests."""
    options = [str(database.get("OPTIONS", {}).get("options", "")) for database in settings.DATABASES.values()]
    if not any("holdfast.audit_may_be_truncated" in text for text in options):
        return []
    return [
        Error(
            "The database connection allows audit events to be removed.",
            hint="Take `holdfast.audit_may_be_truncated` out of the database's options: it is for tests alone.",
            id="holdfast.E007",
        )
    ]


def deletions_are_kept(**_options: Any) -> list[CheckMessage]:
    """Outside debug a deletion ledger must be configured, and wherever one is configured it must be writable."""
    path: Path | None = settings.DELETION_LEDGER
    if path is None and not settings.DEBUG:
        return [
            checks.Warning(
                "There is no deletion ledger: restoring a backup brings back what people deleted.",
                hint="Set DELETION_LEDGER to a file that is neither on the database's disk nor in its backups.",
                id="holdfast.W002",
            )
        ]
    if path is None or _can_be_written(path):
        return []
    return [
        checks.Warning(
            "The deletion ledger cannot be written here.",
            hint="DELETION_LEDGER names a file in a folder that exists and that this process may write to. Deletions "
            "wait in the database meanwhile.",
            id="holdfast.W003",
        )
    ]


def _can_be_written(path: Path) -> bool:
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK)
    return os.access(path.parent, os.W_OK)
