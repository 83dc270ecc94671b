"""Measures the registration desk where fifty thousand endpoints go by one registration: its first page, and the page of
that registration, against an empty page of the site."""

import itertools
import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.connections.models import Trial
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider, ProviderPortal, Wish
from benchmarks.figure import processor_ms, ratio, say

_ENDPOINTS = 50_000
_SHARING = 5_000  # providers of one endpoint
_OTHERS = 100  # registrations, of one endpoint each
_TRIALS = 500
_WISHES = 20_000  # of listed providers, and as many by name
_REPEATS = 5
_EMPTY = "/providers/"  # the form for searching, nothing typed


def main() -> None:
    """One line of JSON: ratios and milliseconds."""
    member = get_user_model().objects.create_superuser("bench@example.org")
    client = Client()
    client.force_login(member)
    registration = _fill(get_user_model().objects.create_user("patient@example.org"))
    pages = {"desk": "/desk/", "registration": f"/desk/registrations/{registration.pk}/"}
    found: dict[str, float] = {}
    for name, address in pages.items():
        assert client.get(address).status_code == 200
        page, empty = partial(client.get, address), partial(client.get, _EMPTY)
        found[f"{name}_to_empty_page"] = ratio(page, empty, repeats=_REPEATS)
        found[f"{name}_processor_ms"] = processor_ms(page, repeats=_REPEATS)
    print(json.dumps(found))


def _fill(wishing: Any) -> ClientRegistration:
    """The one that serves nearly all, and a few beside it; an organization of thousands of names, trials and wishes."""
    say(f"filling the directory with {_ENDPOINTS} endpoints of one registration")
    at = timezone.now()
    servers = [_server(number) for number in range(_OTHERS + 1)]
    registrations = [
        ClientRegistration(authorization_server=server, label=server.issuer, **_STANDS) for server in servers
    ]
    places = itertools.chain(itertools.repeat(servers[0], _ENDPOINTS), servers[1:])
    endpoints = [_endpoint(number, server) for number, server in enumerate(places)]
    providers = [_provider(number) for number in range(len(endpoints) + _SHARING)]
    shared = zip(itertools.repeat(endpoints[0]), providers[len(endpoints) :], strict=False)
    portals = [
        ProviderPortal(endpoint=endpoint, provider=provider)
        for endpoint, provider in itertools.chain(zip(endpoints, providers, strict=False), shared)
    ]
    trials = [
        Trial(
            staff_id=wishing.pk,
            registration=registrations[0],
            endpoint=endpoints[number],
            provider=providers[number],
            began_at=at,
            ended_at=at + timedelta(seconds=number),
            results=_RESULTS,
        )
        for number in range(_TRIALS)
    ]
    wishes = [*_wishes(wishing, providers)]
    for rows in (servers, registrations, endpoints, providers, portals, trials, wishes):
        _store(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return registrations[0]


_STANDS = {"status": "approved", "authentication": "none", "client_id": "bench", "versions_added": ["r4"]}
_RESULTS: dict[str, Any] = {
    step: {"verdict": "passed", "code": "in_order", "at": "2020-01-01T00:00:00+00:00", "count": None, "names": []}
    for step in ("discovery", "metadata", "addresses", "sign_in", "exchange", "person", "scopes", "data")
}


def _store(rows: "list[Any]") -> None:
    model: Any = type(rows[0])
    model.objects.bulk_create(rows, batch_size=5000)


def _server(number: int) -> AuthorizationServer:
    origin = f"https://auth{number}.example.org"
    return AuthorizationServer(
        source="discovered",
        authorize_url=f"{origin}/authorize",
        token_url=f"{origin}/token",
        issuer=origin,
        found_at=timezone.now(),
    )


def _endpoint(number: int, server: AuthorizationServer) -> Endpoint:
    return Endpoint(
        authorization_server=server,
        fhir_base_url=f"https://fhir.example.org/tenant-{number}/r4",
        fhir_version="r4",
        interface="smart",
        dialect="smart",
        imported_at=timezone.now(),
    )


def _provider(number: int) -> Provider:
    name = f"Practice {number}"
    return Provider(
        directory="bench", directory_id=str(number), name=name, plain_name=name.lower(), imported_at=timezone.now()
    )


def _wishes(wishing: Any, providers: list[Provider]) -> Iterator[Wish]:
    at = timezone.now()
    for number in range(_WISHES):
        yield Wish(user=wishing, provider=providers[number], created_at=at)
        yield Wish(user=wishing, name=f"Doctor {number}", plain_name=f"doctor {number}", created_at=at)


if __name__ == "__main__":
    main()
