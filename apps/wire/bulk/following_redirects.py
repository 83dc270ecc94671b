"""Requests of a bulk export, which follow redirects. The token is sent only to the origin of the FHIR base URL.

Bulk Data Access allows any absolute address for a status, a list and a file. It may be outside the base URL, as with
widespread servers, or on another host, where a storage signs its addresses and must not see the token (interface facts
4.3). Each address has to pass the guard, a few redirects are followed, and from the first address of another origin on
no request has an Authorization header, even if it leads back.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin

from apps.wire import http_responses, transport
from apps.wire.addresses import parse_address
from apps.wire.errors import (
    AddressFault,
    Code,
    EndpointMisconfigured,
    ForeignAddress,
    UnexpectedAnswer,
    UnsafeAddress,
    WireError,
)
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from apps.wire.transport import Stream

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3


@contextmanager
def asking(
    server: FhirServer,
    url: str,
    *,
    access_token: Secret | None,
    headers: Mapping[str, str],
    method: str = "GET",
    is_followed: bool = True,
) -> Iterator[Stream]:
    """The answer after all redirects, with any status. Its body has not been read yet.

    The token is not sent if `url` itself is of another origin. Raises EndpointMisconfigured after too many redirects,
    UnsafeAddress, and Unavailable.
    """
    for _hop in range(_MOST_REDIRECTS + 1):
        access_token = access_token if is_home(server, url) else None
        sent = dict(headers)
        if access_token is not None:
            sent["Authorization"] = f"Bearer {access_token.reveal()}"
        with transport.stream(url, server.policy, method=method, headers=sent) as answer:
            if answer.status not in _REDIRECTS or not is_followed:
                yield answer
                return
            url = _joined(url, answer.header("Location"), status=answer.status)
    raise EndpointMisconfigured(code=Code.REDIRECTED)


def check_home(server: FhirServer, url: str) -> None:
    """Raise ForeignAddress if a token for this server must not be sent to this address."""
    if not is_home(server, url):
        raise ForeignAddress(fault=AddressFault.HOST, code=Code.FOREIGN_ADDRESS)


def is_home(server: FhirServer, url: str) -> bool:
    """Whether a token for this server may be sent there: it has the same origin as the FHIR base URL."""
    try:
        return parse_address(url, server.policy).origin == parse_address(server.base_url, server.policy).origin
    except UnsafeAddress:
        return False


def refusal(answer: Stream) -> WireError:
    """The error of a status that is not the expected one."""
    waiting = http_responses.please_wait(answer.response)
    if waiting is not None:
        return waiting
    if answer.status < 300:
        return UnexpectedAnswer(status=answer.status)
    if answer.status < 400:
        return EndpointMisconfigured(code=Code.REDIRECTED, status=answer.status)
    return http_responses.data_refusal(answer.response)


def _joined(url: str, location: str, *, status: int) -> str:
    """The address to which a redirect leads. Raises EndpointMisconfigured if it leads nowhere."""
    try:
        joined = urljoin(url, location) if location else ""
    except ValueError:
        joined = ""
    if not joined:
        raise EndpointMisconfigured(code=Code.REDIRECTED, status=status)
    return joined
