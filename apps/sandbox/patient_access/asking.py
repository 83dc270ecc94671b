"""Validate an authorization request before anybody signs in."""

import re
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.http import HttpRequest

from apps.sandbox import scenarios
from apps.sandbox.models import Application
from apps.sandbox.patient_access import parameters
from apps.sandbox.sign_in.dead_ends import SentBack, ShownAsPage

_CHALLENGE = re.compile(r"^[A-Za-z0-9_-]{43}$")  # base64url of a SHA-256, unpadded: RFC 7636 section 4.2


@dataclass(frozen=True)
class Asked:
    """A valid request, which can be shown to a patient."""

    application: Application
    version: str
    redirect_uri: str
    state: str | None
    code_challenge: str

    def way_back(self, **answer: str) -> str:
        """The redirect URI with the response in its query, and the state as it was sent; its own query is kept."""
        return way_back(self.redirect_uri, self.state, answer)


def judge(request: HttpRequest, version: str) -> Asked:
    """The request, if it is valid. Raises ShownAsPage or SentBack."""
    given, repeated = parameters.of_authorization(request), parameters.repeated(request)
    application = Application.known(given.get("client_id", ""))
    if application is None:
        raise ShownAsPage("unknown-application")
    if not application.is_approved:
        raise ShownAsPage("not-active")
    redirect_uri = given.get("redirect_uri", "")
    if redirect_uri not in application.redirect_uris:
        raise ShownAsPage("unknown-address")
    state = given.get("state")
    error = _fault(given, repeated, application, version)
    if error:
        raise SentBack(way_back(redirect_uri, state, {"error": error}))
    return Asked(application, version, redirect_uri, state, _challenge(given))


def way_back(redirect_uri: str, state: str | None, answer: dict[str, str]) -> str:
    """See `Asked.way_back`."""
    echo = scenarios.chosen("state_echo")
    if state is not None and echo != "off":
        answer = {**answer, "state": f"{state}x" if echo == "altered" else state}
    parts = urlsplit(redirect_uri)
    return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, urlencode(answer)) if part)))


def _fault(given: dict[str, str], repeated: frozenset[str], application: Application, version: str) -> str | None:
    if version not in application.versions:
        return "unauthorized_client"
    if repeated or "response_type" not in given:
        return "invalid_request"
    if given["response_type"] != "code":
        return "unsupported_response_type"
    return None if _pkce_is_fine(given) else "invalid_request"


def _pkce_is_fine(given: dict[str, str]) -> bool:
    mode = scenarios.chosen("pkce")
    if mode == "ignored":
        return True
    if "code_challenge" not in given:
        return mode == "honoured" and "code_challenge_method" not in given
    # An absent method means plain, and plain is refused: RFC 7636 section 4.3, RFC 9700 section 2.1.1.
    return given.get("code_challenge_method") == "S256" and bool(_CHALLENGE.match(given["code_challenge"]))


def _challenge(given: dict[str, str]) -> str:
    return "" if scenarios.chosen("pkce") == "ignored" else given.get("code_challenge", "")
