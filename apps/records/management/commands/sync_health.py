"""`sync_health`: over which copies workers die, what was given up for it, and whether anybody takes up what waits."""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.directory.management import printing
from apps.records.syncing import sync_health
from apps.records.syncing.sync_health import SyncHealth


class Command(BaseCommand):
    """For whoever looks each day, and for monitors each minute. All of it is for whoever runs this installation."""

    help = (
        "Show the state of copies: those over which workers die, what was given up for that reason in the last "
        "two days, and whether runs wait without being taken up. Changes nothing. Exits with 0 if all is well, "
        "and with 1 if somebody should look today."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How to print."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        """A line for each finding."""
        found = sync_health.examine(at=timezone.now())
        if options["json"]:
            self.stdout.write(printing.as_json({**asdict(found), "is_well": found.is_well}))
        else:
            for line in _lines(found):
                self.stdout.write(line)
        if not found.is_well:
            raise CommandError("Somebody should look today.", returncode=1)


def _lines(found: SyncHealth) -> Iterator[str]:
    for run_id, times in found.dying:
        said = f"{times} time{pluralize(times)}"
        yield f"workers_die: run {run_id}: {said}. Look at memory and at the log of the worker. (us)"
    for run_id, resource_type in found.given_up:
        yield f"step_given_up: run {run_id}, {resource_type}: workers died over it. (us)"
    for run_id, connection_id in found.unshelved:
        yield f"shelves_not_built: run {run_id}, connection {connection_id}: workers died over them. (us)"
    if found.waiting:
        since = f"{found.waiting_since_at:%Y-%m-%d %H:%M} UTC"
        yield f"runs_waiting: {found.waiting}, the oldest since {since}. Do beat and a worker for syncs run? (us)"
    for connection_id in found.stuck_shelves:
        yield f"shelves_not_renewed: connection {connection_id}: still as an earlier release built them. (us)"
    if found.old_shelves:
        more = " or more" if found.old_shelves == sync_health.MOST_COUNTED else ""
        shelves = pluralize(found.old_shelves, "shelf,shelves")
        are = pluralize(found.old_shelves, "is,are")
        yield f"{found.old_shelves:,}{more} {shelves} of an earlier release {are} still to be built anew."
    if found.is_well:
        yield "All is well with copies."
