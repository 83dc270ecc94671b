"""A provider that answers, its row in the directory, and Alice, who has given her consent."""

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client

from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.secret import Secret
from tests.connections import provider_stand_in
from tests.connections.deployments import deploy, patient
from tests.connections.launches import smart_place
from tests.connections.provider_stand_in import SECRET, StandIn
from tests.fixtures.consent import agree

__all__ = ["deploy", "patient", "smart_place"]  # fixtures of SMART deployments

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture(autouse=True)
def _nobody_is_counted_yet() -> Iterator[None]:
    """The cache counts where launches come from, and tests come from one address: each under a prefix of its own."""
    before, cache.key_prefix = cache.key_prefix, uuid.uuid4().hex
    yield
    cache.key_prefix = before


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with provider_stand_in.running() as running:
        yield running


@dataclass
class Place:
    """One provider with one endpoint and our approved registration there."""

    provider: Provider
    endpoint: Endpoint
    registration: ClientRegistration

    @property
    def before_you_go(self) -> str:
        return f"/connect/{self.provider.pk}/{self.endpoint.pk}/"

    @property
    def callback(self) -> str:
        return f"/connect/return/{self.registration.redirect_id}/"


@pytest.fixture
def make_place(db: None, stand_in: StandIn) -> Callable[..., Place]:
    def make(
        name: str = "Harbor Family Practice", *, path: str = "", version: str = "r4", **registration_columns: Any
    ) -> Place:
        url = stand_in.server.url
        now = datetime.now(UTC)
        server, _ = AuthorizationServer.objects.get_or_create(
            authorize_url=url(f"{path}/auth/authorize"),
            token_url=url("/auth/token"),
            defaults={
                "source": "configured",
                "revocation_url": url("/auth/revoke"),
                "is_sandbox": True,
                "found_at": now,
            },
        )
        columns: dict[str, Any] = {
            "label": "ours",
            "status": "approved",
            "client_id": "holdfast-client",
            "authentication": "query",
            "versions_added": [version],
            "uses_pkce": False,
            "minimum_refresh_seconds": 0,
            "is_sandbox": True,
            **registration_columns,
        }
        registration = server.registrations.first()
        if registration is None:
            registration = ClientRegistration.objects.create(authorization_server=server, **columns)
            credentials.keep(registration, Secret(SECRET), at=now)
        endpoint, _ = Endpoint.objects.get_or_create(
            fhir_base_url=url(f"{path}/fhir/{version}"),
            defaults={
                "authorization_server": server,
                "fhir_version": version,
                "interface": "patient-access",
                "dialect": "patient-access",
                "is_sandbox": True,
                "imported_at": now,
            },
        )
        provider = Provider.objects.create(
            directory="tests", directory_id=name, name=name, is_sandbox=True, imported_at=now
        )
        endpoint.providers.add(provider)
        return Place(provider, endpoint, registration)

    return make


@pytest.fixture
def place(make_place: Callable[..., Place]) -> Place:
    return make_place()


@dataclass
class Traveller:
    """A person in one browser."""

    user: Any
    client: Client

    def leave(self, place: Place, *, url: str = "", **fields: str) -> "Departed":
        """Press the button before you go, and read the link of the page it leads to."""
        answer = self.client.post(url or place.before_you_go, fields)
        assert answer.status_code == 303, answer.status_code
        page = self.client.get(answer["Location"])
        link = re.search(r'<a class="button" href="(http[^"]+)"', page.content.decode())
        assert link is not None
        return Departed(answer["Location"], unescape(link[1]))

    def come_back(self, place: Place, **query: str) -> Any:
        """Arrive at the redirect URI."""
        return self.client.get(place.callback, query)

    def link(self, place: Place) -> Connection:
        """Leave, come back with a code, and have a connection that awaits confirmation."""
        departed = self.leave(place)
        self.come_back(place, code=provider_stand_in.CODE, state=departed.state)
        connection = Connection.objects.order_by("-created_at").first()
        assert connection is not None
        return connection


@dataclass(frozen=True)
class Departed:
    """Where the browser was sent."""

    page: str
    url: str

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.url).query, keep_blank_values=True, strict_parsing=True)

    @property
    def state(self) -> str:
        return dict(self.query)["state"]


@pytest.fixture
def make_traveller() -> Callable[..., Traveller]:
    def make(user: Any, *, agrees: bool = True) -> Traveller:
        client = Client()
        client.force_login(user, backend=BACKEND)
        if agrees:
            agree(user)
        return Traveller(user, client)

    return make


@pytest.fixture
def traveller(make_traveller: Callable[..., Traveller], alice: Any) -> Traveller:
    """Alice, signed in, with her consent given."""
    return make_traveller(alice)


@pytest.fixture
def connection(traveller: Traveller, place: Place) -> Connection:
    """Linked by her on the way that patients go, and confirmed."""
    found = traveller.link(place)
    return confirming.confirm(found, candidate=0, at=found.created_at).connection


def page_after(traveller: Traveller, answer: Any) -> str:
    """What the patient reads in the end; the address on the way is clean."""
    assert answer.status_code == 303
    assert "?" not in answer["Location"].removesuffix("?again")
    page = traveller.client.get(answer["Location"])
    assert page.status_code == 200
    return str(page.content.decode())


def assert_nothing_was_left() -> None:
    """No connection, no token, no candidate, no verifier."""
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()
    assert not AuthorizationRequest.objects.filter(sealed_pkce_verifier__isnull=False, claimed_at__isnull=False)
