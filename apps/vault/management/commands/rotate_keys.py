"""`rotate_keys`: wrap every data key with the first of VAULT_KEYS, and say which of the others are still needed."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.audit.recording import Actor
from apps.vault import rewrapping
from apps.vault.errors import WeakKey
from apps.vault.rewrapping import KeyUse

_ACTOR = Actor.system("rotate_keys")


class Command(BaseCommand):
    """May be repeated, killed at any time, and run twice at once, while the site is up."""

    help = (
        "Wrap every data key with the first of VAULT_KEYS. Encrypted data stays as it is, and the site may run. "
        "Prints what each wrapping key is still needed for. Exits with 1 if a key is missing, or if something is "
        "left to do."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Do it, or say what would be done."""
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *_args: Any, **options: Any) -> None:
        """A line for each batch, then one for each wrapping key."""
        try:
            if options["dry_run"]:
                left = 0
                self.stdout.write(f"Nothing was changed. {_data_keys(rewrapping.waiting())} would be wrapped anew.")
            else:
                left = self._rotate()
            uses = rewrapping.uses()
        except WeakKey as error:
            raise CommandError(str(error)) from None
        for use in uses:
            self.stdout.write(_line(use))
        if any(use.data_keys and not use.is_given for use in uses):
            raise CommandError("VAULT_KEYS lacks a key that data keys are wrapped by.")
        if left:
            raise CommandError(f"{_data_keys(left)} left to do: run this again.")

    def _rotate(self) -> int:
        """How many are left: those that another run holds now, and those that do not open."""
        total = rewrapping.waiting()
        done = rewrapping.rewrap(actor=_ACTOR, at=timezone.now(), tell=lambda count: self._say(count, total))
        self.stdout.write(f"{_data_keys(done.done)} wrapped anew.")
        if done.unopened:
            self.stderr.write(
                f"{_data_keys(done.unopened)} did not open and stayed as before. Somebody changed those rows, or "
                "VAULT_KEYS has another key under the id of the one that wrapped them."
            )
        return rewrapping.waiting()

    def _say(self, count: int, total: int) -> None:
        self.stdout.write(f"  {count:,} of {max(count, total):,}")
        self.stdout.flush()


def _line(use: KeyUse) -> str:
    return " ".join(_sentences(use))


def _sentences(use: KeyUse) -> Iterator[str]:
    yield f"{use.key_id}: wraps {_data_keys(use.data_keys)}."
    if not use.is_given:
        where = "VAULT_KEYS has ANOTHER key under this id" if use.is_first else "It is NOT in VAULT_KEYS"
        yield f"{where}: put it back. Until then nothing of theirs opens, and nothing of it is lost."
    elif use.is_first:
        yield "It is the first of VAULT_KEYS and wraps what is new."
    elif use.data_keys:
        yield "Keep it in VAULT_KEYS."
    else:
        yield (
            "Nothing in this database needs it. A new key: put it in front once every process has it. An old one: take "
            "it out of VAULT_KEYS once every process has the first key in front. Backups made before now need an old "
            "one: keep it apart from them until the last of them is gone."
        )


def _data_keys(count: int) -> str:
    return f"{count:,} data key" if count == 1 else f"{count:,} data keys"
