"""The session of requests-oauthlib, with our transport.

The library builds the requests. It refuses http addresses unless an environment variable allows them for the whole
process. We do not set it: we show the library a loopback http address as if it were https, and send to the address as
configured, which the guard has checked (docs/decisions/0002-loopback-without-a-process-wide-switch.md).
`quieting_libraries` mutes what the library logs.
"""

from typing import Any

import requests
from requests_oauthlib import OAuth2Session

from apps.wire import transport
from apps.wire.addresses import AddressPolicy, check_address
from apps.wire.quieting_libraries import quiet_libraries

quiet_libraries()

TOKEN_ANSWER_BYTES = 262_144


def spelled_for_library(url: str) -> str:
    """The address with the scheme https. The library looks at nothing else."""
    return "https" + url.removeprefix("https").removeprefix("http")


class OAuthSession(OAuth2Session):
    """A session for one request to one token endpoint; give the library `endpoint_url_spelled`.

    It is discarded afterwards, with all that it knows of a client and its tokens. With `keeps_connection` the
    connection stays open for this thread's next request to the same origin: it carries no trace of whose request came
    before.
    """

    def __init__(
        self,
        endpoint_url: str,
        policy: AddressPolicy,
        *,
        client_id: str,
        redirect_uri: str | None,
        keeps_connection: bool,
    ) -> None:
        # No scope: the library would repeat it in a refresh, and would raise if a narrower one was granted.
        super().__init__(client_id=client_id, redirect_uri=redirect_uri)
        check_address(endpoint_url, policy)
        self._endpoint_url = endpoint_url
        self.endpoint_url_spelled = spelled_for_library(endpoint_url)
        self._keeps_connection = keeps_connection
        transport.guard(self, policy, max_bytes=TOKEN_ANSWER_BYTES, keeps_connections=keeps_connection)

    def close(self) -> None:
        """Leave a kept connection open: it belongs to the thread."""
        if not self._keeps_connection:
            super().close()

    def request(  # type: ignore[override]  # the library's own has no useful signature
        self, method: str, url: str, data: Any = None, headers: Any = None, **kwargs: Any
    ) -> requests.Response:
        """Send what the library built. The library's own method would add a bearer token and refuse loopback http."""
        for name in ("withhold_token", "client_id", "client_secret", "files"):
            kwargs.pop(name, None)
        sent_to = self._endpoint_url + url.removeprefix(self.endpoint_url_spelled)
        response = requests.Session.request(self, method, sent_to, data=data, headers=headers, **kwargs)
        response.encoding = "utf-8"  # RFC 8259 section 8.1; otherwise the library guesses it
        return response
