"""The scheduled task of the audit log (`config/celery.py`)."""

from celery import shared_task

from apps.audit import deletions


@shared_task
def write_deletions() -> None:
    """Write waiting deletions to the deletion ledger."""
    deletions.write_out()
