"""What an HTTP response says before anybody looks at its meaning: whether it is JSON, a refusal, or a request to come
back."""

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
# What servers write where nobody told them otherwise. The first is read as the second everywhere on the web.
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
    """The body, in UTF-8 as JSON has to be (RFC 8259 section 8.1), without a byte-order mark, which a reader may
    ignore."""
    return response.content.removeprefix(_BYTE_ORDER_MARK)


def data_of(response: requests.Response) -> bytes:
    """The same of an answer that brings rows. One that is not in UTF-8, and says in which of a few other character sets
    it is, or begins as UTF-16 does, is read so: a row with a letter replaced is still a row, which a token would not
    be."""
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
    """The body as one JSON object; raises UnexpectedAnswer for anything else."""
    try:
        parsed = json.loads(body_of(response).decode("utf-8"))
    except (ValueError, RecursionError):  # RecursionError: a few kilobytes of opening brackets
        parsed = None
    if not isinstance(parsed, dict):
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=response.status_code)
    return parsed


def please_wait(response: requests.Response) -> Unavailable | None:
    """The error of a status that asks us to come back, whatever the body says; None for other statuses."""
    status = response.status_code
    if status == 429:
        return Throttled(status=status, retry_after_seconds=retry_after_seconds(response))
    if status == 408 or status >= 500:
        return Unavailable(status=status, retry_after_seconds=retry_after_seconds(response))
    return None


def data_refusal(response: requests.Response) -> WireError:
    """The error of a status from 400 on, where data was asked for with a token, and none that asks us to come back."""
    code = challenges.reason(response.headers.get("WWW-Authenticate", ""))
    return _BY_STATUS.get(response.status_code, RequestRefused)(code=code, status=response.status_code)


def retry_after_seconds(response: requests.Response) -> int | None:
    """Retry-After in seconds, given as such or as a date (RFC 9110 section 10.2.3); at most a day.

    A date is counted from the answer's own Date, so that a clock that is wrong, theirs or ours, does not matter.
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
    """When the server says that it answered, by its own clock; None where it does not say."""
    return _http_date(response.headers.get("Date", ""))


def _http_date(written: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
