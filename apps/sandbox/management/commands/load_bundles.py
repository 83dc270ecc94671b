"""Serve FHIR files of your own from the sandbox."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.sandbox import clock
from apps.sandbox.loading import loading
from apps.sandbox.loading.loading import Loaded


class Command(BaseCommand):
    """`load_bundles FILE-OR-FOLDER …`: prints a line for each file, then a line for each account."""

    help = (
        "Load FHIR Bundles and resources (JSON or NDJSON, gzip or not; their content tells whether they are DSTU2 or "
        "R4), and make an account for every patient in them. Files that cannot be read are named and skipped. Safe to "
        "repeat."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the files are."""
        parser.add_argument("paths", nargs="+", type=Path, help="files, or folders to search for FHIR files")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Fails if nothing could be loaded."""
        at = clock.now()
        loaded = []
        for one in loading.load(options["paths"], at=at):
            self.stdout.write(f"{one.path.name}: {_told(one)}")
            loaded.append(one)
        if not any(one.kept and one.kept.resources for one in loaded):
            raise CommandError("no FHIR resource that is served here was found")
        for account in loading.enrol(loaded, at=at):
            counts = ", ".join(f"{count} in {version}" for version, count in account.resources.items())
            self.stdout.write(f"{account.username}  {account.password}  {account.display_name}: {counts}")


def _told(one: Loaded) -> str:
    """The result for a file, in one line."""
    problems = "; ".join(one.problems[:3])
    if one.kept is None:
        return f"skipped: {problems}"
    told = f"{one.kept.resources} resources in {one.version}"
    if one.kept.left_out:
        told += f", {one.kept.left_out.total()} left out ({', '.join(sorted(one.kept.left_out))})"
    return f"{told}; {problems}" if problems else told
