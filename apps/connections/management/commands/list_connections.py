"""`list_connections`: list links, to investigate one or many."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.utils import timezone

from apps.connections.link_health import listing
from apps.connections.link_health.listing import Listed, Wanted
from apps.connections.models import Connection
from apps.connections.reasons import Reason
from apps.directory.management import arguments, naming, printing

_COLUMNS = "{:36}  {:21}  {:15}  {:16}  {:16}  {:16}  {:16}  {}"
_HEAD = ("connection", "status", "reason", "ends", "renewed from", "waits until", "last checked", "provider")


class Command(BaseCommand):
    """Prints no names, addresses or health data. Only the JSON has the user's id."""

    help = (
        "List links, one per line, ordered by id. If the limit is reached, the last line says how to continue. "
        "Times are UTC. --json also has times to the second, the user's id and the registration."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which links, and how to print them."""
        parser.add_argument(
            "--registration", metavar="NAME", help="only links of this client registration, by label or id"
        )
        parser.add_argument("--provider", metavar="NAME", help="only links to this provider, by whole name or id")
        parser.add_argument("--user", metavar="ID", type=UUID, help="only links of this user, by id")
        parser.add_argument("--status", choices=Connection.Status.values)
        parser.add_argument("--reason", choices=Reason.values, help="only links that need a sign-in for this reason")
        parser.add_argument(
            "--lapsing-within",
            metavar="HOURS",
            type=arguments.whole_number,
            help="only links whose permission ends within so many hours unless it is refreshed",
        )
        parser.add_argument("--after", metavar="ID", type=UUID, help="start after this connection")
        parser.add_argument(
            "--limit",
            metavar="N",
            type=arguments.whole_number,
            default=100,
            help="print at most so many (default: 100); 0 prints all",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Printed as they come from the database."""
        wanted = Wanted(
            registration_id=_found(naming.registration_id, options["registration"]),
            provider_id=_found(naming.provider_id, options["provider"]),
            user_id=options["user"],
            status=options["status"],
            reason=options["reason"],
            lapsing_within_hours=options["lapsing_within"],
            after=options["after"],
        )
        limit = options["limit"]
        printed, last = 0, ""
        for one in listing.listed(wanted, at=timezone.now(), most=limit or None):
            if not printed and not options["json"]:
                self.stdout.write(_COLUMNS.format(*_HEAD))
            self.stdout.write(printing.as_json(asdict(one)) if options["json"] else _line(one))
            printed, last = printed + 1, str(one.id)
        if printed and printed == limit:
            self.stderr.write(f"There may be more: go on with --after {last}")
        if not printed:
            self.stderr.write("There are no links." if wanted == Wanted() else "No link is like that.")


def _line(one: Listed) -> str:
    moments = (one.ends_at, one.due_at, one.waits_until, one.last_checked_at)
    return _COLUMNS.format(
        str(one.id), one.status, one.reason or "-", *(_moment(moment) for moment in moments), one.provider
    )


def _found(find: Callable[[str], UUID], given: str | None) -> UUID | None:
    return None if given is None else find(given)


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "-"
