"""`replay_deletions`: after restoring a backup, repeat the deletions that people have made since."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.audit import deletion_ledger
from apps.audit.deletion_ledger import Deleted, Unreadable
from apps.audit.recording import Actor
from apps.portal import deletion_replay
from apps.portal.deletion_replay import Replayed

_ACTOR = Actor.system("replay_deletions")


class Command(BaseCommand):
    """Run it before the site starts again. May be repeated."""

    help = (
        "Delete again what the deletion ledger lists as deleted: closed accounts, copies, connections. Run it on "
        "a database that was restored from a backup, before the site starts. It skips what is gone already, and "
        "may be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which ledgers, and whether to do it."""
        parser.add_argument(
            "ledger", nargs="*", type=Path, help="ledger files; by default the one that DELETION_LEDGER names"
        )
        parser.add_argument(
            "--restored",
            action="store_true",
            help="note that this database was restored from a backup, even if nothing was deleted: links "
            "that are refused from now on may be refused for that reason",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Say how many were deleted; fail if a line could not be read."""
        paths = options["ledger"] or [settings.DELETION_LEDGER]
        if None in paths:
            raise CommandError("Name a ledger, or set DELETION_LEDGER.")
        try:
            self._ensure_there(paths)
            if options["dry_run"]:
                self._say("would be deleted", deletion_replay.rehearse(_lines(paths)))
            else:
                self._say("deleted again", self._replay(paths, options))
        except OSError as error:
            which = f" {error.filename}" if error.filename else ""
            raise CommandError(f"The ledger{which} cannot be read: {error.strerror}.") from None

    def _ensure_there(self, paths: list[Path]) -> None:
        """Check this before deleting anything, because the restoration is recorded only after the last ledger. Files
        are not opened for it: one may be a pipe."""
        for path in paths:
            if not path.exists():
                raise CommandError(
                    f"There is no ledger at {path}. Where it was lost, put its copy there. Where nobody ever deleted "
                    "anything, make an empty file there: the restored backup has to be noted all the same."
                )

    def _replay(self, paths: list[Path], options: dict[str, Any]) -> Replayed:
        is_restored = options["restored"]
        return deletion_replay.replay(_lines(paths), actor=_ACTOR, at=timezone.now(), is_restored=is_restored)

    def _say(self, what: str, replayed: Replayed) -> None:
        self.stdout.write(
            f"{replayed.lines:,} line{pluralize(replayed.lines)} read; accounts {what}: {len(replayed.accounts):,}; "
            f"connections {what}, or their copies: {len(replayed.connections):,}."
        )
        if replayed.unreadable:
            times, numbers = len(replayed.unreadable), ", ".join(map(str, replayed.unreadable[:10]))
            raise CommandError(
                f"{times:,} line{pluralize(times)} cannot be read, such as {numbers}. A line that a crash tore is no "
                "harm: what it says was written again. All others were taken."
            )


def _lines(paths: list[Path]) -> Iterator[Deleted | Unreadable]:
    for path in paths:
        yield from deletion_ledger.read(path)
