"""Work of the audit log in the background."""

from celery import shared_task

from apps.audit import deletions


@shared_task
def write_deletions() -> None:
    """Write into the deletion ledger what is not there yet."""
    deletions.write_out()
