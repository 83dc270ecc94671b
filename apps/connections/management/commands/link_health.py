"""`link_health`: what lapses, what is late, what is broken, and who must act."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, ProgrammingError
from django.template.defaultfilters import pluralize
from django.utils import timezone
from psycopg.errors import UndefinedColumn, UndefinedTable

from apps.connections import clocks
from apps.connections.link_health import overview, words
from apps.connections.link_health.findings import Finding, Level, OfRegistration
from apps.connections.link_health.overview import LinkHealth
from apps.directory.management import printing

_HEAD = ("active", "sign in", "due", "waiting", "late", "lag", "end 12 h", "24 h", "renew 12 h", "24 h", "registration")

_NOT_MIGRATED = "Act now: the database lacks tables or columns of this release. Run manage.py migrate."


class Command(BaseCommand):
    """For operators each day, and for monitors each minute."""

    help = (
        "Show the state of links: what ends within 12 and 24 hours, what is due and late, what is broken, and "
        "who must act. Changes nothing. Exits with 0 if all is well, with 1 if somebody should look today, and "
        "with 2 if links end unless somebody acts now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How to print."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--quiet", action="store_true", help="print only the findings")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the findings, then a line for each registration."""
        try:
            at = clocks.now()
            found = overview.examine(at=at, off_by=timezone.now() - at)
        except (OperationalError, InterfaceError):
            raise CommandError("Act now: the database does not answer.", returncode=int(Level.ACT)) from None
        except ProgrammingError as error:
            if not isinstance(error.__cause__, (UndefinedTable, UndefinedColumn)):
                raise
            raise CommandError(_NOT_MIGRATED, returncode=int(Level.ACT)) from error
        if options["json"]:
            self.stdout.write(printing.as_json(_object(found)))
        else:
            for line in _lines(found, is_short=options["quiet"]):
                self.stdout.write(line)
        if found.level is not Level.WELL:
            raise CommandError(f"{words.LEVELS[found.level]}.", returncode=int(found.level))


def _lines(found: LinkHealth, *, is_short: bool) -> Iterator[str]:
    yield f"{words.LEVELS[found.level]}. Links at {_moment(found.at)}{':' if found.findings else '.'}"
    for finding in found.findings:
        yield from _finding(finding)
    if is_short:
        return
    yield ""
    rows = [_row(one, at=found.at) for one in found.registrations]
    yield from _table([_HEAD, *rows]) if rows else ["There are no links."]
    yield ""
    since = f", the oldest since {_moment(found.oldest_revocation_at)}" if found.oldest_revocation_at else ""
    yield f"Permissions whose end a provider has yet to confirm: {found.revocations}{since}"
    until = f" Until {_moment(found.certificate_ends_at)}." if found.certificate_ends_at else ""
    yield f"The certificate of our own site: {words.OUTLOOKS[found.certificate]}{until}"


def _finding(finding: Finding) -> Iterator[str]:
    """What it is, about what and for how many links; then what to do, and who must do it."""
    details = [
        *([finding.about] if finding.about else []),
        *([f"{finding.links:,} link{pluralize(finding.links)}"] if finding.links else []),
        *([finding.code] if finding.code else []),
        *([f"since {_moment(finding.since_at)}"] if finding.since_at else []),
    ]
    yield f"[{finding.level.name}] {finding.what}: {', '.join(details)}"
    yield f"    {words.sentence(finding)} ({words.WHO[finding.who]})"


def _row(one: OfRegistration, *, at: datetime) -> Sequence[str]:
    lapsing, lag = one.lapsing, one.lag
    numbers = (
        one.standings.active, one.standings.living - one.standings.active, lag.due, lag.waiting, lag.overdue,
        _duration(lag.lag_seconds(at=at)), lapsing.ending_in_12_hours, lapsing.ending_in_24_hours,
        lapsing.refreshing_in_12_hours, lapsing.refreshing_in_24_hours,
    )  # fmt: skip
    off = "not understood" if one.registration.is_switched_on else "switched off"
    held = (one.registration.trouble or off) if one.is_held else ""
    return (*(str(number) for number in numbers), f"{one.registration}{f' ({held})' if held else ''}")


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Numbers are aligned right; the name, of any length, comes last."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    for row in rows:
        yield "  ".join([*(text.rjust(width) for text, width in zip(row, widths, strict=False)), row[-1]])


def _object(found: LinkHealth) -> dict[str, Any]:
    return {
        "at": found.at,
        "level": found.level.name.lower(),
        "exit_code": int(found.level),
        "lag_seconds": round(found.lag_seconds),
        "findings": [{**asdict(one), "level": one.level.name.lower()} for one in found.findings],
        "registrations": [_of_registration(one, at=found.at) for one in found.registrations],
        "revocations": {"waiting": found.revocations, "oldest_at": found.oldest_revocation_at},
        "site_certificate": {"outlook": found.certificate, "ends_at": found.certificate_ends_at},
    }


def _of_registration(one: OfRegistration, *, at: datetime) -> dict[str, Any]:
    return {
        "id": one.registration.pk,
        "label": str(one.registration),
        "is_switched_on": one.registration.is_switched_on,
        "trouble": one.registration.trouble,
        "by_status": one.standings.by_status,
        "by_reason": one.standings.by_reason,
        **asdict(one.lapsing),
        **asdict(one.lag),
        "lag_seconds": round(one.lag.lag_seconds(at=at)),
    }


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _duration(seconds: float) -> str:
    """Such as 3:05 h; "-" if nothing is late."""
    minutes = int(seconds // 60)
    return f"{minutes // 60}:{minutes % 60:02} h" if minutes else "-"
