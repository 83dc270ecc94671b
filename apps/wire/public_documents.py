"""Documents that a server publishes for everybody: requested without a token, and one JSON object each.

Servers say "there is none" in many ways: with 401, 403 or 404 for an unknown path, or with a page of HTML and status
200 (interface facts 1.5). All of these mean the same here; only a failing server means something else.
"""

from typing import Any

from apps.wire import http_responses, transport
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import Code, EndpointMisconfigured, UnexpectedAnswer

JSON = "application/json"


def document(
    url: str, *, policy: AddressPolicy, absent: Code, accept: str = JSON, max_bytes: int = transport.MAX_BYTES
) -> dict[str, Any]:
    """The document at an address.

    Raises EndpointMisconfigured with the code `absent` if there is none, or with REDIRECTED; UnsafeAddress before
    anything is sent; UnexpectedAnswer if it is too large; Unavailable if the server does not say whether there is one.
    """
    session = transport.thread_session(policy, total_seconds=transport.TOTAL_SECONDS, max_bytes=max_bytes)
    response = session.get(url, headers={"Accept": accept})
    waiting = http_responses.please_wait(response)
    if waiting is not None:
        raise waiting
    found = None
    if response.status_code == 200:
        try:
            found = http_responses.json_object(response)
        except UnexpectedAnswer:
            found = None
    if found is None:
        raise EndpointMisconfigured(code=absent, status=response.status_code)
    return found
