"""What ties an authorization response to the browser that began: a cookie of its own, and a state derived from it.

The cookie holds a random value (not the session key, which changes when somebody signs in). The state is an HMAC of the
request's id, keyed with that value: nobody without the cookie can guess it, it differs for each request, and it is
stored nowhere. The row has hashes of both (interface facts, section 6, row 3).
"""

import base64
import hashlib
import hmac
import re
import secrets
from uuid import UUID

from apps.connections.models import AuthorizationRequest
from apps.wire.secret import Secret

_BROWSER = re.compile(r"[A-Za-z0-9_-]{43}")


def new_browser() -> Secret:
    """256 random bits for a browser's cookie."""
    return Secret(secrets.token_urlsafe(32))


def read_browser(unverified_cookie: str | None) -> Secret | None:
    """The cookie's value, if it has the right form."""
    if unverified_cookie is None or not _BROWSER.fullmatch(unverified_cookie):
        return None
    return Secret(unverified_cookie)


def state_for(request_id: UUID, browser: Secret) -> Secret:
    """The state of one request in one browser: 256 bits."""
    return _derived(b"state:", request_id, browser)


def nonce_for(request_id: UUID, browser: Secret) -> Secret:
    """The nonce of the same request (OpenID Connect Core section 3.1.2.1). It cannot be computed from the state."""
    return _derived(b"nonce:", request_id, browser)


def hashed(value: Secret) -> bytes:
    """A SHA-256 hash of 32 bytes, by which a row recognizes a value that it does not store."""
    return hashlib.sha256(value.reveal().encode("utf-8", "surrogatepass")).digest()


def is_same_browser(request: AuthorizationRequest, browser: Secret | None) -> bool:
    """Whether this browser began the request."""
    return browser is not None and hmac.compare_digest(bytes(request.browser_hash), hashed(browser))


def _derived(label: bytes, request_id: UUID, browser: Secret) -> Secret:
    digest = hmac.digest(browser.reveal().encode(), label + request_id.bytes, "sha256")
    return Secret(base64.urlsafe_b64encode(digest).rstrip(b"=").decode())
