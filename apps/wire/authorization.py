"""The authorization request of OAuth, and the response that the browser brings back.

In this order: `new_pkce_verifier`, if the registration uses PKCE; `authorization_url`; the person signs in there;
`read_response`; then either `token_endpoint.exchange` with the code, or `refusal`, which says what happened. The caller
makes and compares the state, because only the caller knows which browser began.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from requests_oauthlib import OAuth2Session

from apps.wire import scopes
from apps.wire.addresses import AddressPolicy, page_beside, parse_address
from apps.wire.errors import (
    AuthorizationDenied,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.oauth_session import spelled_for_library
from apps.wire.secret import Secret

_LONGEST_VALUE = 65_536  # there are codes of 16 KiB; four times that is enough
_VISIBLE = re.compile(r"[\x20-\x7e]+")  # VSCHAR of RFC 6749 appendix A
_READ = ("state", "code", "error", "error_uri", "iss")

# Interface facts 5.1. An error that is not here becomes an UnexpectedAnswer, which operators look at.
_REFUSALS: Mapping[Code, type[WireError]] = {
    Code.ACCESS_DENIED: AuthorizationDenied,
    Code.LOGIN_REQUIRED: AuthorizationDenied,  # this and the next three answer prompt=none, which we never send
    Code.CONSENT_REQUIRED: AuthorizationDenied,
    Code.INTERACTION_REQUIRED: AuthorizationDenied,
    Code.ACCOUNT_SELECTION_REQUIRED: AuthorizationDenied,
    Code.UNAUTHORIZED_CLIENT: OrganizationNotEnabled,
    Code.INVALID_CLIENT: ClientRejected,
    Code.INVALID_TARGET: ClientRejected,
    Code.INVALID_REQUEST: RequestRefused,
    Code.INVALID_SCOPE: RequestRefused,
    Code.UNSUPPORTED_RESPONSE_TYPE: RequestRefused,
    Code.SERVER_ERROR: Unavailable,
    Code.TEMPORARILY_UNAVAILABLE: Unavailable,
}


def new_pkce_verifier() -> Secret:
    """43 characters from 256 random bits (RFC 7636 section 4.1)."""
    return Secret(secrets.token_urlsafe(32))


def pkce_challenge(verifier: Secret) -> str:
    """The S256 challenge (RFC 7636 section 4.2); plain is never used."""
    digest = hashlib.sha256(verifier.reveal().encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def authorization_url(
    *,
    authorize_url: str,
    client_id: str,
    redirect_uri: str,
    state: Secret,
    pkce_verifier: Secret | None = None,
    scope: Sequence[str] | str | None = None,
    aud: str | None = None,
    launch: str | None = None,
    nonce: str | None = None,
    prompt: str | None = None,
) -> str:
    """The address to send the browser to: specification 4.1 P1 and 4.2 S2, each parameter once.

    If the authorize address already has a query, it is kept. Raises EndpointMisconfigured if that query contains one of
    our parameters, UnsafeAddress if the address is neither https nor loopback, and RequestRefused if the scope does not
    follow the grammar or contains a `system/` scope, which no person can grant.
    """
    _check_authorize_url(authorize_url)
    optional: dict[str, str] = {
        name: value for name, value in (("aud", aud), ("launch", launch), ("nonce", nonce), ("prompt", prompt)) if value
    }
    if pkce_verifier is not None:
        optional |= {"code_challenge": pkce_challenge(pkce_verifier), "code_challenge_method": "S256"}
    _check_unused(authorize_url, {"response_type", "client_id", "redirect_uri", "state", "scope", *optional})
    library = OAuth2Session(client_id=client_id, redirect_uri=redirect_uri, scope=_scope_parameter(scope))
    url, _state = library.authorization_url(spelled_for_library(authorize_url), state=state.reveal(), **optional)
    return urlsplit(url)._replace(scheme=urlsplit(authorize_url).scheme).geturl()


@dataclass(frozen=True, repr=False)
class AuthorizationResponse:
    """What the browser brought back. Trust nothing in it before you have recognized the state.

    It has either a `code` or an `error`. `issuer` is the `iss` of RFC 9207. `error_uri` is kept only if it is on the
    host of the authorize address.
    """

    state: Secret | None
    code: Secret | None
    error: Code | None
    error_uri: str | None
    issuer: str | None


def read_response(
    unverified_query: Mapping[str, Sequence[str]], *, authorize_url: str | None = None
) -> AuthorizationResponse:
    """Read the query of the callback (RFC 6749 sections 4.1.2 and 4.1.2.1). Other parameters are ignored.

    Raises RequestRefused (MALFORMED_RESPONSE) for a repeated parameter, for both a code and an error or neither, and
    for a value that is too long or not printable ASCII. An error that we have no name for becomes UNRECOGNIZED.
    """
    values = {name: _single(unverified_query.get(name, ())) for name in _READ}
    code, error = values["code"], values["error"]
    if (code is None) == (error is None):
        raise RequestRefused(code=Code.MALFORMED_RESPONSE)
    return AuthorizationResponse(
        state=Secret(values["state"]) if values["state"] else None,
        code=Secret(code) if code else None,
        error=Code.named(error) if error else None,
        error_uri=page_beside(values["error_uri"], beside=authorize_url) if authorize_url else None,
        issuer=values["iss"],
    )


def refusal(response: AuthorizationResponse) -> WireError:
    """The typed error for a response without a code, to raise or to show (interface facts 5.1)."""
    error = response.error or Code.MALFORMED_RESPONSE
    return _REFUSALS.get(error, UnexpectedAnswer)(code=error, error_uri=response.error_uri)


def check_issuer(response: AuthorizationResponse, expected: str | None, *, is_required: bool) -> None:
    """Refuse a response that comes from another authorization server than we asked (RFC 9207: mix-up attacks).

    `expected` is the issuer that the server we asked has published, or None. `is_required` says that it promised to
    name itself in each response. If we know no issuer to compare with, an `iss` is refused: a server without an issuer
    cannot send one. Errors are checked like codes. Raises UnexpectedAnswer (WRONG_ISSUER).
    """
    is_acceptable = not is_required if response.issuer is None else response.issuer == expected
    if not is_acceptable:
        raise UnexpectedAnswer(code=Code.WRONG_ISSUER)


def _scope_parameter(scope: Sequence[str] | str | None) -> str | None:
    if not scope:
        return None
    written = scopes.joined(scope)
    if any(map(scopes.is_system, written.split(" "))):
        raise RequestRefused(code=Code.INVALID_SCOPE)
    return written


def _single(values: Sequence[str]) -> str | None:
    """The only value of a parameter; RFC 6749 section 3.1: an empty one counts as absent."""
    if len(values) > 1:
        raise RequestRefused(code=Code.MALFORMED_RESPONSE)
    value = values[0] if values else ""
    if len(value) > _LONGEST_VALUE or (value and not _VISIBLE.fullmatch(value)):
        raise RequestRefused(code=Code.MALFORMED_RESPONSE)
    return value or None


def _check_authorize_url(authorize_url: str) -> None:
    """The writing of the address. Its port and loopback were judged by the policy when it was configured."""
    parts = urlsplit(authorize_url)
    lenient = AddressPolicy(
        allow_loopback_http=True, approved_origins=frozenset({f"{parts.scheme}://{parts.netloc.lower()}"})
    )
    parse_address(authorize_url, lenient)


def _check_unused(authorize_url: str, ours: set[str]) -> None:
    taken = {name for name, _value in parse_qsl(urlsplit(authorize_url).query, keep_blank_values=True)}
    if taken & ours:
        raise EndpointMisconfigured(code=Code.INVALID_REQUEST)
