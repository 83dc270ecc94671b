"""`purge_unverified`: delete accounts whose address was never verified, now rather than on schedule."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.accounts import purging
from apps.audit.recording import Actor


class Command(BaseCommand):
    """The schedule does it every hour. Use it where no beat runs, or with --dry-run to see what would be deleted."""

    help = "Delete accounts older than UNVERIFIED_ACCOUNT_DAYS whose e-mail address was never confirmed."

    def add_arguments(self, parser: CommandParser) -> None:
        """One flag."""
        parser.add_argument("--dry-run", action="store_true", help="only say how many would be deleted")

    def handle(self, *_args: Any, dry_run: bool, **_options: Any) -> None:
        """Print one line: how many."""
        now = timezone.now()
        if dry_run:
            number = purging.due_for_purge(at=now).count()
            self.stdout.write(f"{number:,} unverified account{pluralize(number)} would be removed.")
            return
        purged = purging.purge_unverified(at=now, actor=Actor.system("purge_unverified"))
        self.stdout.write(f"{purged:,} unverified account{pluralize(purged)} removed.")
