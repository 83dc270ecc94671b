"""`announce_breach`: tell people that somebody may have seen their record who should not have."""

import sys
import unicodedata
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q, QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.accounts import breaches
from apps.accounts.models import Breach, User
from apps.audit.recording import Actor

_LONGEST = 20_000  # characters: more is no word to people
_SHOWN = 20  # lines to correct


class Command(BaseCommand):
    """Shows what would be sent to how many, and does nothing until it is run with --send."""

    help = (
        "Tell people by e-mail and on Home that somebody may have seen their record: what happened, what was seen, "
        "what they can do, what you do, and how to reach you. The words are yours. Name no provider in them, and "
        "nobody's health. Given again, it goes on with those who were not told these words yet."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The words, whom to tell, and whether to do it."""
        parser.add_argument("--english", required=True, metavar="FILE", help="the words, as plain text")
        parser.add_argument("--spanish", required=True, metavar="FILE", help="the same for those who read Spanish")
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--people", metavar="FILE", help="their ids or e-mail addresses, one a line; - reads them")
        whom.add_argument(
            "--told", metavar="ID", type=int, help="who was told of this one before: more, or a correction"
        )
        whom.add_argument("--everybody", action="store_true", help="everybody who may have a record here")
        parser.add_argument("--send", action="store_true", help="do it")

    def handle(self, *_args: Any, english: str, spanish: str, send: bool, **options: Any) -> None:
        """Print the words and the number of people."""
        words = {"english": _words(english), "spanish": _words(spanish)}
        whom, gone = _whom(options)
        count = breaches.untold(whom, **words).count()
        for name, text in words.items():
            self.stdout.write(f"{name.title()}:\n\n{text}\n")
        if gone:
            self.stdout.write(f"{gone:,} id{pluralize(gone)} of no account: nobody can tell them any more.")
        if not count:
            raise CommandError("Nobody would be told: there is nobody, or all were told these words before.")
        if not send:
            self.stdout.write(f"{count:,} account{pluralize(count)} would be told. To do it, add --send.")
            return
        breach = breaches.announce(whom, **words, at=timezone.now(), actor=Actor.system("announce_breach"))
        count = breach.notices.count()
        self.stdout.write(
            f"{count:,} account{pluralize(count)} will be told of breach {breach.pk}. The admin shows how far that is."
        )


def _whom(options: dict[str, Any]) -> tuple[QuerySet[User], int]:
    """The people, and how many ids are of nobody."""
    if options["people"] is not None:
        return _named(_read(options["people"]))
    if options["told"] is None:
        return breaches.everybody(), 0
    breach = Breach.objects.filter(pk=options["told"]).first()
    if breach is None:
        raise CommandError("There is no such breach.")
    return breaches.told_of(breach), 0


def _words(path: str) -> str:
    text = _read(path).strip()
    if not 0 < len(text) <= _LONGEST:
        raise CommandError(f"{path} is empty, or longer than {_LONGEST:,} characters.")
    if any(unicodedata.category(letter) == "Cc" for letter in set(text) - {"\n", "\t"}):
        raise CommandError(f"{path} has control characters, which nobody can read.")
    return text


def _read(path: str) -> str:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"{path} cannot be read as text.") from None
    return text.removeprefix("\ufeff")  # some editors begin a file with this mark


def _named(text: str) -> tuple[QuerySet[User], int]:
    """The accounts that these lines name, and how many ids are of none: whoever has closed their account is still in
    the audit log. Raises CommandError for a line that somebody mistyped, or that names nobody with a record."""
    lines = {number: line.strip() for number, line in enumerate(text.splitlines(), start=1) if line.strip()}
    ids = {number: pk for number, line in lines.items() if (pk := _id(line)) is not None}
    addresses = {number: line.lower() for number, line in lines.items() if number not in ids}
    asked = {address for address in addresses.values() if address.isprintable()}
    people = breaches.everybody().filter(Q(pk__in=set(ids.values())) | Q(email__in=asked))
    found = dict(people.values_list("email", "pk"))
    wrong = [number for number, address in addresses.items() if address not in found]
    if wrong:
        numbers = ", ".join(map(str, wrong[:_SHOWN])) + (", …" if len(wrong) > _SHOWN else "")
        raise CommandError(f"Nobody was told. These lines name no account with a confirmed address: {numbers}.")
    if not found:
        raise CommandError("Nobody was told: no line names an account.")
    return User.objects.filter(pk__in=found.values()), len(set(ids.values()) - set(found.values()))


def _id(line: str) -> UUID | None:
    try:
        return UUID(line)
    except ValueError:
        return None
