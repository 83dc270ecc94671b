"""`quarantined_rows`: which providers sent rows of another patient, and discarding them before their time."""

from argparse import ArgumentParser
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections.models import Connection
from apps.directory.management import arguments, printing
from apps.records.syncing.received_rows import quarantining
from apps.records.syncing.received_rows.quarantining import QuarantinedRows

_ACTOR = Actor.system("quarantined_rows")


class Command(BaseCommand):
    """For whoever was told of such rows. Nothing of what they say is printed, and nobody is named."""

    help = (
        "List rows that named another patient than the one they were requested for, one sync run per line, the "
        "latest first: of which connection and provider, when they came, and how many of which type. They are "
        "encrypted, in nobody's record, and deleted after 30 days. With --discard, delete those of one "
        "connection now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which of them, and what to do with them."""
        parser.add_argument("--connection", metavar="ID", type=UUID, help="only rows of this connection")
        parser.add_argument(
            "--limit",
            metavar="N",
            type=arguments.whole_number,
            default=100,
            help="print at most so many lines (default: 100); 0 prints all",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")
        parser.add_argument("--discard", action="store_true", help="delete the rows of --connection")
        parser.add_argument("--dry-run", action="store_true", help="with --discard: only say how many would be deleted")

    def handle(self, *_args: Any, **options: Any) -> str | None:
        """A line for each run; or how many were deleted."""
        connection_id, found = options["connection"], quarantining.held(connection_id=options["connection"])
        if connection_id is not None and not Connection.objects.filter(pk=connection_id).exists():
            raise CommandError("There is no connection with this id.")
        if options["discard"]:
            if connection_id is None:
                raise CommandError("Say of which connection, with --connection.")
            if options["dry_run"]:
                return f"{_rows(sum(_kept(one) for one in found))} would be deleted."
            deleted = quarantining.discard(connection_id=connection_id, actor=_ACTOR, at=timezone.now())
            return f"{_rows(deleted)} deleted."
        printed = 0
        for one in islice(found, options["limit"] or None):
            self.stdout.write(printing.as_json(asdict(one)) if options["json"] else _line(one))
            printed += 1
        if not printed:
            self.stderr.write("There are no such rows.")
        return None


def _line(one: QuarantinedRows) -> str:
    types = ", ".join(f"{name} {number}" for name, number in one.types)
    kept = f" ({_kept(one)} of {one.sent} kept)" if one.sent > _kept(one) else ""
    return f"{one.connection_id}  {_moment(one.first_at)}  {one.provider}: {types}{kept}"


def _kept(one: QuarantinedRows) -> int:
    return sum(number for _name, number in one.types)


def _rows(number: int) -> str:
    return f"{number:,} row{pluralize(number)}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
