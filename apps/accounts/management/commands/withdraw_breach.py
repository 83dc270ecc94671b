"""`withdraw_breach`: stop telling people of a breach that was announced by mistake."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.accounts import breaches
from apps.accounts.models import Breach
from apps.audit.recording import Actor


class Command(BaseCommand):
    """Asks nothing first: meanwhile mail goes out."""

    help = (
        "Stop telling people of a breach: no more e-mail is sent, and nobody who was not told yet reads it on Home. "
        "What was sent cannot be taken back. To correct it, announce another one to those who were told."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Which one."""
        parser.add_argument("breach", metavar="ID", type=int, help="as announce_breach printed it; the admin shows it")

    def handle(self, *_args: Any, breach: int, **_options: Any) -> None:
        """Print how many know of it."""
        found = Breach.objects.filter(pk=breach).first()
        if found is None:
            raise CommandError("There is no such breach.")
        count = breaches.withdraw(found, at=timezone.now(), actor=Actor.system("withdraw_breach"))
        self.stdout.write(f"Nobody else will be told. {count:,} account{pluralize(count)} knew, or may know.")
