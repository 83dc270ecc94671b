"""requests-oauthlib's session, carrying our transport.

The library builds the requests. It refuses every http address unless a process-wide variable is set; instead of
setting it we spell a loopback http address with https for the library alone and send to the address as configured,
which the guard has checked (docs/decisions/0002-loopback-without-a-process-wide-switch.md). Whatever the library
logs is muted by `quieting_libraries`.
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
    """The address with https for a scheme, which is all the library looks at."""
    return "https" + url.removeprefix("https").removeprefix("http")


class OAuthSession(OAuth2Session):
    """One token call to one endpoint; give the library `endpoint_url_spelled`.

    It is thrown away afterwards with all it knows of a client and its tokens. With `keeps_connection` the connection is
    kept for this thread's next such call to the same origin: nothing on it says whose calls came before.
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
        # No scope: the library would repeat the requested one in a refresh, and raise on a narrower one granted.
        super().__init__(client_id=client_id, redirect_uri=redirect_uri)
        check_address(endpoint_url, policy)
        self._endpoint_url = endpoint_url
        self.endpoint_url_spelled = spelled_for_library(endpoint_url)
        self._keeps_connection = keeps_connection
        transport.guard(self, policy, max_bytes=TOKEN_ANSWER_BYTES, keeps_connections=keeps_connection)

    def close(self) -> None:
        """Leaves a kept connection open: it is the thread's."""
        if not self._keeps_connection:
            super().close()

    def request(  # type: ignore[override]  # the library's own has no useful signature
        self, method: str, url: str, data: Any = None, headers: Any = None, **kwargs: Any
    ) -> requests.Response:
        """Sends what the library built. Its own method would add a bearer token and refuse loopback http."""
        for name in ("withhold_token", "client_id", "client_secret", "files"):
            kwargs.pop(name, None)
        sent_to = self._endpoint_url + url.removeprefix(self.endpoint_url_spelled)
        response = requests.Session.request(self, method, sent_to, data=data, headers=headers, **kwargs)
        response.encoding = "utf-8"  # RFC 8259 section 8.1; otherwise the library has it guessed
        return response
