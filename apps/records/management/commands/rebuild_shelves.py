"""Build the shelves anew from the records."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import shelving
from apps.records.models import Record
from apps.vault.errors import Shredded, VaultError


class Command(BaseCommand):
    """One line for each connection that fails, or some of whose records do not open, then a summary."""

    help = (
        "Rebuild what pages show from the stored records. The schedule already rebuilds, a few connections a "
        "minute, what an earlier release built; use this command if that is too slow. It can run while the site "
        "is up, and be repeated at any time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One connection, or all of them."""
        parser.add_argument("--connection", metavar="ID", type=UUID, help="only this connection")
        parser.add_argument("--dry-run", action="store_true", help="only say how many connections would be rebuilt")

    def handle(self, *_args: Any, **options: Any) -> str:
        """Rebuild, and fail where any connection failed, or has records that do not open."""
        has_records = Exists(Record.objects.filter(connection=OuterRef("pk")))
        connections = Connection.objects.filter(has_records).order_by("pk")
        if options["connection"]:
            if not Connection.objects.filter(pk=options["connection"]).exists():
                raise CommandError("There is no connection with this id.")
            connections = connections.filter(pk=options["connection"])
        if options["dry_run"]:
            number = connections.count()
            return f"{_connections(number)} {pluralize(number, 'has,have')} records."
        failed = [str(connection.pk) for connection in connections.iterator() if not self._is_rebuilt(connection)]
        if failed:
            raise CommandError(f"{_connections(len(failed))} failed.")
        return f"{_connections(connections.count())} rebuilt."

    def _is_rebuilt(self, connection: Connection) -> bool:
        """Also where nothing is left to rebuild, because the connection ended or its account was closed meanwhile."""
        unopened = 0
        try:
            with transaction.atomic():
                if Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk).first():
                    unopened = shelving.rebuild_all(connection, at=timezone.now()).unopened
        except Shredded:
            return True
        except VaultError as error:
            self.stderr.write(f"{connection.pk}: {error}")
            return False
        if unopened:
            do = f"record{pluralize(unopened)} {pluralize(unopened, 'does,do')}"
            self.stderr.write(f"{connection.pk}: {unopened:,} {do} not open; the others are on the shelves.")
        return not unopened


def _connections(number: int) -> str:
    return f"{number:,} connection{pluralize(number)}"
