"""`renew_data_keys`: new data keys for everybody or one account; what the old ones sealed is resealed."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Max
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from apps.audit.recording import Actor
from apps.vault import renewing
from apps.vault.errors import WeakKey
from apps.vault.holders import Holder
from apps.vault.renewing import Chosen

_ACTOR = Actor.system("renew_data_keys")
_SAID = {"destroyed": "destroyed", "retired": "replaced", "emptied": "used for nothing any more"}


def moment(text: str) -> datetime:
    """A time with its zone, not in the future: otherwise each run until then would replace keys that were made
    today."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or timezone.is_naive(found):
        raise ArgumentTypeError("not a time with its zone, such as 2026-11-27T18:00Z")
    if found > timezone.now():
        raise ArgumentTypeError("is still to come")
    return found


class Command(BaseCommand):
    """May be repeated, killed at any time, and run twice at once, while the site is up."""

    help = (
        "Give accounts, and the installation, new data keys, and re-encrypt with them whatever the old ones "
        "encrypted, while the site runs. Says from when on the old keys can be destroyed; a run after that time "
        "destroys them. Without --made-before it continues what was begun. Exits with 1 if something is left "
        "that should have been done now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which keys, and whether to change anything."""
        parser.add_argument(
            "--made-before",
            metavar="TIME",
            type=moment,
            help="replace keys that were made before this time, which must have a time zone",
        )
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--user", metavar="ID", type=UUID, help="only the key of this user, by id")
        which.add_argument("--installation", action="store_true", help="only the key of the installation")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *_args: Any, **options: Any) -> None:
        """A line for each batch, one for each step, and what is left."""
        holder = Holder.installation() if options["installation"] else None
        chosen = Chosen(Holder.user(options["user"]) if options["user"] else holder, options["made_before"])
        if options["user"] and not chosen.has_keys():
            raise CommandError("This user has no data key: nothing of theirs was sealed, or the id is not theirs.")
        if options["dry_run"]:
            self._rehearse(chosen)
            return
        try:
            done = renewing.renew(chosen, actor=_ACTOR, at=timezone.now(), tell=self._tell)
        except WeakKey as error:
            raise CommandError(str(error)) from None
        for step, count in (("destroyed", done.destroyed), ("retired", done.retired), ("emptied", done.emptied)):
            self.stdout.write(f"{_data_keys(count)} {_SAID[step]}.")
        self._say_what_is_kept(chosen)
        self._complain(chosen.to_retire().count(), chosen.to_empty().count())

    def _complain(self, unreplaced: int, needed: int) -> None:
        if unreplaced:
            self.stderr.write(
                f"{_data_keys(unreplaced)} could not be replaced: somebody seals by them, they do not open, or an "
                "earlier one of the same account is not destroyed yet."
            )
        if needed:
            self.stderr.write(
                f"{_data_keys(needed)} still needed: somebody holds what they sealed, or it does not open: see the log."
            )
        if unreplaced or needed:
            raise CommandError(f"{_data_keys(unreplaced + needed)} left to do: run this again.")

    def _rehearse(self, chosen: Chosen) -> None:
        begun = chosen.to_empty().count()
        self.stdout.write(
            f"Nothing was changed. {_data_keys(chosen.to_destroy().count())} would be destroyed, "
            f"{_data_keys(chosen.to_retire().count())} replaced. Of {_data_keys(begun)} replaced before, what is left "
            "would be sealed anew."
        )
        self._say_what_is_kept(chosen)

    def _say_what_is_kept(self, chosen: Chosen) -> None:
        kept = chosen.kept().aggregate(latest=Max("unused_since"))["latest"]
        if kept is not None:
            count = chosen.kept().count()
            until = timezone.localtime(kept + renewing.KEPT_FOR).strftime("%Y-%m-%d %H:%M %Z")
            self.stdout.write(
                f"{_data_keys(count)} kept until {until}, for what was read or sealed before. Beat destroys "
                f"{pluralize(count, 'it,them')} within an hour then, and so does running this again."
            )

    def _tell(self, step: str, count: int) -> None:
        self.stdout.write(f"  {_data_keys(count)} {_SAID[step]}")
        self.stdout.flush()


def _data_keys(count: int) -> str:
    return f"{count:,} data key{pluralize(count)}"
