"""Which application sent a request, authenticated in the way it registered (specification 5.2, X59; RFC 6749 section
2.3).

A public application does not authenticate. If it was given a secret nevertheless, it need not send it; if it does, the
secret is checked. Secret and keys are those of the application's system account: without an approved one it is not
recognized (X61).
"""

import base64
import binascii
import hmac
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote_plus

from django.http import HttpRequest

from apps.sandbox import bearer
from apps.sandbox.models import ClientAuthentication, ClientType, SmartApplication
from apps.sandbox.smart import refusing
from apps.sandbox.smart.clients import assertions


@dataclass(frozen=True, repr=False)
class Shown:
    """The credentials in a request; `secret` is a secret or an assertion. `or_secret`: another possible decoding of the
    secret."""

    client_id: str
    method: ClientAuthentication
    secret: str = ""
    or_secret: str = ""

    def is_secret(self, sha256: str) -> bool:
        """Whether the secret has this digest."""
        shown = {self.secret, self.or_secret or self.secret}
        return any(hmac.compare_digest(bearer.sha256(secret), sha256) for secret in shown)


def application_of(
    request: HttpRequest, given: dict[str, str], *, audiences: Collection[str], at: datetime
) -> SmartApplication | None:
    """The application; None if the request names none. `given` is the posted form; `audiences` are the URLs for which
    an assertion may be made out. Raises Refusal."""
    shown = shown_by(request, given)
    if shown is None:
        return None
    by_header = "HTTP_AUTHORIZATION" in request.META
    application = SmartApplication.known(shown.client_id)
    if application is None or given.get("client_id", shown.client_id) != shown.client_id:
        raise refusing.invalid_client(challenges=by_header)
    if not application.is_approved:
        raise refusing.invalid_client("oauth2:token:terminated-client", challenges=by_header)
    if not application.is_recognized:
        raise refusing.invalid_client("oauth2:token:client-without-system-account", challenges=by_header)
    if not _is_proven(application, shown, audiences, at):
        raise refusing.invalid_client(challenges=by_header)
    return application


def shown_by(request: HttpRequest, given: dict[str, str]) -> Shown | None:
    """The credentials in the request; None if it names nobody. Raises Refusal if it has two at once (X57)."""
    header = request.META.get("HTTP_AUTHORIZATION")
    has_assertion = bool({"client_assertion", "client_assertion_type"} & given.keys())
    if (header is not None) + has_assertion + ("client_secret" in given) > 1:
        raise refusing.invalid_request()  # RFC 6749 section 2.3: one method per request
    if header is not None:
        return _from_header(header)
    if has_assertion:
        assertion = given.get("client_assertion", "")
        if given.get("client_assertion_type") != assertions.TYPE or not assertion:
            raise refusing.invalid_request()
        return Shown(assertions.unverified_issuer(assertion), ClientAuthentication.PRIVATE_KEY_JWT, assertion)
    if "client_secret" in given:
        return Shown(given.get("client_id", ""), ClientAuthentication.POST, given["client_secret"])
    return Shown(given["client_id"], ClientAuthentication.NONE) if "client_id" in given else None


def _from_header(header: str) -> Shown:
    """Basic credentials, joined without encoding (specification 5.2.5), or form-urlencoded first (RFC 6749 section
    2.3.1); or an assertion as Bearer (specification S6)."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() == "bearer":
        assertion = encoded.strip()
        return Shown(assertions.unverified_issuer(assertion), ClientAuthentication.PRIVATE_KEY_JWT, assertion)
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        decoded = ""
    client_id, colon, secret = decoded.partition(":")
    if scheme.lower() != "basic" or not colon:
        raise refusing.invalid_client("oauth2:token:invalid-authorization-header", challenges=True)
    return Shown(unquote_plus(client_id), ClientAuthentication.BASIC, unquote_plus(secret), or_secret=secret)


def _is_proven(application: SmartApplication, shown: Shown, audiences: Collection[str], at: datetime) -> bool:
    if application.client_type == ClientType.PUBLIC and shown.method != ClientAuthentication.PRIVATE_KEY_JWT:
        return shown.method == ClientAuthentication.NONE or _is_secret(application, shown)
    if shown.method != application.authentication:
        return False
    match shown.method:
        case ClientAuthentication.PRIVATE_KEY_JWT:
            return assertions.is_good(shown.secret, application, audiences=audiences, at=at)
        case ClientAuthentication.BASIC | ClientAuthentication.POST:
            return _is_secret(application, shown)
        case _:
            return application.client_type == ClientType.PUBLIC


def _is_secret(application: SmartApplication, shown: Shown) -> bool:
    account = application.system_account
    return account is not None and shown.is_secret(account.secret_sha256)
