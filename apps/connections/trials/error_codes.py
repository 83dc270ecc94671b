"""The code for an error of the wire. If the server sent none that we know, the type of the error decides."""

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
    Throttled,
    Unavailable,
    WireError,
)

# The most specific type first.
_KINDS: tuple[tuple[type[WireError], str], ...] = (
    (Throttled, "throttled"),
    (Unavailable, "unavailable"),
    (AuthorizationExpired, Code.INVALID_GRANT.value),
    (AuthorizationDenied, Code.ACCESS_DENIED.value),
    (OrganizationNotEnabled, Code.UNAUTHORIZED_CLIENT.value),
    (ClientRejected, Code.INVALID_CLIENT.value),
    (AccessRefused, "not_shared"),
    (NotFound, "not_found"),
    (EndpointMisconfigured, "wrong_address"),
    (IdentityRefused, Code.INVALID_IDENTITY.value),
    (RequestRefused, Code.INVALID_REQUEST.value),
)


def code(error: WireError) -> str:
    """The code for `Result.code`. A refusal of one type of data differs from that of the whole token."""
    if isinstance(error, AccessRefused):
        return "not_shared"
    if isinstance(error, IdentityRefused):
        return error.fault.value if error.code is Code.INVALID_IDENTITY else error.code.value
    if error.code is not Code.UNRECOGNIZED:
        return error.code.value
    return next((word for kind, word in _KINDS if isinstance(error, kind)), Code.UNREADABLE.value)
