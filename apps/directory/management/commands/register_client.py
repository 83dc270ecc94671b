"""`register_client`: our standing at an authorization server, from the first request to approval, by command."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import registering
from apps.directory.models import AuthorizationServer, ClientRegistration
from apps.wire.dialects import DIALECTS, FhirVersion, Interface
from apps.wire.secret import Secret


class Command(BaseCommand):
    """Run it once to learn the redirect URI, and again with what the developer portal gave."""

    help = (
        "Prepare a client registration and print its redirect URI, one JSON object a line. With --client-id, read the "
        "secret from standard input and keep both; --approve and --versions say what the developer portal decided."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which servers, and what to change there."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--authorization-server", metavar="URL", help="its authorize address, as in the directory")
        which.add_argument("--all-sandbox", action="store_true", help="every authorization server of the sandbox")
        parser.add_argument("--client-id", help="the client id; its secret is read from standard input")
        parser.add_argument("--approve", action="store_true", help="the developer portal approved the application")
        parser.add_argument("--versions", default="", help="FHIR versions added there, such as dstu2,r4")

    def handle(self, *_args: Any, **options: Any) -> None:
        """One line for each registration."""
        servers = _servers(options["authorization_server"])
        versions = _versions(options["versions"])
        secret = _secret(sys.stdin.readline()) if options["client_id"] else None
        for server in servers:
            registration = self._register(server, options["client_id"], secret, versions, approve=options["approve"])
            self.stdout.write(json.dumps(_line(server, registration)))

    def _register(
        self,
        server: AuthorizationServer,
        client_id: str | None,
        secret: Secret | None,
        versions: frozenset[FhirVersion],
        *,
        approve: bool,
    ) -> ClientRegistration:
        actor, at = Actor.system("register_client"), timezone.now()
        endpoint = server.endpoints.first()
        dialect = DIALECTS[endpoint.dialect if endpoint else Interface.PATIENT_ACCESS]
        registration = registering.request(server, dialect=dialect, actor=actor, at=at)
        if client_id:
            registering.store_credentials(registration, client_id=client_id, secret=secret, actor=actor, at=at)
        if versions:
            registering.set_versions(registration, versions, actor=actor, at=at)
        if approve:
            registering.approve(registration, actor=actor, at=at)
        return registration


def _line(server: AuthorizationServer, registration: ClientRegistration) -> dict[str, object]:
    return {
        "authorization_server": server.authorize_url,
        "redirect_uri": registering.redirect_uri(registration),
        "fhir_versions": sorted(set(server.endpoints.values_list("fhir_version", flat=True))),
        "status": registration.status,
    }


def _servers(authorize_url: str | None) -> list[AuthorizationServer]:
    rows = AuthorizationServer.objects.order_by("authorize_url", "pk")
    found = list(rows.filter(authorize_url=authorize_url) if authorize_url else rows.filter(is_sandbox=True))
    if not found:
        raise CommandError("The directory has no such authorization server: import its endpoints first.")
    return found


def _versions(given: str) -> frozenset[FhirVersion]:
    try:
        return frozenset(FhirVersion(version.strip()) for version in given.split(",") if version.strip())
    except ValueError:
        raise CommandError("A version is dstu2 or r4.") from None


def _secret(line: str) -> Secret | None:
    value = line.rstrip("\r\n")
    return Secret(value) if value else None
