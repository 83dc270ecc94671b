"""Rows of a directory: one provider with one endpoint of interface A, and our approved registration there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from config import env
from tests.directory.smart_deployment import AT, FhirRoot
from tests.wire.servers import serving

__all__ = ["AT"]


@pytest.fixture
def fhir_examples() -> Path:
    """The folder of example data by others."""
    folder = env.fhir_examples()
    if folder is None:
        pytest.skip("FHIR_EXAMPLES names no folder of example data")
    return folder


@pytest.fixture
def make_provider(db: None) -> Callable[..., Provider]:
    def make(name: str, **columns: Any) -> Provider:
        return Provider.objects.create(directory="tests", directory_id=name, name=name, imported_at=AT, **columns)

    return make


@pytest.fixture
def make_endpoint(db: None) -> Callable[..., Endpoint]:
    """An endpoint that can be linked; `registration` changes our standing, None leaves us without one."""

    def make(
        provider: Provider,
        *,
        host: str = "fhir.example.org",
        version: str = "r4",
        registration: dict[str, Any] | None = {},  # noqa: B006 - only read
        is_sandbox: bool = False,
        **columns: Any,
    ) -> Endpoint:
        server = AuthorizationServer.objects.create(
            source="configured",
            authorize_url=f"https://{host}/{version}/authorize",
            token_url=f"https://{host}/{version}/token",
            found_at=AT,
            is_sandbox=is_sandbox,
        )
        if registration is not None:
            row = ClientRegistration.objects.create(
                authorization_server=server,
                **{
                    "label": "ours",
                    "status": "approved",
                    "client_id": "holdfast",
                    "authentication": "query",
                    "versions_added": [version],
                    "is_sandbox": is_sandbox,
                    **registration,
                },
            )
            credentials.keep(row, Secret("canary-secret"), at=AT)
        endpoint = Endpoint.objects.create(
            **{
                "fhir_base_url": f"https://{host}/fhir/{version}",
                "fhir_version": version,
                "interface": "patient-access",
                "dialect": "patient-access",
                "authorization_server": server,
                "imported_at": AT,
                "is_sandbox": is_sandbox,
                **columns,
            }
        )
        endpoint.providers.add(provider)
        return endpoint

    return make


@pytest.fixture
def endpoint(make_provider: Callable[..., Provider], make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    return make_endpoint(make_provider("Harbor"))


@pytest.fixture
def make_root(db: None) -> Iterator[Callable[..., FhirRoot]]:
    """FHIR servers on loopback ports, each with an endpoint of interface B that nothing is known of yet."""
    with ExitStack() as stack:

        def make(path: str = "/r4/one", **columns: Any) -> FhirRoot:
            root = FhirRoot()
            root.url = stack.enter_context(serving(root.answer)).url(path)
            root.endpoint = Endpoint.objects.create(
                **{
                    "fhir_base_url": root.url,
                    "fhir_version": "r4",
                    "interface": "smart",
                    "dialect": "smart",
                    "imported_at": AT,
                    **columns,
                }
            )
            return root

        yield make


@pytest.fixture
def root(make_root) -> FhirRoot:
    made: FhirRoot = make_root()
    return made
