"""Measures searching for a provider: at five hundred and at fifty thousand, against an empty page."""

import itertools
import json
import statistics
from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.directory.models import AuthorizationServer, Endpoint, Provider
from apps.directory.searching import vocabulary
from apps.directory.words import spelling
from benchmarks import invented_directory
from benchmarks.figure import processor_ms, ratio, say

_SMALL, _LARGE = 500, 50_000
# Beginnings of one letter, words of thousands, places, typing errors, words run together, a word that nobody has.
_TYPED = (
    "h", "har", "harbor fam", "springfield hosp", "saint anne ped", "portland clinic", "49", "tucson", "women",
    "harbro familly", "okonwko cardiology", "lakeviewpediatrics austin", "mercy hospital zzyzx",
)  # fmt: skip


def main() -> None:
    """One line of JSON: ratios, milliseconds and a number of queries."""
    client = Client()
    client.force_login(get_user_model().objects.create_user("bench@example.org"))
    rows = invented_directory.providers(_LARGE)
    _fill(rows[:_SMALL])
    search = _turns(client)
    to_empty_page_of_few = _to_empty_page(client, search)
    _fill(rows[_SMALL:])
    to_empty_page = _to_empty_page(client, search)
    queries = [_queries(client, typed) for typed in _TYPED]
    print(
        json.dumps(
            {
                "to_empty_page": to_empty_page,
                "of_large_to_small": to_empty_page / to_empty_page_of_few,
                "queries": statistics.median(queries),
                "most_queries": max(queries),
                "processor_ms": processor_ms(search, repeats=len(_TYPED)),
            }
        )
    )


def _turns(client: Client) -> Callable[[], None]:
    """Each call searches for the next of what people type."""
    typed = itertools.cycle(_TYPED)

    def search() -> None:
        answer = client.get("/providers/", {"q": next(typed)})
        assert answer.status_code == 200

    return search


def _queries(client: Client, typed: str) -> int:
    """How many statements one search sends, those about transactions among them."""
    with CaptureQueriesContext(connection) as asked:
        client.get("/providers/", {"q": typed})
        return len(asked)


def _to_empty_page(client: Client, search: Callable[[], None]) -> float:
    """An empty page costs the same whatever the directory holds, so that this compares directories as well: filling one
    takes minutes, in which a machine may become another."""
    return ratio(search, lambda: client.get("/providers/"), repeats=len(_TYPED))


def _fill(rows: list[dict[str, Any]]) -> None:
    """As an import would leave them, but at once."""
    say(f"filling the directory with {len(rows)} providers")
    at = timezone.now()
    providers = [
        Provider(
            directory="bench",
            directory_id=row["id"],
            imported_at=at,
            plain_name=spelling.plain(row["name"]),
            words=spelling.provider_words(**{name: row[name] for name in ("name", "city", "state", "website")}),
            **{name: row[name] for name in ("name", "city", "state", "kind", "website")},
        )
        for row in rows
    ]
    servers, endpoints = [], []
    for row in rows:
        (endpoint,) = row["endpoints"]
        servers.append(AuthorizationServer(source="configured", found_at=at, **endpoint["authorization_server"]))
        columns = {name: endpoint[name] for name in ("fhir_base_url", "fhir_version", "interface", "dialect")}
        endpoints.append(Endpoint(authorization_server=servers[-1], imported_at=at, **columns))
    Provider.objects.bulk_create(providers, batch_size=5000)
    AuthorizationServer.objects.bulk_create(servers, batch_size=5000)
    Endpoint.objects.bulk_create(endpoints, batch_size=5000)
    through = Endpoint.providers.through
    pairs = zip(endpoints, providers, strict=True)
    through.objects.bulk_create(
        [through(endpoint_id=endpoint.pk, provider_id=provider.pk) for endpoint, provider in pairs], batch_size=5000
    )
    vocabulary.learn_missing()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
