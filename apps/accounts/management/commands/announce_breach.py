"""`announce_breach`: tell people that somebody may have seen their record who should not have."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q, QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.accounts import breaches
from apps.accounts.models import User
from apps.audit.recording import Actor

_LONGEST = 20_000  # characters: more is no word to people


class Command(BaseCommand):
    """Shows what would be sent to how many, and does nothing until it is run with --send."""

    help = (
        "Tell people by e-mail and on Home that somebody may have seen their record: what happened, what was seen, "
        "what they can do, and what you do. The words are yours. Name no provider in them, and nobody's health."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The words, whom to tell, and whether to do it."""
        parser.add_argument("--english", required=True, metavar="FILE", help="the words, as plain text")
        parser.add_argument("--spanish", required=True, metavar="FILE", help="the same for those who read Spanish")
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--people", metavar="FILE", help="their ids or e-mail addresses, one a line; - reads them")
        whom.add_argument("--everybody", action="store_true", help="everybody who may have a record here")
        parser.add_argument("--send", action="store_true", help="do it")

    def handle(self, *_args: Any, english: str, spanish: str, people: str | None, send: bool, **_options: Any) -> None:
        """Print the words and the number of people."""
        words = {"english": _words(english), "spanish": _words(spanish)}
        whom = breaches.everybody() if people is None else _named(_lines(people))
        count = whom.count()
        for name, text in words.items():
            self.stdout.write(f"{name.title()}:\n\n{text}\n")
        if not send:
            self.stdout.write(f"{count:,} account{pluralize(count)} would be told. To do it, add --send.")
            return
        breach = breaches.announce(whom, **words, at=timezone.now(), actor=Actor.system("announce_breach"))
        if breach is None:
            raise CommandError("Nobody was told: all of them were told these words before.")
        count = breach.notices.count()
        self.stdout.write(f"{count:,} account{pluralize(count)} will be told. The admin shows how far that is.")


def _words(path: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"{path} cannot be read as text.") from None
    if not 0 < len(text) <= _LONGEST:
        raise CommandError(f"{path} is empty, or longer than {_LONGEST:,} characters.")
    return text


def _lines(path: str) -> list[str]:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"{path} cannot be read as text.") from None
    return [line.strip() for line in text.splitlines()]


def _named(lines: Iterable[str]) -> QuerySet[User]:
    """The accounts that these lines name. Raises CommandError with the numbers of lines that name none."""
    ids: set[UUID] = set()
    unknown: list[int] = []
    for number, line in enumerate(lines, start=1):
        found = User.objects.filter(_is(line)).values_list("pk", flat=True).first() if line else None
        if found is not None:
            ids.add(found)
        elif line:
            unknown.append(number)
    if unknown:
        numbers = ", ".join(map(str, unknown[:20]))
        raise CommandError(f"Nobody was told. {len(unknown)} lines name no account, such as {numbers}.")
    if not ids:
        raise CommandError("Nobody was told: no line names an account.")
    return User.objects.filter(pk__in=ids)


def _is(line: str) -> Q:
    try:
        return Q(pk=UUID(line))
    except ValueError:
        return Q(email=line.lower())
