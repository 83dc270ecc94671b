"""What can go wrong between us and a provider, grouped by who must act.

    WireError
    ├── Unavailable               wait     time-outs, 408, 5xx, unreachable
    │   └── Throttled             wait     429
    ├── AuthorizationExpired      patient  invalid_grant; 401 on data
    ├── AuthorizationDenied       patient  access_denied
    ├── AccessRefused             patient  403 on a resource type
    ├── NotFound                  patient  404 or 410 on data
    ├── ClientRejected            operator invalid_client, unsupported_grant_type
    │   └── OrganizationNotEnabled operator unauthorized_client, 403 of a tenant
    ├── EndpointMisconfigured     operator wrong address, no metadata, no SMART configuration, a redirect, untrusted TLS
    │   └── UnsafeAddress         operator the address guard refused
    │       └── ForeignAddress    operator a link that leads away from its FHIR base URL
    ├── IdentityRefused           operator an ID token that does not prove who signed in
    ├── RequestRefused            us       invalid_request, invalid_scope, 400, 405, 406, 415
    └── UnexpectedAnswer          us       unreadable, wrong type, too large

The text of each is its docstring and nothing else: what a server said is never kept, because it can echo a secret
(docs/decisions/0001-no-explanation-in-errors.md). None of them is chained to another library's exception, whose text
would contain the URL.
"""

import re
from enum import StrEnum
from typing import ClassVar, Self


class Actor(StrEnum):
    """Who can change the outcome."""

    WAIT = "wait"
    PATIENT = "patient"
    OPERATOR = "operator"
    US = "us"


class Code(StrEnum):
    """The closed vocabulary of `WireError.code`: what the server called the error, or what we saw."""

    # RFC 6749 sections 4.1.2.1 and 5.2; RFC 8707; RFC 7009; RFC 6750; OpenID Connect Core 3.1.2.6
    INVALID_REQUEST = "invalid_request"
    INVALID_CLIENT = "invalid_client"
    INVALID_GRANT = "invalid_grant"
    UNAUTHORIZED_CLIENT = "unauthorized_client"
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type"
    UNSUPPORTED_RESPONSE_TYPE = "unsupported_response_type"
    INVALID_SCOPE = "invalid_scope"
    INVALID_TARGET = "invalid_target"
    UNSUPPORTED_TOKEN_TYPE = "unsupported_token_type"  # noqa: S105  # nosec B105 - a name, not a token
    ACCESS_DENIED = "access_denied"
    SERVER_ERROR = "server_error"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"
    INVALID_TOKEN = "invalid_token"  # noqa: S105  # nosec B105 - a name, not a token
    INSUFFICIENT_SCOPE = "insufficient_scope"
    LOGIN_REQUIRED = "login_required"
    CONSENT_REQUIRED = "consent_required"
    INTERACTION_REQUIRED = "interaction_required"
    ACCOUNT_SELECTION_REQUIRED = "account_selection_required"
    # What we saw ourselves
    TIMED_OUT = "timed_out"
    UNREACHABLE = "unreachable"
    UNTRUSTED_CERTIFICATE = "untrusted_certificate"
    REDIRECTED = "redirected"
    UNSAFE_ADDRESS = "unsafe_address"
    FOREIGN_ADDRESS = "foreign_address"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    WRONG_RESOURCE = "wrong_resource"
    NO_METADATA = "no_metadata"
    NO_SMART_CONFIGURATION = "no_smart_configuration"
    NO_KEYS = "no_keys"
    INVALID_IDENTITY = "invalid_identity"
    WRONG_ISSUER = "wrong_issuer"
    UNKNOWN_VERSION = "unknown_version"
    UNSUPPORTED_AUTHENTICATION = "unsupported_authentication"
    MALFORMED_RESPONSE = "malformed_response"
    UNRECOGNIZED = "unrecognized"

    @classmethod
    def named(cls, unverified_name: object) -> Self:
        """The code for a server's name of an error: "Invalid Grant" is invalid_grant. UNRECOGNIZED for a name that is
        unknown, or that is ours."""
        if not isinstance(unverified_name, str):
            return cls.UNRECOGNIZED
        name = re.sub(r"[\s-]+", "_", unverified_name.strip().lower())
        return cls(name) if name in _NAMED_BY_SERVERS else cls.UNRECOGNIZED


_NAMED_BY_SERVERS = frozenset(list(Code)[: list(Code).index(Code.TIMED_OUT)])


class AddressFault(StrEnum):
    """Why the address guard refused an address; the admin's forms have words for each."""

    LENGTH = "length"
    CHARACTER = "character"
    SCHEME = "scheme"
    USER_INFORMATION = "user_information"
    FRAGMENT = "fragment"
    PORT = "port"
    HOST = "host"
    PATH = "path"
    NOT_PUBLIC = "not_public"


class IdentityFault(StrEnum):
    """What was wrong with an ID token, for staff and for the log (interface facts 3.7)."""

    MISSING = "missing"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    ALGORITHM = "algorithm"
    CRITICAL_HEADER = "critical_header"
    ISSUER = "issuer"
    UNKNOWN_KEY = "unknown_key"
    UNSUITABLE_KEY = "unsuitable_key"
    SIGNATURE = "signature"
    AUDIENCE = "audience"
    AUTHORIZED_PARTY = "authorized_party"
    EXPIRED = "expired"
    NOT_YET = "not_yet"
    ISSUED_AT = "issued_at"
    NONCE = "nonce"
    SUBJECT = "subject"


class WireError(Exception):
    """The provider could not be used."""

    actor: ClassVar[Actor] = Actor.US

    def __init__(
        self, *, code: Code = Code.UNRECOGNIZED, status: int | None = None, error_uri: str | None = None
    ) -> None:
        super().__init__()
        self.code = code
        self.status = status
        self.error_uri = error_uri  # a page about the error, on the host of the authorization server; we never fetch it

    def __str__(self) -> str:
        return (type(self).__doc__ or "").partition("\n")[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(code={self.code.value!r}, status={self.status!r})"


class Unavailable(WireError):
    """The provider did not answer, or not now."""

    actor = Actor.WAIT

    def __init__(
        self,
        *,
        code: Code = Code.UNRECOGNIZED,
        status: int | None = None,
        error_uri: str | None = None,
        retry_after_seconds: int | None = None,
        was_sent: bool = True,
    ) -> None:
        super().__init__(code=code, status=status, error_uri=error_uri)
        self.retry_after_seconds = retry_after_seconds
        self.was_sent = was_sent  # False if nothing of the request left us, so that the server did nothing


class Throttled(Unavailable):
    """The provider asks us to slow down."""


class AuthorizationExpired(WireError):
    """The grant or the access token no longer holds."""

    actor = Actor.PATIENT


class AuthorizationDenied(WireError):
    """The authorization was not given."""

    actor = Actor.PATIENT


class AccessRefused(WireError):
    """This part of the record is not shared."""

    actor = Actor.PATIENT


class NotFound(WireError):
    """The provider has nothing at this address."""

    actor = Actor.PATIENT


class ClientRejected(WireError):
    """The authorization server does not accept our client registration."""

    actor = Actor.OPERATOR


class OrganizationNotEnabled(ClientRejected):
    """The organization has not enabled this application."""


class EndpointMisconfigured(WireError):
    """An address of the endpoint does not lead where it should."""

    actor = Actor.OPERATOR


class UnsafeAddress(EndpointMisconfigured):
    """The address is not one we connect to."""

    def __init__(
        self,
        *,
        fault: AddressFault = AddressFault.HOST,
        code: Code = Code.UNSAFE_ADDRESS,
        status: int | None = None,
        error_uri: str | None = None,
    ) -> None:
        super().__init__(code=code, status=status, error_uri=error_uri)
        self.fault = fault


class ForeignAddress(UnsafeAddress):
    """The link leads away from the FHIR base URL it came from."""


class IdentityRefused(WireError):
    """The provider's statement of who signed in does not hold.

    `unverified_issuer` is the issuer that it names, if that is the fault: staff compare it with what the provider
    publishes. Never connect to it.
    """

    actor = Actor.OPERATOR

    def __init__(
        self,
        *,
        fault: IdentityFault = IdentityFault.MALFORMED,
        code: Code = Code.INVALID_IDENTITY,
        status: int | None = None,
        error_uri: str | None = None,
        unverified_issuer: str = "",
    ) -> None:
        super().__init__(code=code, status=status, error_uri=error_uri)
        self.fault = fault
        self.unverified_issuer = unverified_issuer


class RequestRefused(WireError):
    """The provider refused the form of our request."""

    actor = Actor.US


class UnexpectedAnswer(WireError):
    """The provider answered something we cannot use."""

    actor = Actor.US
