"""`system_token`: check whether we have system access at an endpoint, and for what."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import system_access
from apps.directory.management import naming
from apps.directory.models import Endpoint
from apps.directory.system_access import NoSystemAccess
from apps.wire.errors import Code, RequestRefused, WireError

_ACTOR = Actor.system("system_token")


class Command(BaseCommand):
    """Run it after a system account was approved, and whenever its secret or key was replaced."""

    help = (
        "Show how we would ask for a system access token at an endpoint: where, under which client id, and with "
        "which authentication. With --check, ask for one, throw it away, and print which scopes were granted and "
        "until when it would have been valid. The token itself is never printed. Exits with 1 if there is no "
        "access."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where, and for what."""
        parser.add_argument(
            "--endpoint",
            required=True,
            metavar="URL",
            help="the endpoint: its FHIR base URL, or the whole name of its provider",
        )
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="SCOPE",
            help="a scope to ask for, such as system/Patient.read; may be repeated",
        )
        parser.add_argument("--check", action="store_true", help="ask for a token; without this option nothing is sent")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print three lines about the request, and two about the result."""
        endpoint = naming.endpoint(options["endpoint"])
        scopes = tuple(options["scope"]) or system_access.smallest_scopes(endpoint)
        try:
            self._describe(system_access.way(endpoint, at=timezone.now()), scopes)
            if options["check"]:
                self._check(endpoint, scopes)
        except NoSystemAccess as missing:
            raise CommandError(f"no system access: {missing}") from None
        except WireError as refused:
            if refused.code is Code.INVALID_SCOPE and isinstance(refused, RequestRefused) and refused.status is None:
                raise CommandError("not asked: a scope of a system is written like system/Patient.read") from None
            told = "" if refused.code is Code.UNRECOGNIZED else f" ({refused.code.value})"
            raise CommandError(f"refused{told}: {refused}") from None

    def _describe(self, way: system_access.Way, scopes: tuple[str, ...]) -> None:
        self.stdout.write(f"asks {way.token_url}")
        self.stdout.write(f"as {way.client_id}, by {way.authentication}")
        self.stdout.write(f"for {' '.join(scopes)}")

    def _check(self, endpoint: Endpoint, scopes: tuple[str, ...]) -> None:
        granted = system_access.check(endpoint, scopes=scopes, actor=_ACTOR, at=timezone.now())
        self.stdout.write(f"granted {' '.join(granted.scope)}")
        self.stdout.write(f"until {granted.expires_at:%Y-%m-%d %H:%M:%S} UTC")
