"""One request of an export, wherever it is redirected; the token goes below the FHIR base URL and no further.

Servers answer a file with 307 to a short-lived address of their storage, which is signed and must not see the token
(interface facts 4.3). So: a redirect is followed a few times, each address passes the guard, and from the first that
is not below the FHIR base URL on there is no Authorization any more, wherever it leads next.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin

from apps.wire import answers, challenges, fhir, transport
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    EndpointMisconfigured,
    ForeignAddress,
    NotFound,
    RequestRefused,
    UnexpectedAnswer,
    UnsafeAddress,
    WireError,
)
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from apps.wire.transport import Stream

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3
_BY_STATUS: Mapping[int, type[WireError]] = {
    401: AuthorizationExpired,
    403: AccessRefused,
    404: NotFound,
    410: NotFound,
}


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

    With a token, `url` itself has to be below the FHIR base URL: raises ForeignAddress, before anything is sent, where
    it is not. Raises EndpointMisconfigured for a redirect too many, UnsafeAddress, and Unavailable.
    """
    if access_token is not None:
        fhir.check_below(server, url)
    for _hop in range(_MOST_REDIRECTS + 1):
        sent = dict(headers)
        if access_token is not None:
            sent["Authorization"] = f"Bearer {access_token.reveal()}"
        with transport.stream(url, server.policy, method=method, headers=sent) as answer:
            if answer.status not in _REDIRECTS or not is_followed:
                yield answer
                return
            url = _joined(url, answer.header("Location"), status=answer.status)
        access_token = access_token if _is_below(server, url) else None
    raise EndpointMisconfigured(code=Code.REDIRECTED)


def refusal(answer: Stream) -> WireError:
    """The error of a status that is not the one hoped for."""
    waiting = answers.please_wait(answer.response)
    if waiting is not None:
        return waiting
    if answer.status < 300:
        return UnexpectedAnswer(status=answer.status)
    if answer.status < 400:
        return EndpointMisconfigured(code=Code.REDIRECTED, status=answer.status)
    code = challenges.reason(answer.header("WWW-Authenticate"))
    return _BY_STATUS.get(answer.status, RequestRefused)(code=code, status=answer.status)


def _joined(url: str, location: str, *, status: int) -> str:
    """Where a redirect leads; what leads nowhere, or cannot be read as an address, is the server's mistake."""
    try:
        joined = urljoin(url, location) if location else ""
    except ValueError:
        joined = ""
    if not joined:
        raise EndpointMisconfigured(code=Code.REDIRECTED, status=status)
    return joined


def _is_below(server: FhirServer, url: str) -> bool:
    try:
        fhir.check_below(server, url)
    except (ForeignAddress, UnsafeAddress):
        return False
    return True
