"""Map each error of a sign-in to its outcome: every code of interface facts 5.1 and 5.2 has a row.

The provider's error code decides first, then the type of the error. What the patient reads is in `presenting.wording`.
"""

from collections.abc import Mapping

from apps.connections.outcomes import Outcome
from apps.wire.authorization import AuthorizationResponse
from apps.wire.dialects import Interface
from apps.wire.errors import (
    AccessRefused,
    AuthorizationDenied,
    AuthorizationExpired,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    IdentityRefused,
    NotFound,
    OrganizationNotEnabled,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)

# Interface facts 5.1: the error parameter of an authorization response.
AUTHORIZATION_ANSWERS: Mapping[Code, Outcome] = {
    Code.INVALID_REQUEST: Outcome.REQUEST_REFUSED,
    Code.UNAUTHORIZED_CLIENT: Outcome.NOT_ENABLED,
    Code.INVALID_CLIENT: Outcome.REGISTRATION_BROKEN,
    Code.ACCESS_DENIED: Outcome.CANCELLED,
    Code.UNSUPPORTED_RESPONSE_TYPE: Outcome.REQUEST_REFUSED,
    Code.INVALID_SCOPE: Outcome.REQUEST_REFUSED,
    Code.INVALID_TARGET: Outcome.REQUEST_REFUSED,
    Code.SERVER_ERROR: Outcome.PROVIDER_DOWN,
    Code.TEMPORARILY_UNAVAILABLE: Outcome.PROVIDER_DOWN,
    # answers to prompt=none, which we never send: a new sign-in is what helps
    Code.LOGIN_REQUIRED: Outcome.CODE_REFUSED,
    Code.CONSENT_REQUIRED: Outcome.CODE_REFUSED,
    Code.INTERACTION_REQUIRED: Outcome.CODE_REFUSED,
    Code.ACCOUNT_SELECTION_REQUIRED: Outcome.CODE_REFUSED,
}

# Interface facts 5.2: the error code of the token endpoint's response to an authorization code.
TOKEN_ANSWERS: Mapping[Code, Outcome] = {
    Code.INVALID_REQUEST: Outcome.REQUEST_REFUSED,
    Code.INVALID_CLIENT: Outcome.REGISTRATION_BROKEN,
    Code.INVALID_GRANT: Outcome.CODE_REFUSED,
    Code.UNAUTHORIZED_CLIENT: Outcome.NOT_ENABLED,
    Code.UNSUPPORTED_GRANT_TYPE: Outcome.REGISTRATION_BROKEN,
    Code.INVALID_SCOPE: Outcome.REQUEST_REFUSED,
    Code.INVALID_TARGET: Outcome.REGISTRATION_BROKEN,
    Code.ACCESS_DENIED: Outcome.CANCELLED,
    Code.SERVER_ERROR: Outcome.PROVIDER_DOWN,
    Code.TEMPORARILY_UNAVAILABLE: Outcome.PROVIDER_DOWN,
}

# If no code was recognized: the most specific type first.
_KINDS_AT_THE_TOKEN_ENDPOINT: tuple[tuple[type[WireError], Outcome], ...] = (
    (Unavailable, Outcome.PROVIDER_DOWN),
    (AuthorizationExpired, Outcome.CODE_REFUSED),
    (AuthorizationDenied, Outcome.CANCELLED),
    (OrganizationNotEnabled, Outcome.NOT_ENABLED),
    (ClientRejected, Outcome.REGISTRATION_BROKEN),
    (EndpointMisconfigured, Outcome.REGISTRATION_BROKEN),
    (RequestRefused, Outcome.REQUEST_REFUSED),
    (UnexpectedAnswer, Outcome.UNREADABLE),
)

# Interface facts 3.7, 5.3 and 5.4: errors of the ID token, and of GET Patient with a token that is seconds old.
_KINDS_AT_THE_FHIR_SERVER: tuple[tuple[type[WireError], Outcome], ...] = (
    (IdentityRefused, Outcome.IDENTITY_REFUSED),
    (OrganizationNotEnabled, Outcome.NOT_ENABLED),
    (Unavailable, Outcome.PROVIDER_DOWN),
    (AuthorizationExpired, Outcome.CODE_REFUSED),
    (AccessRefused, Outcome.NO_PERSON),
    (NotFound, Outcome.NO_PERSON),
    (EndpointMisconfigured, Outcome.REGISTRATION_BROKEN),
    (RequestRefused, Outcome.REQUEST_REFUSED),
    (UnexpectedAnswer, Outcome.UNREADABLE),
)

# Part of the error_uri that says that the provider refused, not the person (interface facts 5.7).
_DENIED_BY_SERVER = "denied-by-server"


def of_authorization_answer(response: AuthorizationResponse) -> Outcome:
    """The outcome of an authorization response without a code. An unknown code counts as a sign-in that was not
    finished."""
    if response.error is Code.ACCESS_DENIED and _DENIED_BY_SERVER in (response.error_uri or ""):
        return Outcome.DENIED_BY_PROVIDER
    return AUTHORIZATION_ANSWERS.get(response.error or Code.UNRECOGNIZED, Outcome.CODE_REFUSED)


def of_exchange(error: WireError, interface: Interface = Interface.PATIENT_ACCESS) -> Outcome:
    """The outcome of a failed code exchange. An address that was discovered is asked for again; one that staff
    configured is ours to fix."""
    outcome = TOKEN_ANSWERS.get(error.code) or _by_kind(error, _KINDS_AT_THE_TOKEN_ENDPOINT)
    is_elsewhere = outcome is Outcome.REGISTRATION_BROKEN and isinstance(error, EndpointMisconfigured)
    if interface is Interface.SMART and (is_elsewhere or error.status == 405):
        return Outcome.ADDRESS_DOUBTED
    return outcome


def of_finding(error: WireError) -> Outcome:
    """The outcome if it could not be determined whose record it is."""
    if error.code is Code.INSUFFICIENT_SCOPE:
        return Outcome.NOTHING_SHARED
    if error.code is Code.NO_KEYS:
        return Outcome.IDENTITY_REFUSED
    return _by_kind(error, _KINDS_AT_THE_FHIR_SERVER)


def _by_kind(error: WireError, kinds: tuple[tuple[type[WireError], Outcome], ...]) -> Outcome:
    return next((outcome for kind, outcome in kinds if isinstance(error, kind)), Outcome.UNREADABLE)
