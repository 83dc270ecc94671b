"""The sandbox's SMART deployments as places to link to: imported, discovered, and registered at for one test."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.accounts import consenting, notices
from apps.audit.recording import Actor
from apps.directory import credentials, discovering, registering, signing
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.dialects import DIALECTS
from apps.wire.secret import Secret
from tests.faults.travelling import SITE, Place, Traveller
from tests.fixtures.sandbox import Sandbox

WILLOW_CREEK = "Willow Creek Family Medicine"
RIVERSIDE = "Riverside University Hospital"
NOBODY = Actor.system("tests")


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
    application go into `application`; its switches or scenario are chosen before anything is discovered, `path` follows
    the root."""
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
        application: dict[str, Any] | None = None,
        **columns: Any,
    ) -> Deployment:
        if scenario:
            sandbox.post("/control/scenarios", name=scenario)
        if switches:
            sandbox.post("/control/switches", **switches)
        row = Provider.objects.get(name=provider)
        endpoint = row.endpoints.get(fhir_version=version, interface="smart")
        if path:
            endpoint.fhir_base_url += path
            endpoint.save(update_fields=["fhir_base_url"])
        server = discovering.discover(endpoint, at=timezone.now())
        registration = _registration(server, endpoint, authentication, columns)
        made = sandbox.post(
            "/control/smart-applications",
            name="Holdfast",
            redirect_uris=[registering.redirect_uri(registration)],
            launch_url=registering.launch_url(registration),
            client_id=registration.client_id,
            authentication=authentication,
            smart_version=registration.smart_version,
            **_proof(registration),
            **(application or {}),
        )
        allowed = list(dict.fromkeys([*server.id_token_issuers, *made["id_token_issuers"]]))
        AuthorizationServer.objects.filter(pk=server.pk).update(id_token_issuers=allowed)
        secret = made.get("client_secret") or ""
        if secret:
            credentials.keep(registration, Secret(secret), at=timezone.now())
        sandbox.delete("/control/requests")
        endpoint.refresh_from_db()
        return Deployment(row, endpoint, registration, secret, sandbox)

    return make


@pytest.fixture
def patient(alice: Any) -> Traveller:
    """Alice, signed in, who has agreed to the notice in force."""
    consenting.agree(
        alice, notice_version=notices.current_notice().version, declaration="adult", language="en", at=timezone.now()
    )
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
