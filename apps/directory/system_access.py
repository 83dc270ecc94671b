"""System access: tokens for ourselves, not for a patient (specification 4.2 S5 and S6; 5.2 rules 5 and 6).

For staff and operators, and for what runs on their behalf; no page for patients leads here. A token lives less than ten
minutes, is never stored or refreshed: whoever needs another one requests it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import credentials, linkability, reaching, registering, system_refusals
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, SystemAccount
from apps.wire import token_endpoint
from apps.wire.dialects import Dialect
from apps.wire.errors import ClientRejected, Code, EndpointMisconfigured, UnexpectedAnswer, WireError
from apps.wire.scopes import SmartVersion, is_system
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

# Obstacles for patients but not for systems: those of their client id and credentials, and what their sign-ins met.
_OF_PATIENTS = frozenset({Obstacle.NO_CREDENTIALS, Obstacle.TROUBLE, Obstacle.NOT_ENABLED})


class NoSystemAccess(Exception):
    """No request was made, because something is missing on our side: `sentence` tells staff what."""

    def __init__(self, sentence: str | Promise) -> None:
        super().__init__()
        self.sentence = sentence

    def __str__(self) -> str:
        return str(self.sentence)


@dataclass(frozen=True)
class Granted:
    """What a token allows, without the token. `scope` is what was granted, each `system/…`, perhaps less than was
    requested."""

    scope: tuple[str, ...]
    expires_at: datetime


@dataclass(frozen=True, repr=False)
class SystemToken(Granted):
    """Not used after `expires_at`."""

    access_token: Secret


@dataclass(frozen=True)
class Way:
    """How a token would be requested, for staff to read."""

    token_url: str
    client_id: str
    authentication: str  # of `wire.client_authentication.Authentication`


def system_token(endpoint: Endpoint, *, scopes: Sequence[str], at: datetime) -> SystemToken:
    """A token for these `system/…` scopes from this endpoint's authorization server. Speaks to the network: call it
    with no transaction open.

    Raises NoSystemAccess; RequestRefused (INVALID_SCOPE) for invalid scopes or scopes that are not for systems;
    UnexpectedAnswer (INVALID_SCOPE) if others were granted, or none; and the other WireErrors of the token endpoint. A
    refusal of the account or its credentials is recorded for operators, until the next token.
    """
    registration, dialect = _standing(endpoint, at=at)
    where = _token_endpoint(endpoint, registration, dialect)
    try:
        answer = token_endpoint.system_token(where, scopes=scopes, at=at)
    except ClientRejected as refused:
        system_refusals.refused(registration, refused, at=at)
        raise
    system_refusals.accepted(registration, at=at)
    return _token(answer, scopes, dialect, at=at)


def check(endpoint: Endpoint, *, scopes: Sequence[str], actor: Actor, at: datetime) -> Granted:
    """Request a token, discard it, and return what it would allow, for staff. Records an audit event, whatever the
    result.

    Raises the same as `system_token`.
    """
    code = ""
    try:
        token = system_token(endpoint, scopes=scopes, at=at)
        return Granted(token.scope, token.expires_at)
    except NoSystemAccess:
        code = "not_asked"
        raise
    except WireError as refused:
        code = refused.code.value
        raise
    finally:
        _record(endpoint, code, actor=actor, at=at)


def way(endpoint: Endpoint, *, at: datetime) -> Way:
    """How `system_token` would ask. Makes no network calls and decrypts nothing. Raises NoSystemAccess."""
    registration, dialect = _standing(endpoint, at=at)
    return Way(
        token_url=reaching.authorization_server(endpoint, registration).token_url,
        client_id=registration.system_account.account_id if registration.system_account else "",
        authentication=credentials.system_authentication(registration, signed=dialect.system_assertion).value,
    )


def smallest_scopes(endpoint: Endpoint) -> tuple[str, ...]:
    """The default scopes of a check: to read patients, in the registration's notation."""
    registration = registering.standing_at(endpoint)
    is_v1 = registration is not None and registration.smart_version == SmartVersion.V1
    return ("system/Patient.read" if is_v1 else "system/Patient.rs",)


def _standing(endpoint: Endpoint, *, at: datetime) -> tuple[ClientRegistration, Dialect]:
    """The registration that has system access there, and its dialect."""
    obstacle = linkability.obstacle(endpoint, at=at, ignoring=_OF_PATIENTS)
    if obstacle is not None:
        raise NoSystemAccess(obstacle.label)
    registration = registering.standing_at(endpoint)
    try:
        dialect = reaching.dialect(endpoint, registration)
    except EndpointMisconfigured:
        raise NoSystemAccess(Obstacle.INTERFACE_NOT_SPOKEN.label) from None
    if registration is None or dialect.system_assertion is None:
        raise NoSystemAccess(_("Its interface has no system access."))
    account = registration.system_account
    if account is None:
        raise NoSystemAccess(_("The client registration names no system account."))
    if account.status != SystemAccount.Status.APPROVED or not account.account_id:
        raise NoSystemAccess(_("Its system account is not approved."))
    return registration, dialect


def _token_endpoint(
    endpoint: Endpoint, registration: ClientRegistration, dialect: Dialect
) -> token_endpoint.TokenEndpoint:
    try:
        client = credentials.system_client(registration, signed=dialect.system_assertion)
    except ClientRejected:
        client = None
    if client is None:
        raise NoSystemAccess(_("The client registration has no secret or key for its system account."))
    return reaching.system_token_endpoint(endpoint, registration, client)


def _token(answer: TokenSet, asked: Sequence[str], dialect: Dialect, *, at: datetime) -> SystemToken:
    """What is used of a response: no refresh token, no launch context, and no longer lifetime than such tokens have."""
    scope = tuple(dict.fromkeys(asked)) if answer.scope is None else answer.scope
    if not scope or not all(map(is_system, scope)):  # a permission for somebody else must not be used
        raise UnexpectedAnswer(code=Code.INVALID_SCOPE)
    seconds = answer.expires_in_seconds or dialect.assumed_lifetime_seconds
    return SystemToken(
        access_token=answer.access_token,
        scope=scope,
        expires_at=at + timedelta(seconds=min(seconds, dialect.longest_lifetime_seconds)),
    )


def _record(endpoint: Endpoint, code: str, *, actor: Actor, at: datetime) -> None:
    registration = registering.standing_at(endpoint)
    facts: dict[str, str | int | bool] = {Fact.ACTION: "system access tried", Fact.ENDPOINT_ID: str(endpoint.pk)}
    if code:
        facts[Fact.CODE] = code
    recording.record(
        EventType.REGISTRATION_TRIED,
        actor=actor,
        at=at,
        subject="client registration",
        subject_id=str(registration.pk) if registration is not None else "",
        facts=facts,
    )
