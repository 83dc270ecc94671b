"""A SMART deployment for tests of the directory: a FHIR server on loopback that answers what it is told to."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from apps.directory import discovering, linkability
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from tests.wire.servers import Recorded, http

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
LOGIN = "https://login.example/tenants/one"
CONFIGURATION: dict[str, Any] = {
    "authorization_endpoint": f"{LOGIN}/authorize",
    "token_endpoint": f"{LOGIN}/token",
    "revocation_endpoint": f"{LOGIN}/token/revoke",
    "management_endpoint": f"{LOGIN}/my-authorizations",
    "introspection_endpoint": "https://login.example/tokeninfo",
    "jwks_uri": "https://login.example/jwk",
    "issuer": LOGIN,
    "code_challenge_methods_supported": ["S256"],
    "capabilities": ["permission-v2", "launch-standalone"],
    "scopes_supported": ["openid", "patient/Goal.rs"],
    "authorization_response_iss_parameter_supported": True,
}


def statement(**addresses: str) -> dict[str, Any]:
    """A CapabilityStatement with the oauth-uris extension."""
    inner = [{"url": name, "valueUri": url} for name, url in addresses.items()]
    extension = {"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris", "extension": inner}
    rest = [{"mode": "server", "security": {"extension": [extension]}}]
    return {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": rest}


@dataclass
class FhirRoot:
    """A FHIR server that says of itself what the test wants, and the endpoint that stands for it."""

    url: str = ""
    configuration: dict[str, Any] | int = field(default_factory=lambda: dict(CONFIGURATION))
    metadata: dict[str, Any] | int = 404
    endpoint: Endpoint = field(default_factory=Endpoint)

    def answer(self, request: Recorded) -> list[bytes]:
        document = self.configuration if request.path.endswith("smart-configuration") else self.metadata
        return [http(document) if isinstance(document, int) else http(200, document)]

    def says(self, **members: Any) -> None:
        assert isinstance(self.configuration, dict)
        self.configuration |= members

    def discover(self, at=AT) -> AuthorizationServer:
        return discovering.discover(self.endpoint, at=at)

    def obstacle(self) -> Obstacle | None:
        return linkability.obstacle(Endpoint.objects.get(pk=self.endpoint.pk), at=AT)


def register(server: AuthorizationServer) -> ClientRegistration:
    """Our approved registration there, for a public client."""
    return ClientRegistration.objects.create(
        authorization_server=server,
        label="ours",
        status="approved",
        client_id="holdfast",
        authentication="none",
        versions_added=["r4"],
        is_sandbox=server.is_sandbox,
    )
