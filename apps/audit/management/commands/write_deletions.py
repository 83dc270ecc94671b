"""`write_deletions`: write waiting deletions to the deletion ledger."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from apps.audit import deletions


class Command(BaseCommand):
    """The schedule does this every minute; run it before a database is replaced."""

    help = "Write the deletions that wait in the database to the deletion ledger. Exits with 1 if that cannot be done."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Say how many were written, and fail if some could not be."""
        if settings.DELETION_LEDGER is None:
            raise CommandError("Set DELETION_LEDGER.")
        written = deletions.write_out()
        self.stdout.write(f"{written:,} deletion{pluralize(written)} written.")
        if deletions.are_waiting():
            raise CommandError("Not all could be written: see the log.")
