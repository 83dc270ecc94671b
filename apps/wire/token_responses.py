"""Reading a token response: a token set, or an error by who must act.

It is strict about what would do harm (another token type, a token that fits into no header, an error with status 200),
and tolerant about what is only missing (interface facts 2.7 to 2.10 and 2.21; RFC 6749 sections 5.1 and 5.2).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import requests

from apps.wire import addresses, http_responses
from apps.wire.addresses import page_beside
from apps.wire.bundles import LONGEST_ID
from apps.wire.errors import (
    AuthorizationDenied,
    AuthorizationExpired,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.secret import Secret

_LONGEST_TOKEN = 65_536
_LONGEST_LIFETIME_SECONDS = 366 * 86_400
_TOKEN = re.compile(rf"[\x20-\x7e]{{1,{_LONGEST_TOKEN}}}")  # VSCHAR of RFC 6749 appendix A
# FHIR allows neither the underscore nor this length, but servers send both (`bundles.LOGICAL_ID`).
_FHIR_ID = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_ID}}}")

# Interface facts 5.2: who must act on each code.
_BY_CODE: Mapping[Code, type[WireError]] = {
    Code.INVALID_REQUEST: RequestRefused,
    Code.INVALID_SCOPE: RequestRefused,
    Code.UNSUPPORTED_TOKEN_TYPE: RequestRefused,
    Code.INVALID_GRANT: AuthorizationExpired,
    Code.ACCESS_DENIED: AuthorizationDenied,
    Code.INVALID_CLIENT: ClientRejected,
    Code.UNSUPPORTED_GRANT_TYPE: ClientRejected,
    Code.INVALID_TARGET: ClientRejected,
    Code.UNAUTHORIZED_CLIENT: OrganizationNotEnabled,
    Code.SERVER_ERROR: Unavailable,
    Code.TEMPORARILY_UNAVAILABLE: Unavailable,
}
# If there is no error code that we know. A 400 alone is not here: it must not end the patient's link.
_BY_STATUS: Mapping[int, type[WireError]] = {
    401: ClientRejected,
    403: OrganizationNotEnabled,
    404: EndpointMisconfigured,
    405: RequestRefused,
    406: RequestRefused,
    410: EndpointMisconfigured,
    413: RequestRefused,
    414: RequestRefused,
    415: RequestRefused,
    431: RequestRefused,
}


@dataclass(frozen=True, repr=False)
class TokenSet:
    """Tokens that came together. `scope` is what was granted; None if the server did not say.

    `expires_in_seconds` is None if the server stated no plausible lifetime. `refresh_token` is None if none came; after
    a refresh, the present one then stays valid (RFC 6749 section 6). `origin` is that of the token address that
    answered.
    """

    access_token: Secret
    expires_in_seconds: int | None
    refresh_token: Secret | None
    scope: tuple[str, ...] | None = None
    patient: str | None = None
    encounter: str | None = None
    id_token: Secret | None = None
    origin: str = ""


def read_token_response(response: requests.Response, *, token_url: str) -> TokenSet:
    """The token set of a successful answer. Raises the error of any other, which contains no text of the server's."""
    check_refusal(response, token_url=token_url)
    answer = http_responses.json_object(response)
    token_type = answer.get("token_type")
    if token_type is not None and not (isinstance(token_type, str) and token_type.strip().lower() == "bearer"):
        raise _unusable(Code.UNSUPPORTED_TOKEN_TYPE)
    access_token = _token(answer, "access_token")
    if access_token is None:
        raise _unusable()
    return TokenSet(
        access_token=access_token,
        expires_in_seconds=_lifetime(answer.get("expires_in")),
        refresh_token=_token(answer, "refresh_token"),
        scope=_scope(answer.get("scope")),
        patient=_fhir_id(answer.get("patient")),
        encounter=_fhir_id(answer.get("encounter")),
        id_token=_token(answer, "id_token"),
        origin=addresses.origin(token_url),
    )


def check_refusal(response: requests.Response, *, token_url: str) -> None:
    """Raise the error that an answer reports, even one with status 200."""
    waiting = http_responses.please_wait(response)
    if waiting is not None:
        raise waiting
    status = response.status_code
    error = _error_fields(response)
    if error is None and 200 <= status < 300:
        return
    code = Code.named(error.get("error")) if error else Code.UNRECOGNIZED
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, UnexpectedAnswer)
    page = page_beside(error.get("error_uri"), beside=token_url) if error else None
    raise kind(code=code, status=status, error_uri=page)


def _error_fields(response: requests.Response) -> dict[str, Any] | None:
    """The answer, if it is a JSON object that reports an error."""
    try:
        answer = http_responses.json_object(response)
    except UnexpectedAnswer:
        return None
    return answer if answer.get("error") is not None else None


def _unusable(code: Code = Code.UNREADABLE) -> UnexpectedAnswer:
    return UnexpectedAnswer(code=code, status=200)


def _token(answer: Mapping[str, Any], name: str) -> Secret | None:
    value = answer.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        raise _unusable()
    return Secret(value)


def _lifetime(value: object) -> int | None:
    """Seconds, from a number or a string of digits; None if no server can mean it."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,12}(\.[0-9]{1,6})?\s*", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 1 <= value <= _LONGEST_LIFETIME_SECONDS else None


def _scope(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = value.split() if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and _TOKEN.fullmatch(name) for name in names):
        raise _unusable()
    return tuple(names)


def _fhir_id(value: object) -> str | None:
    """The id of a launch context. Some servers send a number. Anything else, such as a reference, is refused."""
    if value is None or value == "":
        return None
    written = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(written, str) or not _FHIR_ID.fullmatch(written):
        raise _unusable()
    return written
