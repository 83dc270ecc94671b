"""What every HTTP response is examined for: its character set, whether it is JSON, refuses, or asks us to come back."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from apps.wire import challenges
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    NotFound,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARKS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # no JSON in UTF-8 begins so
_CHARSET = re.compile(r";\s*charset=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
# What servers send if nobody configured them. Browsers read the first as the second.
_CHARSETS: Mapping[str, str] = {"iso-8859-1": "cp1252", "windows-1252": "cp1252", "utf-16": "utf-16"}
_LONGEST_WAIT_SECONDS = 86_400
# Interface facts 5.3 and 5.4; 408, 429 and 5xx mean wait.
_BY_STATUS: Mapping[int, type[WireError]] = {
    401: AuthorizationExpired,
    403: AccessRefused,
    404: NotFound,
    410: NotFound,
}


def body_of(response: requests.Response) -> bytes:
    """The body without a byte-order mark. JSON has to be in UTF-8, and its readers may ignore the mark (RFC 8259
    section 8.1)."""
    return response.content.removeprefix(_BYTE_ORDER_MARK)


def data_of(response: requests.Response) -> bytes:
    """The same for FHIR data, which is also converted from a few other character sets, if the header names one or the
    body begins as UTF-16 does. Letters may be replaced in that: a record is still readable then, unlike a token."""
    body = body_of(response)
    charset = _charset(response, body)
    if charset is None or _is_utf_8(body):
        return body
    return body.decode(charset, "replace").encode()


def _charset(response: requests.Response, body: bytes) -> str | None:
    if body.startswith(_MARKS_OF_UTF_16):
        return "utf-16"
    named = _CHARSET.search(response.headers.get("Content-Type", ""))
    return _CHARSETS.get(named[1].lower()) if named else None


def _is_utf_8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def json_object(response: requests.Response) -> dict[str, Any]:
    """The body as a JSON object. Raises UnexpectedAnswer for anything else."""
    try:
        parsed = json.loads(body_of(response).decode("utf-8"))
    except (ValueError, RecursionError):  # RecursionError: a few kilobytes of opening brackets
        parsed = None
    if not isinstance(parsed, dict):
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=response.status_code)
    return parsed


def please_wait(response: requests.Response) -> Unavailable | None:
    """The error of a status that asks us to come back later, whatever the body says; None for other statuses."""
    status = response.status_code
    if status == 429:
        return Throttled(status=status, retry_after_seconds=retry_after_seconds(response))
    if status == 408 or status >= 500:
        return Unavailable(status=status, retry_after_seconds=retry_after_seconds(response))
    return None


def data_refusal(response: requests.Response) -> WireError:
    """The error of any other status from 400 on, in answer to a request for data."""
    code = challenges.reason(response.headers.get("WWW-Authenticate", ""))
    return _BY_STATUS.get(response.status_code, RequestRefused)(code=code, status=response.status_code)


def retry_after_seconds(response: requests.Response) -> int | None:
    """Retry-After in seconds, given as such or as a date (RFC 9110 section 10.2.3); at most a day.

    A date is compared with the answer's own Date, so that it does not matter if their clock or ours is wrong.
    """
    written = response.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", written):
        return min(int(written), _LONGEST_WAIT_SECONDS)
    until = _http_date(written)
    if until is None:
        return None
    since = answered_at(response) or datetime.now(UTC)
    return min(max(0, round((until - since).total_seconds())), _LONGEST_WAIT_SECONDS)


def answered_at(response: requests.Response) -> datetime | None:
    """When the server answered, by its own clock; None if it does not say."""
    return _http_date(response.headers.get("Date", ""))


def _http_date(written: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
