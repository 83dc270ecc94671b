"""`import_endpoints FILE`: load or refresh a directory of providers."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import importing, reading


class Command(BaseCommand):
    """Run it after a provider list changed; running it twice changes nothing more."""

    help = (
        "Load providers and endpoints from a file of the format holdfast-directory/1. Safe to repeat: rows are "
        "recognized and updated, rows no longer in the file are marked vanished. Ends with 1 if a row was refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and nothing else."""
        parser.add_argument("file", type=Path, help="the directory file")

    def handle(self, *_args: Any, **options: Any) -> None:
        """One line for each refused row, then a summary."""
        path: Path = options["file"]
        try:
            directory = reading.read(path.read_bytes(), name=path.stem)
        except OSError as error:
            raise CommandError(f"{path.name} cannot be read: {error.strerror}") from None
        except reading.NotADirectory:
            raise CommandError(f"{path.name} is not JSON of the format {reading.FORMAT}.") from None
        report = importing.import_directory(directory, actor=Actor.system("import_endpoints"), at=timezone.now())
        for refusal in report.refusals:
            self.stderr.write(f"refused {refusal.where}: {refusal.reason}")
        for url in report.waiting:
            self.stderr.write(f"switched off until staff switch it on: {url}")
        summary = f"{report.providers} providers, {report.endpoints} endpoints, {report.vanished} vanished"
        self.stdout.write(f"{summary}, {len(report.refusals)} refused")
        if report.refusals:
            raise CommandError("Some rows were refused.", returncode=1)
