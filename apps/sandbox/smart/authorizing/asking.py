"""Validate an authorization request of interface B, before anybody signs in (specification S2; X32 to
X36, X53, X64).
"""

import re
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from apps.sandbox import scenarios
from apps.sandbox.models import Launch, Persona, SmartApplication, SmartVersion, Tenant
from apps.sandbox.sign_in.dead_ends import SentBack, ShownAsPage
from apps.sandbox.smart import addresses, scopes
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.authorizing import launching
from apps.sandbox.smart.authorizing.asked import Asked
from apps.sandbox.smart.authorizing.way_back import WayBack

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # base64url of a SHA-256, unpadded: RFC 7636 section 4.2
_LONG = 16
_AUD = {"audience": ("aud", "audience"), "off": ("aud",), "on": ("aud", "audience", "resource")}


@dataclass(frozen=True)
class _Given:
    """The parameters that were sent once and are not empty, and the names of those sent more often."""

    values: dict[str, str]
    repeated: frozenset[str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str) -> str:
        """The value, or ""."""
        return self.values.get(name, "")


def judge(parameters: QueryDict, tenant: str, persona: str, *, at: datetime) -> Asked:
    """The request, if it is valid for `tenant` and for the endpoint of `persona`. Raises ShownAsPage or SentBack."""
    given = _Given(
        {name: str(values[0]) for name, values in parameters.lists() if len(values) == 1 and values[0]},
        frozenset(name for name, values in parameters.lists() if len(values) > 1),
    )
    application = _application(given)
    way_back = WayBack(
        redirect_uri=_redirect_uri(given, application),
        state=given.values.get("state"),
        client_id=application.client_id,
        tenant=tenant,
        persona=persona,
    )
    try:
        return _asked(given, application, way_back, at=at)
    except _Fault as fault:
        raise SentBack(way_back.with_error(fault.error, fault.name)) from None


class _Fault(Exception):
    """An error: a code of RFC 6749 and a name in `errors.catalogue`."""

    def __init__(self, error: str, name: str) -> None:
        super().__init__(error)
        self.error = error
        self.name = name


def _application(given: _Given) -> SmartApplication:
    application = SmartApplication.known(given.get("client_id"))
    if application is None:
        raise ShownAsPage("unknown-application")
    if not application.is_approved:
        raise ShownAsPage("not-active")
    if not application.is_recognized:
        raise ShownAsPage("not-recognized")  # X61: it exists, and is not authorized for FHIR
    return application


def _redirect_uri(given: _Given, application: SmartApplication) -> str:
    """The redirect URI that was sent, if it equals a registered one exactly; or the only registered one (X34)."""
    registered = application.redirect_uris
    if "redirect_uri" in given.repeated:
        raise ShownAsPage("unknown-address")
    if "redirect_uri" not in given and len(registered) == 1:
        return str(registered[0])
    if given.get("redirect_uri") not in registered:
        raise ShownAsPage("unknown-address")
    return given.get("redirect_uri")


def _asked(given: _Given, application: SmartApplication, way_back: WayBack, *, at: datetime) -> Asked:
    _check_form(given)
    tenant = Tenant.known(way_back.tenant)
    if tenant is None:
        raise _Fault("invalid_request", "oauth2:grant:unknown-tenant")
    place = _place(given, application, way_back)
    wanted = _scopes(given, application, place, way_back.persona)
    launch = _launch(given, application, place, at=at)
    _check_patient(wanted, way_back.persona, launch)
    return Asked(
        application=application,
        organization=tenant.name,
        place=place,
        persona=way_back.persona,
        aud=_aud(given),
        scopes=wanted,
        redirect_uri=given.get("redirect_uri"),
        way_back=way_back,
        launch=launch,
        code_challenge=_code_challenge(given),
        nonce=given.get("nonce"),
        prompts=frozenset(given.get("prompt").split()),
    )


def _check_form(given: _Given) -> None:
    """X32, X35: what every request needs, whatever it asks for."""
    if given.repeated or "response_type" not in given or "scope" not in given:
        raise _Fault("invalid_request", "oauth2:grant:invalid-request")
    if given.get("response_type") != "code":
        raise _Fault("unsupported_response_type", "oauth2:grant:unsupported-response-type")
    rule, state = scenarios.chosen("state"), given.get("state")
    if "\0" in "".join(given.values.values()):
        raise _Fault("invalid_request", "oauth2:grant:invalid-request")
    if (rule != "optional" and not state) or (rule == "at-least-16" and len(state) < _LONG):
        raise _Fault("invalid_request", "oauth2:grant:invalid-request")


def _aud(given: _Given) -> str:
    """The requested FHIR server; two different ones count as none."""
    named = {given.get(name) for name in _AUD[scenarios.chosen("aud_alias")] if name in given}
    if not named:
        raise _Fault("invalid_request", "smart-v1:grant:launch:audience-required")
    if len(named) > 1:
        raise _Fault("invalid_request", "smart-v1:grant:launch:unknown-resource-server")
    return named.pop()


def _place(given: _Given, application: SmartApplication, way_back: WayBack) -> Place:
    """The requested FHIR root: of this tenant and persona (X33), and with the application enabled (X60)."""
    if not application.is_enabled_at(way_back.tenant):
        _refuse_where_not_enabled()
    place = addresses.place_of(_aud(given))
    if place is None or place.tenant != way_back.tenant or addresses.PERSONAS[place.host] != way_back.persona:
        raise _Fault("invalid_request", "smart-v1:grant:launch:unknown-resource-server")
    if application.persona != way_back.persona or place.version not in application.versions:
        raise _Fault("unauthorized_client", "smart-v1:grant:launch:unregistered-service")
    return place


def _refuse_where_not_enabled() -> None:
    match scenarios.chosen("not_enabled"):
        case "error-page":
            raise ShownAsPage("not-enabled")
        case "unauthorized-client":
            raise _Fault("unauthorized_client", "oauth2:grant:unauthorized-client-for-tenant")
        case _:
            return  # the data routes refuse


def _scopes(given: _Given, application: SmartApplication, place: Place, persona: str) -> tuple[str, ...]:
    versions = [application.smart_version] if scenarios.chosen("scope_grammar") == "registered" else [*SmartVersion]
    try:
        asked = scopes.read(given.get("scope"), versions)
    except scopes.Malformed:
        raise _Fault("invalid_scope", "oauth2:grant:invalid-scope") from None
    if scenarios.chosen("offline_consent") == "with-prompt" and "consent" not in given.get("prompt").split():
        asked = tuple(scope for scope in asked if scope != "offline_access")  # OpenID Connect Core section 11
    possible = scopes.grantable(asked, version=place.version, persona=persona, registered=application.scopes)
    if not scopes.opens_anything(possible):
        raise _Fault("access_denied", "oauth2:grant:denied-by-server")  # as seen: interface facts 5.7
    return possible


def _launch(given: _Given, application: SmartApplication, place: Place, *, at: datetime) -> Launch | None:
    """X36: the launch scope and the launch parameter must come together, and the launch must be valid here and now."""
    wanted = "launch" in given.get("scope").split(" ")
    if not wanted and "launch" not in given:
        return None
    if not wanted or "launch" not in given:
        raise _Fault("invalid_request", "smart-v1:grant:launch:launch-code-required")
    launch = launching.find(given.get("launch"), application, place, at=at)
    if launch is None:
        raise _Fault("invalid_request", "smart-v1:grant:launch:invalid-launch-code")
    return launch


def _check_patient(wanted: tuple[str, ...], persona: str, launch: Launch | None) -> None:
    """A clinician sees many patients and cannot choose one here, so patient/ scopes need a launch that names one."""
    is_named = launch is not None and bool(launch.patient_id)
    if persona == Persona.PROVIDER and not is_named and scopes.readable(wanted, "patient"):
        raise _Fault("invalid_request", "oauth2:token:patient-scope-requires-one-patient-id")


def _code_challenge(given: _Given) -> str:
    """X64. An absent method means plain, which is refused: RFC 7636 section 4.3, RFC 9700 section 2.1.1."""
    mode, challenge = scenarios.chosen("pkce"), given.get("code_challenge")
    if mode == "ignored":
        return ""
    if not challenge and mode == "honoured" and "code_challenge_method" not in given:
        return ""
    if given.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(challenge):
        raise _Fault("invalid_request", "oauth2:grant:invalid-request")
    return challenge
