"""A provider of the real sandbox in the directory, our approved registration there, and Alice in one browser."""

import io
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Provider
from apps.wire import transport
from apps.wire.secret import Secret
from tests.connections.deployments import deploy, patient
from tests.faults import listening
from tests.faults.travelling import SITE, Place, Traveller
from tests.fixtures.consent import agree
from tests.fixtures.sandbox import Sandbox

__all__ = ["deploy", "patient"]  # fixtures of the sandbox's SMART deployments

PROVIDER = "Harbor Family Medicine"


@pytest.fixture
def place(db: None, sandbox: Sandbox, directory_file: Path, settings: Any) -> Place:
    """The provider in FHIR R4, and our registration: PKCE is sent, the secret is new for every test."""
    settings.SITE_ORIGIN = SITE
    call_command("import_endpoints", directory_file, stdout=io.StringIO())
    provider = Provider.objects.get(name=PROVIDER)
    endpoint = provider.endpoints.get(fhir_version="r4")
    assert endpoint.authorization_server is not None
    secret = f"secret-{secrets.token_hex(16)}"
    registration = _register(endpoint.authorization_server, secret)
    there = Place(provider, endpoint, registration, secret)
    there.register_there(sandbox, secret=secret)
    return there


@pytest.fixture
def traveller(place: Place, alice: Any) -> Traveller:
    """Alice, signed in, who has agreed to the notice in force."""
    agree(alice)
    return Traveller(alice)


@pytest.fixture
def heard() -> Iterator[listening.Heard]:
    """Whatever any logger says during the test, at the debug level."""
    with listening.to_everything() as heard:
        yield heard


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The total time of a call, shortened from ten seconds: some faults wait for its end."""
    defaults = transport.guard.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "total_seconds", 2.0)
    monkeypatch.setattr(transport, "TOTAL_SECONDS", 2.0)


def _register(server: AuthorizationServer, secret: str) -> ClientRegistration:
    now = timezone.now()
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label="ours",
        status="approved",
        client_id="holdfast-faults",
        authentication="query",
        versions_added=["r4"],
        uses_pkce=True,
        requests_per_minute=100_000,  # a whole record at the usual pace takes minutes
        approved_at=now,
        is_sandbox=True,
    )
    credentials.keep(registration, Secret(secret), at=now)
    return registration
