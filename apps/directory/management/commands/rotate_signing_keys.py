"""`rotate_signing_keys`: take the steps of key rotation that are due, or give up a key at once."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import key_outlook, published_keys, rotating, signing
from apps.directory.management import arguments
from apps.directory.models import SigningKey
from apps.directory.rotating import GivenUp, Rotation

_ACTOR = Actor.system("rotate_signing_keys")
_UPLOAD = "Give its provider our key set, then choose “The provider has the new key” in the admin."


class Command(BaseCommand):
    """The schedule runs it hourly. Running it by hand again is harmless."""

    help = (
        "Take the due steps of replacing our signing keys: publish successors, move registrations to them, "
        "retire keys that nobody needs. Prints what was done, and for every key what comes next and when. "
        "--compromised retires a key at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which keys, and how urgently."""
        parser.add_argument("--algorithm", choices=signing.Algorithm.values, help="only keys of this algorithm")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--force", action="store_true", help="begin now, however new the keys are")
        how.add_argument(
            "--compromised",
            metavar="KID",
            type=arguments.given,
            help="retire this key at once, because somebody else may have it",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line for each thing done, then one for each key."""
        at = timezone.now()
        with transaction.atomic() if options["dry_run"] else nullcontext():
            lines = list(_lines(options, at))
            if options["dry_run"]:
                transaction.set_rollback(True)
        if options["dry_run"]:
            self.stdout.write("Nothing was changed. This would be done:")
        for line in lines or ["Nothing is due."]:
            self.stdout.write(line)
        for outlook in key_outlook.present(at=at):
            self.stdout.write(f"{outlook.key}: {outlook.state.label}. {outlook.sentence}")
        self.stdout.write(f"Our key set: {published_keys.key_set_url()}")


def _lines(options: dict[str, Any], at: datetime) -> Iterator[str]:
    if options["compromised"]:
        key = SigningKey.objects.filter(kid=options["compromised"]).first()
        if key is None:
            raise CommandError("There is no signing key with this id.")
        done = rotating.give_up(key, actor=_ACTOR, at=at)
        yield from _given_up(key, done, at, is_rehearsal=options["dry_run"])
        return
    algorithms = [options["algorithm"]] if options["algorithm"] else signing.Algorithm.values
    yield from _rotated(rotating.rotate(actor=_ACTOR, at=at, algorithms=algorithms, is_forced=options["force"]))
    for row in rotating.waiting_for_staff():
        yield f"{row} is waiting for you. {_UPLOAD}"


def _rotated(done: Rotation) -> Iterator[str]:
    yield from (f"published: {key}" for key in done.published)
    yield from (f"moved: {row} signs with {row.signing_key}" for row in done.moved)
    yield from (f"out of use: {key}" for key in done.superseded)
    yield from (f"retired: {key}" for key in done.retired)


def _given_up(key: SigningKey, done: GivenUp, at: datetime, *, is_rehearsal: bool) -> Iterator[str]:
    """What it costs, and who must act."""
    if is_rehearsal:
        yield f"{key} would be retired: nothing would be signed with it, and our key set would have it no more. Then:"
    else:
        yield f"{key} is retired: nothing is signed with it, and our key set has it no more."
    until = key_outlook.moment(at + published_keys.MAX_AGE)
    is_known = done.successor is not None and done.successor.created_at + published_keys.SPREADS_WITHIN <= at
    doubt = "" if is_known else f" Its provider may refuse it until {until}, and nobody need act."
    yield from (f"{row} signs with {done.successor}.{doubt}" for row in done.moved)
    for row in done.without_proof:
        yield f"{row} has no proof: nobody can link there, and nothing new is copied. {_UPLOAD}"
    yield "Links of patients stay. Tell these providers not to believe the key any more: they may hold copies of it."
