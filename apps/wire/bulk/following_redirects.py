"""One request of an export, wherever it is redirected; the token goes to the origin of the FHIR base URL and no
further.

The guide lets a status, a list and a file have any absolute address: beside the base URL, where widespread servers keep
their jobs, or at another host, in a storage that signs its addresses and must not see the token (interface facts 4.3).
So each address passes the guard, a redirect is followed a few times, and from the first address of another origin on
there is no Authorization any more, wherever it leads next.
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
    """The answer, of whatever status, from where the last redirect led; its body is still to be read.

    The token is left out where `url` itself is of another origin. Raises EndpointMisconfigured for a redirect too many,
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
    """Raises ForeignAddress where a token for this server may not go."""
    if not is_home(server, url):
        raise ForeignAddress(fault=AddressFault.HOST, code=Code.FOREIGN_ADDRESS)


def is_home(server: FhirServer, url: str) -> bool:
    """Whether a token for this server may go there: scheme, host and port are those of its FHIR base URL."""
    try:
        return parse_address(url, server.policy).origin == parse_address(server.base_url, server.policy).origin
    except UnsafeAddress:
        return False


def refusal(answer: Stream) -> WireError:
    """The error of a status that is not the one hoped for."""
    waiting = http_responses.please_wait(answer.response)
    if waiting is not None:
        return waiting
    if answer.status < 300:
        return UnexpectedAnswer(status=answer.status)
    if answer.status < 400:
        return EndpointMisconfigured(code=Code.REDIRECTED, status=answer.status)
    return http_responses.data_refusal(answer.response)


def _joined(url: str, location: str, *, status: int) -> str:
    """Where a redirect leads; what leads nowhere, or cannot be read as an address, is the server's mistake."""
    try:
        joined = urljoin(url, location) if location else ""
    except ValueError:
        joined = ""
    if not joined:
        raise EndpointMisconfigured(code=Code.REDIRECTED, status=status)
    return joined
