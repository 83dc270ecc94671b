"""The word for an error of the wire, where the far end gave none that we know: what kind of error it was."""

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

# The most particular kind first.
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
    """A word for `Result.code`. What refused one type of data is told from what refused a whole token."""
    if isinstance(error, AccessRefused):
        return "not_shared"
    if isinstance(error, IdentityRefused):
        return error.fault.value if error.code is Code.INVALID_IDENTITY else error.code.value
    if error.code is not Code.UNRECOGNIZED:
        return error.code.value
    return next((word for kind, word in _KINDS if isinstance(error, kind)), Code.UNREADABLE.value)
