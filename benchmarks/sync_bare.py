"""What syncs are held against: a bare program that fetches the same pages, four at a time, and stores each row as it
came; and fhirclient, as its users page through a record, with the connections it keeps."""

import contextlib
import json
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from threading import local
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from django.db import connection as database
from django.db import transaction

AT_ONCE = 4
_HEADERS = {"Authorization": "Bearer bench"}
_THREAD = local()


def first_questions(asked: Sequence[str]) -> list[str]:
    """Of the paths that a sync asked for, those that follow from no page."""
    return [path for path in asked if "page" not in parse_qs(urlsplit(path).query)]


def prepare() -> None:
    """The table of `fetch_and_store`."""
    with database.cursor() as cursor:
        cursor.execute("CREATE TABLE bare_rows (id serial PRIMARY KEY, kind text, body bytea)")


def fetch_and_store(origin: str, questions: Sequence[str]) -> int:
    """Every page, each resource a row as it came, a page a transaction. How many rows."""
    waiting = [f"{origin}{path}" for path in reversed(questions)]
    rows = 0
    with ThreadPoolExecutor(AT_ONCE) as threads:
        under_way = {threads.submit(_get, waiting.pop()) for _ in range(min(AT_ONCE, len(waiting)))}
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for answered in done:
                page = answered.result()
                after = _next(page)
                if after or waiting:
                    under_way.add(threads.submit(_get, after or waiting.pop()))
                rows += _store(page)
    return rows


def _get(url: str) -> dict[str, Any]:
    if not hasattr(_THREAD, "session"):
        _THREAD.session = requests.Session()
        _THREAD.session.trust_env = False
    page: dict[str, Any] = _THREAD.session.get(url, headers=_HEADERS, timeout=10).json()
    return page


def _next(page: dict[str, Any]) -> str | None:
    return next((link["url"] for link in page.get("link", ()) if link["relation"] == "next"), None)


def _store(page: dict[str, Any]) -> int:
    is_page = page["resourceType"] == "Bundle"
    found = [entry["resource"] for entry in page["entry"]] if is_page else [page]
    bodies = [json.dumps(resource).encode() for resource in found]
    with transaction.atomic(), database.cursor() as cursor:
        cursor.execute("INSERT INTO bare_rows (kind, body) SELECT 'bench', unnest(%s::bytea[])", [bodies])
    return len(bodies)


def page_with_fhirclient(origin: str, questions: Sequence[str]) -> int:
    """The same searches in the library's own way: each page as its models, the next one after the other. How many
    rows."""
    from fhirclient.models.bundle import Bundle  # noqa: PLC0415 - no memory of ours is measured with it
    from fhirclient.server import FHIRServer  # noqa: PLC0415

    server = FHIRServer(None, base_uri=f"{origin}/r4/")
    server.session.trust_env = False
    rows = 0
    with _quiet():
        for path in questions:
            if "?" not in path:
                server.request_json(f"{origin}{path}")
                continue
            for page in _pages(Bundle, server, f"{origin}{path}"):
                rows += sum(entry.resource is not None for entry in page.entry or ())
    return rows


def _pages(bundle: Any, server: Any, url: str | None) -> Iterator[Any]:
    while url is not None:
        page = bundle.read_from(url, server)
        url = next((link.url for link in page.link or () if link.relation == "next"), None)
        yield page


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Its remarks on our invented rows would be measured."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
