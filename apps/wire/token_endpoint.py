"""Exchanging a code, refreshing, revoking, and asking for a system's token, at one token endpoint.

requests-oauthlib does the work on a session that carries our transport. On interface A the parameters travel in the
query of a POST that still carries the form Content-Type and no body (specification 4.1, P2 and P3), which RFC 6749
section 2.3.1 forbids for good reason: hence no redirect, no log line and no exception text with an address in it.
Nothing is retried here: the caller knows what a second attempt would cost.
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

    Raises ClientRejected where the registration would put its secret into the URL of a server that reads bodies.
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
        """Whether the parameters travel in the query; a registration that names another method overrides it."""
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
    """Trades an authorization code for tokens: P2, S3. `redirect_uri` is the one of the authorization URL.

    `at` dates a signed assertion; without it the clock is read, since their clock is what judges it.
    Raises WireError: AuthorizationExpired where the code is used, expired or not ours, and see `errors`.
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
            include_client_id=True,  # P2 and S3 list it whatever the proof; S4 does not
            client_secret=_secret_parameter(endpoint.client),
            force_querystring=endpoint.reads_query,
            **optional,
        )

    return _token_set(endpoint, call, redirect_uri=redirect_uri)


def refresh(endpoint: TokenEndpoint, *, refresh_token: Secret, at: datetime | None = None) -> TokenSet:
    """Trades a refresh token for a new token set: P3, S4. A token set without a refresh token means: keep yours.

    `at` as in `exchange`.

    Raises WireError: AuthorizationExpired where the refresh token no longer holds, and see `errors`. After
    Unavailable or UnexpectedAnswer a server that rotates may or may not have used the token up.
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
    """Tells the server that a token is dead (RFC 7009); does nothing where no revocation address is known.

    The parameters travel in the body also on interface A: no other form is documented, and a URL is no place for a
    token. The hint is always `refresh_token`, which nearly every revoked token is. For an access token alone it is
    wrong, and then the server looks among all kinds of tokens (RFC 7009, section 2.1). `at` as in `exchange`.

    Raises WireError; forgetting the token must not wait for this to succeed.
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
    # RFC 7009 section 2.2: the body of a success means nothing
    if response.status_code != 200:
        check_refusal(response, token_url=endpoint.revocation_url)


def system_token(endpoint: TokenEndpoint, *, scopes: Sequence[str], at: datetime) -> TokenSet:
    """A token for the client itself: S5 and S6. The body holds grant type and scope, and an assertion where that is no
    header; the client id stands in the proof. Goes out on a connection of its own, since an assertion works once.

    Raises RequestRefused (INVALID_SCOPE) for scopes that are not all `system/…`, ClientRejected
    (UNSUPPORTED_AUTHENTICATION) for a client that proves itself in no way S5 or S6 names, and what the answer stands
    for.
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
    """The scope parameter. Specification 5.2.2: `system/` alone, and each of them in the grammar."""
    scope = wire_scopes.joined(scopes)
    if not scope or not all(map(wire_scopes.is_system, scope.split(" "))):
        raise RequestRefused(code=Code.INVALID_SCOPE)
    return scope


def _token_set(endpoint: TokenEndpoint, call: Callable[[OAuthSession], None], *, redirect_uri: str | None) -> TokenSet:
    """Makes one call of the library and returns what its answer said to our own reader.

    A code, which comes with a `redirect_uri`, works once: it goes out on a connection of its own, since what is sent on
    a kept one while the far end closes it is lost, and nobody can say whether it arrived.
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
            reader.token_set = None  # the library refused what the reader passed: its text is not kept
    if reader.token_set is None:
        raise UnexpectedAnswer(code=Code.UNREADABLE)
    return reader.token_set


class _Reader:
    """A response hook that reads the answer before the library does, and hands it only what it cannot misread."""

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
    """What `force_querystring` does for an exchange and the library leaves undone for a refresh."""
    return f"{url}{'&' if '?' in url else '?'}{body}", headers, ""


class _Bearer(AuthBase):
    """A signed assertion as the Authorization header: specification 4.2 S6."""

    def __init__(self, signed: Secret) -> None:
        self._signed = signed

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._signed.reveal()}"
        return request


def _authorization(endpoint: TokenEndpoint, at: datetime | None) -> AuthBase | None:
    """What goes into the Authorization header, where the client proves itself there."""
    if endpoint.client.authentication is Authentication.BEARER_JWT:
        return _Bearer(_assertion(endpoint, at))
    return _basic(endpoint.client)


def _basic(client: Client) -> HTTPBasicAuth | None:
    """Base64 of id, colon and secret as they are (specification 5.2.5). RFC 6749 section 2.3.1 has them form-encoded
    before they are joined, and not every server takes that back: encoded is what taking it back would change, and a
    colon of the id's. So a server of either kind reads what is meant; one that takes nothing back, unless a percent
    or plus sign is in it."""
    if client.authentication is not Authentication.BASIC or client.secret is None:
        return None
    client_id, secret = (
        written.translate(_CHANGED_BY_DECODING) for written in (client.client_id, client.secret.reveal())
    )
    return HTTPBasicAuth(client_id.replace(":", "%3A").encode(), secret.encode())


def _secret_parameter(client: Client) -> str | None:
    if client.authentication in {Authentication.QUERY, Authentication.BODY} and client.secret is not None:
        return client.secret.reveal()
    return None


def _assertion_parameters(endpoint: TokenEndpoint, at: datetime | None) -> dict[str, Any]:
    """The two form fields of a signed assertion (RFC 7523 section 2.2)."""
    if endpoint.client.authentication is not Authentication.PRIVATE_KEY_JWT:
        return {}
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": _assertion(endpoint, at).reveal()}


def _assertion(endpoint: TokenEndpoint, at: datetime | None) -> Secret:
    """Whose audience is the token address."""
    return assertion(endpoint.client, audience=endpoint.url, at=at or datetime.now(UTC))


def _client_parameters(client: Client) -> dict[str, Any]:
    """Client id and secret among the parameters, where the method puts them there."""
    if client.authentication is Authentication.BASIC:
        return {}
    secret = _secret_parameter(client)
    return {"client_id": client.client_id} | ({} if secret is None else {"client_secret": secret})
