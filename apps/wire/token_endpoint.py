"""The four requests to a token endpoint: exchanging a code, refreshing, revoking, and a system's token.

requests-oauthlib builds them, on a session with our transport. On interface A the parameters are in the query of a POST
that has the form Content-Type and no body (specification 4.1, P2 and P3). RFC 6749 section 2.3.1 forbids that for good
reason; therefore redirects are not followed, and no log line or exception contains an address. Nothing is retried here,
because only the caller knows what a second attempt would cost.
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import requests
from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error, WebApplicationClient
from requests.auth import AuthBase, HTTPBasicAuth

from apps.wire import scopes as wire_scopes
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import ASSERTION_TYPE, Authentication, Client, assertion
from apps.wire.dialects import Dialect, Placement
from apps.wire.errors import ClientRejected, Code, RequestRefused, UnexpectedAnswer
from apps.wire.oauth_session import OAuthSession
from apps.wire.secret import Secret
from apps.wire.token_responses import TokenSet, check_refusal, read_token_response

__all__ = ["TokenEndpoint", "TokenSet", "exchange", "refresh", "revoke", "system_token"]

_HEADERS = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
_OF_SYSTEMS = frozenset({Authentication.BASIC, Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})
_HookedRequest = tuple[str, dict[str, str], str]
_CHANGED_BY_DECODING = str.maketrans({"%": "%25", "+": "%2B"})


@dataclass(frozen=True)
class TokenEndpoint:
    """Where a client registration gets its tokens, and how.

    Raises ClientRejected if the registration would put its secret into the URL of a server that reads bodies.
    """

    url: str
    client: Client
    dialect: Dialect
    policy: AddressPolicy
    revocation_url: str | None = None

    def __post_init__(self) -> None:
        if self.client.authentication is Authentication.QUERY and self.dialect.token_parameters is Placement.BODY:
            raise ClientRejected(code=Code.UNSUPPORTED_AUTHENTICATION)

    @property
    def reads_query(self) -> bool:
        """Whether the parameters are sent in the query. Not if the registration authenticates in another way."""
        return self.dialect.token_parameters is Placement.QUERY and self.client.authentication in {
            Authentication.QUERY,
            Authentication.NONE,
        }


def exchange(
    endpoint: TokenEndpoint,
    *,
    code: Secret,
    redirect_uri: str,
    pkce_verifier: Secret | None = None,
    state: Secret | None = None,
    at: datetime | None = None,
) -> TokenSet:
    """Exchange an authorization code for tokens (P2, S3). `redirect_uri` is that of the authorization URL.

    `at` is the time of a signed assertion. By default it is the real time, because the server compares it with its own
    clock. Raises AuthorizationExpired if the code was used, has expired or is not ours, and other errors of `errors`.
    """
    optional: dict[str, Any] = _assertion_parameters(endpoint, at)
    if pkce_verifier is not None:
        optional["code_verifier"] = pkce_verifier.reveal()
    if state is not None and endpoint.dialect.sends_state_in_exchange:
        optional["state"] = state.reveal()

    def call(session: OAuthSession) -> None:
        session.fetch_token(
            session.endpoint_url_spelled,
            code=code.reveal(),
            headers=dict(_HEADERS),
            auth=_authorization(endpoint, at),
            include_client_id=True,  # P2 and S3 require it with every authentication method; S4 does not
            client_secret=_secret_parameter(endpoint.client),
            force_querystring=endpoint.reads_query,
            **optional,
        )

    return _token_set(endpoint, call, redirect_uri=redirect_uri)


def refresh(endpoint: TokenEndpoint, *, refresh_token: Secret, at: datetime | None = None) -> TokenSet:
    """Exchange a refresh token for a new token set (P3, S4). If it has no refresh token, the present one stays valid.

    `at` is as in `exchange`. Raises AuthorizationExpired if the refresh token is no longer valid, and other errors of
    `errors`. After Unavailable or UnexpectedAnswer, a server that rotates may or may not have invalidated the token.
    """

    def call(session: OAuthSession) -> None:
        session.refresh_token(
            session.endpoint_url_spelled,
            refresh_token=refresh_token.reveal(),
            headers=dict(_HEADERS),
            auth=_authorization(endpoint, at),
            **_client_parameters(endpoint.client),
            **_assertion_parameters(endpoint, at),
        )

    return _token_set(endpoint, call, redirect_uri=None)


def revoke(endpoint: TokenEndpoint, *, token: Secret, at: datetime | None = None) -> None:
    """Revoke a token (RFC 7009). Does nothing if the server has no known revocation address.

    The parameters are in the body on interface A, too: no other form is documented, and a token should not be in a URL.
    The hint is always `refresh_token`, because nearly every token that we revoke is one. If it is an access token, the
    server looks among its other tokens as well (RFC 7009, section 2.1). `at` is as in `exchange`.

    Raises WireError. Delete the token here whether or not this succeeds.
    """
    if endpoint.revocation_url is None:
        return
    client = endpoint.client
    with OAuthSession(
        endpoint.revocation_url,
        endpoint.policy,
        client_id=client.client_id,
        redirect_uri=None,
        keeps_connection=True,
    ) as session:
        _url, _headers, body = WebApplicationClient(client.client_id).prepare_token_revocation_request(
            session.endpoint_url_spelled,
            token.reveal(),
            token_type_hint="refresh_token",  # noqa: S106 - a name, not a token
            **_client_parameters(client),
            **_assertion_parameters(endpoint, at),
        )
        response = session.request(
            "POST", session.endpoint_url_spelled, data=body, headers=dict(_HEADERS), auth=_authorization(endpoint, at)
        )
    # RFC 7009 section 2.2: the body of a successful answer is ignored
    if response.status_code != 200:
        check_refusal(response, token_url=endpoint.revocation_url)


def system_token(endpoint: TokenEndpoint, *, scopes: Sequence[str], at: datetime) -> TokenSet:
    """Request a token for the client itself (client credentials grant: S5 and S6). It is sent on a connection of its
    own, because an assertion works only once.

    Raises RequestRefused (INVALID_SCOPE) if some scope is not a `system/` scope, ClientRejected
    (UNSUPPORTED_AUTHENTICATION) if S5 and S6 do not have the client's authentication method, and the error that the
    server answered.
    """
    client = endpoint.client
    scope = _system_scope(scopes)
    if client.authentication not in _OF_SYSTEMS:
        raise ClientRejected(code=Code.UNSUPPORTED_AUTHENTICATION)
    with OAuthSession(
        endpoint.url, endpoint.policy, client_id=client.client_id, redirect_uri=None, keeps_connection=False
    ) as session:
        body = BackendApplicationClient(client.client_id).prepare_request_body(
            scope=scope, **_assertion_parameters(endpoint, at)
        )
        response = session.request(
            "POST",
            session.endpoint_url_spelled,
            data=body,
            headers=dict(_HEADERS),
            auth=_authorization(endpoint, at),
        )
    return read_token_response(response, token_url=endpoint.url)


def _system_scope(scopes: Sequence[str]) -> str:
    """The scope parameter. Specification 5.2.2: only `system/` scopes, each of which follows the grammar."""
    scope = wire_scopes.joined(scopes)
    if not scope or not all(map(wire_scopes.is_system, scope.split(" "))):
        raise RequestRefused(code=Code.INVALID_SCOPE)
    return scope


def _token_set(endpoint: TokenEndpoint, call: Callable[[OAuthSession], None], *, redirect_uri: str | None) -> TokenSet:
    """Let the library make one request, and return what our own reader found in its answer.

    A code, which comes with a `redirect_uri`, works only once. It is sent on a connection of its own: if the server
    closes a kept connection just then, the request is lost, and nobody knows whether it arrived.
    """
    reader = _Reader(endpoint.url)
    with OAuthSession(
        endpoint.url,
        endpoint.policy,
        client_id=endpoint.client.client_id,
        redirect_uri=redirect_uri,
        keeps_connection=redirect_uri is None,
    ) as session:
        session.register_compliance_hook("access_token_response", reader)
        session.register_compliance_hook("refresh_token_response", reader)
        if endpoint.reads_query:
            # the stubs do not know this hook
            session.register_compliance_hook("refresh_token_request", _moved_to_query)  # type: ignore[call-overload]
        try:
            call(session)
        except (OAuth2Error, requests.RequestException, ValueError, Warning):
            reader.token_set = None  # the library refused what the reader passed on; its error text is not kept
    if reader.token_set is None:
        raise UnexpectedAnswer(code=Code.UNREADABLE)
    return reader.token_set


class _Reader:
    """A response hook that reads the answer before the library does, and passes on only what it cannot misread."""

    def __init__(self, token_url: str) -> None:
        self._token_url = token_url
        self.token_set: TokenSet | None = None

    def __call__(self, response: requests.Response) -> requests.Response:
        self.token_set = read_token_response(response, token_url=self._token_url)
        passed_on = requests.Response()
        passed_on.status_code = response.status_code
        passed_on.encoding = "utf-8"
        bare = {"access_token": self.token_set.access_token.reveal()}  # the library needs no more
        passed_on.raw = io.BytesIO(json.dumps(bare).encode("ascii"))
        return passed_on


def _moved_to_query(url: str, headers: dict[str, str], body: str) -> _HookedRequest:
    """The same request with its parameters in the query. `force_querystring` of the library does that only for an
    exchange."""
    return f"{url}{'&' if '?' in url else '?'}{body}", headers, ""


class _Bearer(AuthBase):
    """A signed assertion as the Authorization header: specification 4.2 S6."""

    def __init__(self, signed: Secret) -> None:
        self._signed = signed

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._signed.reveal()}"
        return request


def _authorization(endpoint: TokenEndpoint, at: datetime | None) -> AuthBase | None:
    """What goes into the Authorization header, if the client authenticates there."""
    if endpoint.client.authentication is Authentication.BEARER_JWT:
        return _Bearer(_assertion(endpoint, at))
    return _basic(endpoint.client)


def _basic(client: Client) -> HTTPBasicAuth | None:
    """HTTP Basic: base64 of the client id, a colon and the secret (specification 5.2.5).

    RFC 6749 section 2.3.1 requires both to be form-encoded first, but not every server decodes them. We encode only
    the percent and plus signs, which decoding would change, and a colon in the id. A server that decodes therefore
    reads every id and secret correctly, and one that does not reads those correctly that have none of these signs."""
    if client.authentication is not Authentication.BASIC or client.secret is None:
        return None
    client_id, secret = (value.translate(_CHANGED_BY_DECODING) for value in (client.client_id, client.secret.reveal()))
    return HTTPBasicAuth(client_id.replace(":", "%3A").encode(), secret.encode())


def _secret_parameter(client: Client) -> str | None:
    if client.authentication in {Authentication.QUERY, Authentication.BODY} and client.secret is not None:
        return client.secret.reveal()
    return None


def _assertion_parameters(endpoint: TokenEndpoint, at: datetime | None) -> dict[str, Any]:
    """The two form fields of a signed assertion (RFC 7523 section 2.2); none for other methods."""
    if endpoint.client.authentication is not Authentication.PRIVATE_KEY_JWT:
        return {}
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": _assertion(endpoint, at).reveal()}


def _assertion(endpoint: TokenEndpoint, at: datetime | None) -> Secret:
    """An assertion whose audience is the token address."""
    return assertion(endpoint.client, audience=endpoint.url, at=at or datetime.now(UTC))


def _client_parameters(client: Client) -> dict[str, Any]:
    """Client id and secret, if the authentication method sends them among the parameters."""
    if client.authentication is Authentication.BASIC:
        return {}
    secret = _secret_parameter(client)
    return {"client_id": client.client_id} | ({} if secret is None else {"client_secret": secret})
