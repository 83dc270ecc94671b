"""The hunt for canaries: secrets as the sandbox recorded them are searched for wherever they could have been stored.

The sandbox records every request word for word, so the search is for what was really sent.
"""

import base64
import itertools
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import redis
from django.conf import settings
from django.db import connection as database
from django.test import Client

from tests.faults.travelling import Place, Traveller
from tests.fixtures import queues
from tests.fixtures.sandbox import Sandbox

_SECRET = {"client_secret", "code", "code_verifier", "refresh_token", "token", "state"}
_ADMIN_LINK = re.compile(r'href="(/admin/[^"?#]*)"')
_LEADING_OUT = ("logout", "password_change", "jsi18n", "autocomplete")


@dataclass(frozen=True)
class Canary:
    """One secret by its name. `repr` does not show it."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def spellings(self) -> tuple[str, ...]:
        """As it is, percent-encoded, in hexadecimal (how the database prints bytes) and in base64."""
        encoded = self.value.encode()
        return self.value, quote(self.value, safe=""), encoded.hex(), base64.b64encode(encoded).decode().rstrip("=")


def canaries(sandbox: Sandbox, place: Place) -> set[Canary]:
    """Client secret, codes, states, verifiers and tokens of every request the sandbox got."""
    found = {Canary("client_secret", place.secret)}
    for request in sandbox.get("/control/requests")["requests"]:
        for sent in (request["query"], request["body"]):
            for name, values in parse_qs(sent).items():
                found |= {Canary(name, value) for value in values if name in _SECRET}
        authorization = request["headers"].get("Authorization", "")
        if authorization.startswith("Bearer "):
            found.add(Canary("access_token", authorization.removeprefix("Bearer ")))
    return found


def session_keys(*browsers: Client) -> set[Canary]:
    """What opens each browser's session, and nothing else does."""
    return {Canary("session_key", browser.cookies[settings.SESSION_COOKIE_NAME].value) for browser in browsers}


def names(found: Iterable[Canary]) -> set[str]:
    """What kinds of secret there are to search for."""
    return {canary.name for canary in found}


def tracks(traveller: Traveller, heard: list[str], staff: Client) -> Iterator[tuple[str, str]]:
    """Everything that was kept, said or shown, each with its place."""
    yield from (("a log", text) for text in heard)
    yield from columns()
    yield from _sessions(traveller.client, staff)
    yield from queue_and_cache()
    yield from _pages(traveller)
    yield from admin_pages(staff)


def assert_nowhere(found: Iterable[Canary], where: Iterable[tuple[str, str]]) -> None:
    """Fails with the names of place and canary, and shows neither."""
    hunted = [(canary, spelling) for canary in found for spelling in canary.spellings]
    caught = {f"{canary} in {place}" for place, text in where for canary, spelling in hunted if spelling in text}
    assert not caught, sorted(caught)


def admin_pages(staff: Client) -> Iterator[tuple[str, str]]:
    """Every page of the admin that a link leads to: each list, each row, each history."""
    waiting, known = ["/admin/"], {"/admin/"}
    while waiting:
        address = waiting.pop()
        answer = staff.get(address, follow=True)
        html = answer.content.decode(errors="replace")
        yield f"admin page {address}", html + repr(dict(answer.headers))
        assert answer.status_code == 200, address
        for link in _ADMIN_LINK.findall(html):
            if link not in known and not any(part in link for part in _LEADING_OUT):
                known.add(link)
                waiting.append(link)


def columns() -> Iterator[tuple[str, str]]:
    """Every row of every table as text; and the bytes that stand in it in hexadecimal or base64, unfolded."""
    for table in database.introspection.table_names():
        text = "\n".join(rows(table))
        yield f"table {table}", text
        octets = [bytes.fromhex(part) for part in re.findall(r"\\x((?:[0-9a-f]{2})+)", text)]
        octets += [base64.urlsafe_b64decode(word) for word in re.findall(r"(?:[\w-]{4}){6,}", text, re.ASCII)]
        yield f"bytes of table {table}", "\n".join(_unfolded(part) for part in octets)


def _unfolded(octets: bytes) -> str:
    """Bytes as Latin-1, and what they were before they were compressed, if they were."""
    with suppress(zlib.error):
        octets += b"\n" + zlib.decompress(octets)
    return octets.decode("latin-1")


def rows(table: str) -> list[str]:
    """Every row of one table as text."""
    with database.cursor() as cursor:
        cursor.execute(f'SELECT t::text FROM "{table}" AS t')
        return [row[0] for row in cursor.fetchall()]


def queue_and_cache() -> Iterator[tuple[str, str]]:
    """Whatever Redis holds of this process'; the queue's messages opened."""
    with redis.Redis.from_url(settings.CELERY_BROKER_URL) as client:
        for key in itertools.filterfalse(queues.is_another_s, client.scan_iter()):
            for value in _values(client, key):
                yield f"Redis {key!r}", f"{key!r} {value.decode('latin-1')} {_message(value)}"


def _sessions(*browsers: Client) -> Iterator[tuple[str, str]]:
    """What sessions hold, opened as their browsers do: nobody else can. Messages are in cookies, among the headers."""
    yield from (("a session", repr(dict(browser.session.items()))) for browser in browsers)


def _values(client: Any, key: bytes) -> list[bytes]:
    match client.type(key):
        case b"string":
            return [client.get(key) or b""]
        case b"list":
            return list(client.lrange(key, 0, -1))
        case b"hash":
            return [part for pair in client.hgetall(key).items() for part in pair]
        case b"set":
            return list(client.smembers(key))
        case b"zset":
            return list(client.zrange(key, 0, -1))
    return []


def _message(value: bytes) -> str:
    try:
        return base64.b64decode(json.loads(value)["body"]).decode("latin-1")
    except (ValueError, KeyError, TypeError):
        return ""


def _pages(traveller: Traveller) -> Iterator[tuple[str, str]]:
    """What the patient's browser got. The page that leads to the provider holds the state in that address, and must."""
    way_out = {traveller.left_by, traveller.left_by.replace("&", "&amp;")} - {""}
    for seen in traveller.seen:
        html = seen.html
        for address in sorted(way_out):
            html = html.replace(address, urlsplit(address).netloc)
        yield f"page {seen.asked}", html
        yield f"headers of {seen.asked}", seen.headers
