"""Starting an export job, asking for its status, and deleting it (Bulk Data Access: kick-off, status, delete)."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin

from apps.wire import datetimes, http_responses
from apps.wire.addresses import check_address
from apps.wire.bulk import following_redirects
from apps.wire.bulk.manifest import MOST_BYTES, MOST_PAGES, Manifest, joined, read_manifest
from apps.wire.bundles import LOGICAL_ID, RESOURCE_TYPE
from apps.wire.errors import Code, NotFound, RequestRefused, UnexpectedAnswer, WireError
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from apps.wire.transport import Stream

_ACCEPT = {"Accept": "application/fhir+json"}
_STATUS_ACCEPT = {"Accept": "application/json"}
_STATUS_SECONDS = 60.0
_LONGEST_PROGRESS = 100  # Bulk Data Access, "Response - In-Progress Status"
_UNPRINTABLE = re.compile(r"[^ -~]+")
# FHIR issue types that say "again, later" (Bulk Data Access, "Response - Error Status"; FHIR R4, issue-type).
_PASSING = frozenset({"transient", "lock-error", "timeout", "throttled", "incomplete"})
_GATEWAYS = frozenset({502, 503, 504})


class ExportFailed(UnexpectedAnswer):
    """The provider could not make the export."""


@dataclass(frozen=True)
class InProgress:
    """The export is not finished. `said` is what the provider says about its progress: show it, but never log it."""

    said: str
    retry_after_seconds: int | None


def kick_off(
    server: FhirServer, *, access_token: Secret, group_id: str, types: Sequence[str] = (), since: str = ""
) -> str:
    """Start an export of everybody in the group, and return the address of its status.

    Without `types`, everything is exported that the token may read. `since` is an instant of FHIR; empty for all times.
    Raises RequestRefused (without a request) for an invalid id, type or instant; Throttled if another export has to end
    first; UnsafeAddress if we would not connect to the status address; and other errors of `errors`. If the status of
    an error is None or 202, and the request was sent, the provider may have begun the export.
    """
    url = _kick_off_url(server, group_id, types, since)
    headers = {**_ACCEPT, "Prefer": "respond-async"}
    with following_redirects.asking(
        server, url, access_token=access_token, headers=headers, is_followed=False
    ) as answer:
        if answer.status != 202:
            raise following_redirects.refusal(answer)
        location = answer.header("Content-Location") or answer.header("Location")
    if not location:
        raise UnexpectedAnswer(code=Code.MALFORMED_RESPONSE, status=202)
    try:
        status_url = urljoin(url, location)
    except ValueError:
        status_url = ""
    check_address(status_url, server.policy)
    return status_url


def status(server: FhirServer, status_url: str, *, access_token: Secret) -> InProgress | Manifest:
    """The progress of an export or, once it is finished, the list of its files, from all pages of the list.

    Raises ExportFailed if the provider gave up; NotFound if it does not know the export (any more); Throttled and
    Unavailable if we should ask again later; and other errors of `errors`.
    """
    found = _look(server, status_url, access_token)
    asked = {status_url}
    while isinstance(found, Manifest) and found.next_url:
        if found.next_url in asked or len(asked) == MOST_PAGES:
            raise UnexpectedAnswer(code=Code.TOO_LARGE, status=200)
        asked.add(found.next_url)
        page = _look(server, found.next_url, access_token)
        found = joined(found, page) if isinstance(page, Manifest) else page
    return found


def delete(server: FhirServer, status_url: str, *, access_token: Secret) -> None:
    """Cancel an export, or let the provider delete its files. Succeeds if it is gone already. Raises WireError."""
    with following_redirects.asking(
        server, status_url, access_token=access_token, headers=_STATUS_ACCEPT, method="DELETE", is_followed=False
    ) as answer:
        if answer.status >= 300:
            refused = following_redirects.refusal(answer)
            if not isinstance(refused, NotFound):
                raise refused


def _look(server: FhirServer, url: str, access_token: Secret) -> InProgress | Manifest:
    """The status, or a later page of its list."""
    with following_redirects.asking(server, url, access_token=access_token, headers=_STATUS_ACCEPT) as answer:
        if answer.status == 202:
            said = _UNPRINTABLE.sub(" ", answer.header("X-Progress"))[:_LONGEST_PROGRESS].strip()
            return InProgress(said, http_responses.retry_after_seconds(answer.response))
        if answer.status != 200:
            raise _failure(answer)
        body = answer.body(total_seconds=_STATUS_SECONDS, max_bytes=MOST_BYTES)
    return read_manifest(body, server)


def _kick_off_url(server: FhirServer, group_id: str, types: Sequence[str], since: str) -> str:
    written = datetimes.parse(since) if since else None
    is_instant = written is not None and written.precision is datetimes.Precision.MOMENT and written.has_offset
    if not (LOGICAL_ID.fullmatch(group_id) and all(map(RESOURCE_TYPE.fullmatch, types)) and (is_instant or not since)):
        raise RequestRefused(code=Code.INVALID_REQUEST)
    asked = {"_type": ",".join(types), "_since": since}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in asked.items() if value)
    return server.url("Group", group_id) + "/$export" + (f"?{query}" if query else "")


def _failure(answer: Stream) -> WireError:
    """The error of an answer. A 500 with an OperationOutcome means that the export failed; other answers from 500 on
    mean that the server does not work now."""
    refused = following_redirects.refusal(answer)
    if answer.status < 500 or answer.status in _GATEWAYS:
        return refused
    outcome: Any = None
    with suppress(WireError, ValueError, RecursionError):
        outcome = json.loads(answer.body(total_seconds=_STATUS_SECONDS))
    if not isinstance(outcome, dict) or outcome.get("resourceType") != "OperationOutcome":
        return refused
    return refused if _is_passing(outcome) else ExportFailed(status=answer.status)


def _is_passing(outcome: dict[str, Any]) -> bool:
    issues = outcome.get("issue")
    codes = {issue.get("code") for issue in issues if isinstance(issue, dict)} if isinstance(issues, list) else set()
    return bool(codes & _PASSING)
