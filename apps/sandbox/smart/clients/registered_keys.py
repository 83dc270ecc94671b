"""The public keys of a system account: those it registered, or those it publishes at the URL it registered.

The URL is only fetched if it is on this machine, because nothing here leaves it. Responses are cached as long as their
Cache-Control allows and no longer (SMART's asymmetric authentication). An unknown key id makes the URL be fetched
again, so that a new key counts as soon as it is published.
"""

import json
import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import Message
from typing import IO
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from apps.sandbox import registration
from apps.sandbox.models import SystemAccount
from apps.sandbox.smart.clients import public_keys
from apps.sandbox.smart.clients.public_keys import Keys

MOST_BYTES = 100_000
MOST_SECONDS = 3.0
LONGEST_KEPT = timedelta(days=1)
_MOST_KEPT = 200
_MAX_AGE = re.compile(r'\s*max-age\s*=\s*"?(\d{1,9})"?\s*', re.IGNORECASE)

_kept: dict[str, "_Published"] = {}


@dataclass(frozen=True)
class _Published:
    """The response of a URL, and for how long it may be cached."""

    keys: Keys
    asked_at: datetime
    counts_until: datetime


def named(account: SystemAccount, kid: str, *, at: datetime) -> Keys:
    """The account's keys with this id: normally one. Registered keys take precedence over published ones."""
    if account.jwks:
        return _with_id(tuple(account.jwks.get("keys", ())), kid)
    if not registration.is_of_this_machine(account.jwks_url):
        return ()
    known = _kept.get(account.jwks_url)
    if known is not None and known.asked_at <= at < known.counts_until and (keys := _with_id(known.keys, kid)):
        return keys
    return _with_id(_ask(account.jwks_url, at=at), kid)


def forget() -> None:
    """Clear the cache: everything was reset."""
    _kept.clear()


def _with_id(keys: Keys, kid: str) -> Keys:
    return tuple(key for key in keys if key.get("kid") == kid)


def _ask(address: str, *, at: datetime) -> Keys:
    """The keys published at the URL now; none if it does not answer with a key set in time."""
    _kept.pop(address, None)
    try:
        document, kept_for = _fetch(address)
        keys = public_keys.keys_of(document)
    except (OSError, ValueError, RecursionError, registration.RequestRefused):  # OSError: what urllib raises
        return ()
    if kept_for:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[address] = _Published(keys, at, at + kept_for)
    return keys


def _fetch(address: str) -> tuple[object, timedelta]:
    """The JSON at the URL, and for how long it may be cached. Raises OSError or ValueError."""
    until = time.monotonic() + MOST_SECONDS
    request = Request(address, headers={"Accept": "application/json", "User-Agent": "sandbox"})  # noqa: S310 -- checked
    with _opener.open(request, timeout=MOST_SECONDS) as answer:
        body = _read(answer, until)
        return json.loads(body), _kept_for(answer.headers)


def _read(answer: IO[bytes], until: float) -> bytes:
    """The body. The socket's timeout is per read, so the total time is limited here."""
    body = b""
    while chunk := answer.read1(8_192):  # type: ignore[attr-defined]  # http.client.HTTPResponse has it
        body += chunk
        if len(body) > MOST_BYTES or time.monotonic() > until:
            raise ValueError("too long")
    return body


def _kept_for(headers: Message) -> timedelta:
    """RFC 9111 section 5.2.2: max-age, unless the response must not be stored."""
    directives = headers.get("Cache-Control", "").split(",")
    if any(one.strip().lower() in {"no-store", "no-cache"} for one in directives):
        return timedelta()
    found = next(filter(None, map(_MAX_AGE.fullmatch, directives)), None)
    return min(timedelta(seconds=int(found[1])), LONGEST_KEPT) if found else timedelta()


def _plain_opener() -> OpenerDirector:
    """A urllib opener for http and https that raises errors, without redirects, proxies or files."""
    opener = OpenerDirector()
    for handler in (HTTPHandler, HTTPSHandler, HTTPErrorProcessor, HTTPDefaultErrorHandler):
        opener.add_handler(handler())
    return opener


_opener = _plain_opener()
