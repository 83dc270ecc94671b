"""`discover_endpoints`: discover where SMART deployments' patients sign in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import discovering
from apps.directory.import_waits import StillImporting
from apps.directory.management import naming
from apps.directory.models import Endpoint
from apps.wire.dialects import Interface
from apps.wire.errors import WireError

_ACTOR = Actor.system("discover_endpoints")


class Command(BaseCommand):
    """Run it after an import, and whenever an endpoint should be discovered again."""

    help = (
        "Ask endpoints of SMART deployments for their SMART configuration and capability statement, and store "
        "the addresses. Prints one line for each endpoint. Exits with 1 if one could not be discovered."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which endpoints."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("url", nargs="?", metavar="URL", help="one FHIR base URL, or the whole name of a provider")
        which.add_argument("--stale", action="store_true", help="endpoints that were never asked, or not for a day")
        which.add_argument("--all", action="store_true", help="every endpoint of a SMART deployment")

    def handle(self, *_args: Any, **options: Any) -> None:
        """One line for each endpoint, then a summary."""
        found = failed = 0
        for endpoint in _endpoints(options["url"]).iterator(chunk_size=500):
            if options["stale"] and not discovering.is_stale(endpoint, at=timezone.now()):
                continue
            is_found = self._discover(endpoint)
            found, failed = found + is_found, failed + (not is_found)
        self.stdout.write(f"{found} discovered, {failed} failed" if found or failed else _of_none(options))
        if failed:
            raise CommandError("Some endpoints could not be discovered.", returncode=1)

    def _discover(self, endpoint: Endpoint) -> bool:
        try:
            server = discovering.discover(endpoint, at=timezone.now(), actor=_ACTOR)
        except WireError as error:
            self.stderr.write(f"failed {endpoint.fhir_base_url}: {error} ({error.code.value})")
            return False
        except StillImporting:
            self.stderr.write(f"failed {endpoint.fhir_base_url}: a list is being imported; try again after that")
            return False
        notes = f" ({'; '.join(endpoint.disagreements)})" if endpoint.disagreements else ""
        self.stdout.write(f"discovered {endpoint.fhir_base_url}: {server.authorize_url}{notes}")
        return True


def _of_none(options: dict[str, Any]) -> str:
    """There was nothing to do, which is no error."""
    if options["stale"] and _endpoints(None).exists():
        return "Nothing is stale, and nobody was asked. --all asks every one."
    return "The directory has no endpoint of a SMART deployment."


def _endpoints(url: str | None) -> QuerySet[Endpoint]:
    rows = Endpoint.objects.filter(interface=Interface.SMART).order_by("fhir_base_url")
    if url is None:
        return rows.filter(vanished_at__isnull=True)
    return naming.endpoints(url, among=rows)
