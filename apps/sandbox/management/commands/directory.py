"""`directory`: the sandbox's directory file."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from apps.sandbox.practice import listing


class Command(BaseCommand):
    """Prints the directory, or writes it to a file."""

    help = "Write the sandbox's practices as a holdfast-directory/1 file, for the product to import."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", type=Path, help="the file to write (default: standard output)")
        parser.add_argument(
            "--origin", default=settings.SANDBOX_ORIGIN, help="the origin under which the sandbox is reached"
        )

    def handle(self, *, output: Path | None, origin: str, **options: Any) -> None:  # noqa: ARG002
        text = json.dumps(listing.directory(origin.rstrip("/")), indent=2, ensure_ascii=False)
        if output is None:
            self.stdout.write(text)
        else:
            output.write_text(text + "\n", encoding="utf-8")
