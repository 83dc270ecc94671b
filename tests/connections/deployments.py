"""The sandbox's SMART deployments, imported, discovered, and with a registration for one test."""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import credentials, discovering, registering, signing
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.dialects import DIALECTS
from apps.wire.secret import Secret
from tests.faults.travelling import SITE, Place, Traveller
from tests.fixtures.consent import agree
from tests.fixtures.sandbox import Sandbox

WILLOW_CREEK = "Willow Creek Family Medicine"
RIVERSIDE = "Riverside University Hospital"
HOSTILE = "Wolf Creek Family Medicine"
NOBODY = Actor.system("tests")

PlaceInDirectory = tuple[Provider, Endpoint]


@dataclass
class Deployment(Place):
    """One endpoint of interface B, and our registration there."""

    sandbox: Sandbox = field(default_factory=lambda: Sandbox(""))

    def sent(self, *, to: str, method: str = "POST") -> list[dict[str, Any]]:
        """The requests the sandbox got below this part of an address, word for word."""
        found = self.sandbox.get(f"/control/requests?method={method}")["requests"]
        return [request for request in found if to in request["path"]]

    def set(self, **columns: Any) -> None:
        """Change our registration."""
        ClientRegistration.objects.filter(pk=self.registration.pk).update(**columns)
        self.registration.refresh_from_db()


@pytest.fixture
def deploy(db: None, sandbox: Sandbox, directory_file: Path, settings: Any) -> Callable[..., Deployment]:
    """Makes an endpoint ready to link: `deploy(version="dstu2", authentication="none")`. Fields of the sandbox's own
    application go into `application`, None to leave one out; its switches or scenario are chosen before anything is
    discovered, `path` follows the root."""
    settings.SITE_ORIGIN = SITE
    call_command("import_endpoints", directory_file, verbosity=0)

    def make(
        *,
        provider: str = WILLOW_CREEK,
        version: str = "r4",
        authentication: str = "client_secret_basic",
        switches: dict[str, str] | None = None,
        scenario: str = "",
        path: str = "",
        at: Sandbox = sandbox,
        application: dict[str, Any] | None = None,
        **columns: Any,
    ) -> Deployment:
        if scenario:
            at.post("/control/scenarios", name=scenario)
        if switches:
            at.post("/control/switches", **switches)
        row, endpoint = place_at(at, provider=provider, version=version, path=path)
        server = discovering.discover(endpoint, at=timezone.now())
        registration = _registration(server, endpoint, authentication, columns)
        fields: dict[str, Any] = {
            "name": "Holdfast",
            "redirect_uris": [registering.redirect_uri(registration)],
            "launch_url": registering.launch_url(registration),
            "client_id": registration.client_id,
            "authentication": authentication,
            "smart_version": registration.smart_version,
            **_proof(registration),
            **(application or {}),
        }
        made = at.post(
            "/control/smart-applications", **{name: value for name, value in fields.items() if value is not None}
        )
        allowed = list(dict.fromkeys([*server.id_token_issuers, *made["id_token_issuers"]]))
        AuthorizationServer.objects.filter(pk=server.pk).update(id_token_issuers=allowed)
        secret = made.get("client_secret") or ""
        if secret:
            credentials.keep(registration, Secret(secret), at=timezone.now())
        at.delete("/control/requests")
        endpoint.refresh_from_db()
        return Deployment(row, endpoint, registration, secret, at)

    return make


def place_at(at: Sandbox, *, provider: str = WILLOW_CREEK, version: str = "r4", path: str = "") -> PlaceInDirectory:
    """The provider and its endpoint of interface B at this sandbox: a second one stands for a hostile provider, whose
    directory says what it likes."""
    row = Provider.objects.get(name=provider)
    endpoint = row.endpoints.get(fhir_version=version, interface="smart")
    if not endpoint.fhir_base_url.startswith(at.origin):
        _scheme, _, below = endpoint.fhir_base_url.partition("://")
        row = Provider.objects.create(
            directory="hostile", directory_id=at.origin, name=HOSTILE, is_sandbox=True, imported_at=timezone.now()
        )
        endpoint.pk, endpoint.authorization_server = uuid.uuid4(), None
        endpoint.discovered_at, endpoint.discovery_tried_at, endpoint._state.adding = None, None, True
        endpoint.fhir_base_url = f"{at.origin}/{below.partition('/')[2]}"
        endpoint.save(force_insert=True)
        endpoint.providers.add(row)
    endpoint.fhir_base_url += path
    endpoint.save(update_fields=["fhir_base_url"])
    return row, endpoint


@pytest.fixture
def patient(alice: Any) -> Traveller:
    """Alice, signed in, who has agreed to the notice in force."""
    agree(alice)
    return Traveller(alice)


def _registration(
    server: AuthorizationServer, endpoint: Endpoint, authentication: str, columns: dict[str, Any]
) -> ClientRegistration:
    at = timezone.now()
    registration = registering.request(server, dialect=DIALECTS[endpoint.dialect], actor=NOBODY, at=at)
    chosen = {
        "status": "approved",
        "client_id": f"holdfast-{secrets.token_hex(8)}",
        "authentication": authentication,
        "versions_added": ["dstu2", "r4"],
        "requests_per_minute": 100_000,  # a whole record at the usual pace takes minutes
        **columns,
    }
    if authentication == "private_key_jwt":
        chosen["signing_key"] = signing.make(actor=NOBODY, at=at)
    for name, value in chosen.items():
        setattr(registration, name, value)
    registration.save()
    return registration


def _proof(registration: ClientRegistration) -> dict[str, Any]:
    if registration.signing_key is not None:
        return {"jwks": {"keys": [registration.signing_key.public_jwk]}}
    return {} if registration.authentication == "none" else {"client_secret": f"secret-{secrets.token_hex(16)}"}
