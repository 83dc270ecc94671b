"""`check_endpoints`: check whether endpoints are well, and what changed there."""

import json
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory.import_waits import StillImporting
from apps.directory.management import arguments, naming
from apps.directory.models import Endpoint, EndpointCheck
from apps.directory.monitoring import checking, comparing

_ACTOR = Actor.system("check_endpoints")


class Command(BaseCommand):
    """Run it after an import, before registering somewhere, and whenever a provider says that something changed."""

    help = (
        "Check endpoints: their capability statement, where their people sign in, and their certificates. Prints "
        "one line for each endpoint, and a summary. Exits with 1 if one is ill. Endpoints that patients rely on "
        "are checked once a day without this command."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which endpoints, and how to print."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("url", nargs="?", metavar="URL", help="one FHIR base URL, or the whole name of a provider")
        which.add_argument("--stale", action="store_true", help="endpoints that were never checked, or not for a day")
        which.add_argument("--all", action="store_true", help="every endpoint that its list still has")
        which.add_argument(
            "--sample", type=arguments.whole_number, metavar="N", help="so many endpoints, drawn at random"
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object per line, and the summary on standard error"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """One line for each endpoint, then a summary."""
        outcomes: Counter[str] = Counter()
        for endpoint in _chosen(options).iterator(chunk_size=500):
            try:
                made = checking.check(endpoint, at=timezone.now(), actor=_ACTOR)
            except StillImporting:
                self.stderr.write(f"not checked, as a list is being imported: {endpoint.fhir_base_url}")
                continue
            self.stdout.write(_object(endpoint, made) if options["json"] else _line(endpoint, made))
            outcomes[made.outcome] += 1
        (self.stderr if options["json"] else self.stdout).write(_summary(outcomes, is_of_stale=options["stale"]))
        if outcomes[EndpointCheck.Outcome.ILL]:
            raise CommandError("Some endpoints are ill.", returncode=1)


def _chosen(options: dict[str, Any]) -> "QuerySet[Endpoint]":
    if options["url"] is not None:
        return naming.endpoints(options["url"])
    rows = checking.checkable()
    if options["sample"] is not None:
        return rows.order_by("?")[: options["sample"]]
    if options["stale"]:
        rows = checking.due(rows, at=timezone.now())
    return rows.order_by("fhir_base_url")


def _summary(outcomes: Counter[str], *, is_of_stale: bool) -> str:
    if is_of_stale and not outcomes:
        return "Nothing is stale, and nobody was asked. --all checks every one."
    well, ill, unsure = (outcomes[outcome.value] for outcome in EndpointCheck.Outcome)
    to_ask = f", {unsure} to ask again" if unsure else ""
    return f"{outcomes.total()} checked: {well} well, {ill} ill{to_ask}"


def _line(endpoint: Endpoint, made: EndpointCheck) -> str:
    """Such as "well https://… Millennium 2024; certificate until 2027-01-05"."""
    until = made.certificate_ends_at
    notes = [
        *(str(sentence) for sentence in made.findings),
        *(comparing.words(change) for change in made.changes),
        *([made.software] if made.software else []),
        *([f"certificate until {until:%Y-%m-%d}"] if until else []),
    ]
    return f"{made.outcome} {endpoint.fhir_base_url} {'; '.join(notes)}".rstrip()


def _object(endpoint: Endpoint, made: EndpointCheck) -> str:
    return json.dumps(
        {
            "endpoint": endpoint.fhir_base_url,
            "outcome": made.outcome,
            "faults": made.faults,
            "warnings": made.warnings,
            "fhir_version": made.fhir_version,
            "software": made.software,
            "types": made.types,
            "certificate_ends_at": made.certificate_ends_at and made.certificate_ends_at.isoformat(),
            "changes": made.changes,
        }
    )
