"""Refuses to start where the audit log could be emptied."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error


def log_cannot_be_emptied(**_options: Any) -> list[CheckMessage]:
    """The option that lets test runners empty tables (migration 0001) is for tests."""
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
