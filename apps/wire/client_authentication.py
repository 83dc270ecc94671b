"""How a client registration proves itself at the token endpoint."""

from dataclasses import dataclass
from enum import StrEnum

from apps.wire.errors import ClientRejected, Code
from apps.wire.secret import Secret


class Authentication(StrEnum):
    """The methods a registration can name."""

    QUERY = "query"  # client_id and client_secret among the query parameters: specification 4.1, P2 and P3
    NONE = "none"  # a public client: client_id alone, RFC 6749 section 3.2.1
    BASIC = "client_secret_basic"  # RFC 6749 section 2.3.1
    BODY = "client_secret_post"  # RFC 6749 section 2.3.1
    PRIVATE_KEY_JWT = "private_key_jwt"  # RFC 7523 section 2.2
    BEARER_JWT = "bearer_jwt"  # the header form of specification 4.2, S6


_NEED_A_SECRET = frozenset({Authentication.QUERY, Authentication.BASIC, Authentication.BODY})


@dataclass(frozen=True, repr=False)
class Client:
    """One client id with its proof.

    Raises ClientRejected where the proof is missing, or is a signed assertion, which needs a key this type does
    not carry yet.
    """

    client_id: str
    secret: Secret | None
    authentication: Authentication

    def __post_init__(self) -> None:
        if not self.client_id:
            raise ClientRejected(code=Code.INVALID_CLIENT)
        if self.authentication in _NEED_A_SECRET and self.secret is None:
            raise ClientRejected(code=Code.INVALID_CLIENT)
        if self.authentication in {Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT}:
            raise ClientRejected(code=Code.UNSUPPORTED_AUTHENTICATION)
