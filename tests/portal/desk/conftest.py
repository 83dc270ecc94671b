"""A member of staff at the desk, and a registration of each kind."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth.models import Permission
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from apps.connections.models import Trial
from apps.connections.trials import terms
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def sign_in(user: Any) -> Client:
    """A browser in which they gave their password a moment ago."""
    client = Client()
    client.force_login(user, backend=BACKEND)
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password")
    request.session.save()
    return client


def forget_password(client: Client) -> None:
    """They gave it, but long ago."""
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "password", "at": time.time() - 3600}]
    session.save()


@pytest.fixture
def staff(stella: Any) -> Client:
    """Stella's browser."""
    return sign_in(stella)


@pytest.fixture
def helper(make_user: Any) -> Callable[..., Client]:
    """`helper("view")`: the browser of one who works here, with permissions for client registrations or without."""

    def make(*actions: str) -> Client:
        user = make_user("helper@example.org", is_staff=True)
        names = [f"{action}_clientregistration" for action in actions]
        user.user_permissions.set(Permission.objects.filter(codename__in=names))
        return sign_in(user)

    return make


@pytest.fixture
def make_endpoint(db: None) -> Callable[..., Endpoint]:
    """`make_endpoint("smart", version="r4")`: an endpoint with a provider, and an authorization server unless told."""

    def make(
        interface: str = "patient-access",
        *,
        version: str = "r4",
        name: str = "Harbor Family Practice",
        host: str = "harbor.example.org",
        path: str = "",
        has_server: bool = True,
    ) -> Endpoint:
        now = timezone.now()
        server = None
        if has_server:
            base = f"https://{host}{path}/{version}/auth"
            server, _ = AuthorizationServer.objects.get_or_create(
                authorize_url=f"{base}/authorize",
                token_url=f"{base}/token",
                defaults={"source": "discovered" if interface == "smart" else "configured", "found_at": now},
            )
        endpoint = Endpoint.objects.create(
            authorization_server=server,
            fhir_base_url=f"https://{host}{path}/{version}/fhir",
            fhir_version=version,
            interface=interface,
            dialect=interface,
            imported_at=now,
            discovered_at=now if has_server else None,
            discovery_tried_at=now if has_server else None,
        )
        provider, _ = Provider.objects.get_or_create(
            directory="tests", directory_id=name, defaults={"name": name, "imported_at": now}
        )
        endpoint.providers.add(provider)
        return endpoint

    return make


@pytest.fixture
def begin(staff: Client) -> Callable[[Endpoint], ClientRegistration]:
    """Begins a registration at the desk."""

    def begin_at(endpoint: Endpoint) -> ClientRegistration:
        answer = staff.post(f"/desk/start/{endpoint.pk}/")
        assert answer.status_code == 303, answer.status_code
        return ClientRegistration.objects.get(pk=answer["Location"].split("/")[3])

    return begin_at


@pytest.fixture
def take(staff: Client) -> Callable[..., Any]:
    """Takes one step: `take(registration, "account", developer_email="dev@example.org")`."""

    def take_step(registration: ClientRegistration, step: str, **fields: Any) -> Any:
        answer = staff.post(f"/desk/registrations/{registration.pk}/{step}/", fields)
        registration.refresh_from_db()
        return answer

    return take_step


def states(page: str) -> list[tuple[str, str]]:
    """Each step's title and state, as they are read."""
    steps = re.search(r'<ol class="walk">(.*)</ol>', page, re.DOTALL)
    assert steps is not None
    found = re.findall(r"<h3>(.*?)</h3>.*?</svg>(.*?)</span>", steps[1], re.DOTALL)
    return [(title, word.strip()) for title, word in found]


def passed(registration: ClientRegistration, endpoint: Endpoint, staff_id: Any) -> None:
    """Somebody tried the whole link, and it worked."""
    now = timezone.now()
    result = {"verdict": "passed", "code": "in_order", "at": now.isoformat(), "count": 1, "names": []}
    Trial.objects.create(
        staff_id=staff_id,
        registration=registration,
        endpoint=endpoint,
        provider=endpoint.providers.get(),
        began_at=now,
        ended_at=now,
        terms=terms.of(registration),
        results={"person": result},
    )
