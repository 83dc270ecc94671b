"""Fill the sandbox with its people: the named ones, and as many invented ones as wanted."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.sandbox.people import populating
from apps.sandbox.people.inventing import LARGEST, SMALLEST


class Command(BaseCommand):
    """`populate` for the named people; `populate --people 20 --size 5000 --seed 7` for invented ones as well."""

    help = "Put the named people into the sandbox, and any number of invented ones. Run it again to replace them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Numbers only: who exists follows from them."""
        parser.add_argument("--people", type=int, default=0, help="the number of invented people (default: none)")
        parser.add_argument(
            "--size", type=int, default=500, help=f"resources for each, {SMALLEST} to {LARGEST} (default: 500)"
        )
        parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same people")
        parser.add_argument("--without-cast", action="store_true", help="leave the named people as they are")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line for each account."""
        populating.practice()
        if not options["without_cast"]:
            for one in populating.cast():
                self._say(one)
            self._say(populating.organizations())
        try:
            for one in populating.invented(options["seed"], options["people"], options["size"]):
                self._say(one)
        except ValueError as problem:
            raise CommandError(str(problem)) from problem

    def _say(self, one: populating.Populated) -> None:
        counts = ", ".join(f"{count} in {version}" for version, count in one.resources.items())
        self.stdout.write(f"{one.username}  {one.password}  {one.display_name}: {counts}")
