"""The way back from a provider: from the query the browser brings to one named outcome.

In order: read the answer, find the request by the hash of its state among those of this redirect URI's registration,
compare the browser's cookie and who is signed in, claim the request once, exchange the code at that registration's own
token endpoint, ask whose record it is, and store tokens and candidates sealed, on a connection awaiting confirmation.
Whatever fails leaves nothing behind but the outcome. No transaction is open while the network is spoken to.

The patient's session may have lapsed meanwhile: codes die within a minute, so a right state in the right browser is
exchanged at once and held for the user who began.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import alerting, binding, candidates, causes, linking, noting, refreshing, revoking
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.directory import linkability, reaching, registering
from apps.directory.models import ClientRegistration
from apps.wire import authorization, fhir, token_endpoint
from apps.wire.authorization import AuthorizationResponse
from apps.wire.errors import Code, UnexpectedAnswer, WireError
from apps.wire.fhir import Resource
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

CONFIRM_WITHIN = timedelta(minutes=30)
_LONGEST_SCOPE = 4000


@dataclass(frozen=True)
class WayBack:
    """How an answer ended. `request` is there where the answer belongs to one of this browser and user."""

    outcome: Outcome
    request: AuthorizationRequest | None = None
    connection: Connection | None = None


def complete(
    *,
    redirect_id: UUID,
    unverified_query: Mapping[str, Sequence[str]],
    browser: Secret | None,
    signed_in_user_id: UUID | None,
    at: datetime,
) -> WayBack:
    """Take one authorization response. Never raises for anything the browser or the provider sent."""
    registration = ClientRegistration.objects.filter(redirect_id=redirect_id).first()
    response = _read(registration, unverified_query)
    request = _find(registration, response)
    if response is None or request is None:
        return WayBack(Outcome.FORGED)
    if not binding.is_same_browser(request, browser):
        return _not_theirs(request, Outcome.OTHER_BROWSER, at=at)
    if signed_in_user_id not in {None, request.user_id}:
        return _not_theirs(request, Outcome.OTHER_ACCOUNT, at=at)
    if not _claim(request, at=at):
        return _second_arrival(request, at=at)
    return _settle(request, response, at=at)


def _read(
    registration: ClientRegistration | None, unverified_query: Mapping[str, Sequence[str]]
) -> AuthorizationResponse | None:
    if registration is None:
        return None
    try:
        authorize_url = registration.authorization_server.authorize_url
        return authorization.read_response(unverified_query, authorize_url=authorize_url)
    except WireError:
        return None


def _find(
    registration: ClientRegistration | None, response: AuthorizationResponse | None
) -> AuthorizationRequest | None:
    """The request this state belongs to, among those that left by this redirect URI (RFC 9700 section 4.4: a code
    that came in at one server's address never goes to another's)."""
    if response is None or response.state is None:
        return None
    rows = AuthorizationRequest.objects.select_related(
        "endpoint", "provider", "connection", "registration__authorization_server"
    )
    return rows.filter(registration=registration, state_hash=binding.hashed(response.state)).first()


def _not_theirs(request: AuthorizationRequest, outcome: Outcome, *, at: datetime) -> WayBack:
    """Nothing is sent and nothing changes: the right person in the right browser may still come back. Who brought the
    answer is not known, so the log of the person it belongs to does not say that they did."""
    actor = Actor.system("returning")
    noting.note_request(EventType.CONNECTION_FAILED, request, at=at, actor=actor, outcome=outcome.value)
    return WayBack(outcome)


def _claim(request: AuthorizationRequest, *, at: datetime) -> bool:
    """Take the request for this one answer."""
    rows = AuthorizationRequest.objects.filter(pk=request.pk, claimed_at__isnull=True, expires_at__gt=at)
    return bool(rows.update(claimed_at=at))


def _second_arrival(request: AuthorizationRequest, *, at: datetime) -> WayBack:
    request.refresh_from_db()
    if request.claimed_at is not None:
        return WayBack(Outcome.USED_TWICE, request, request.connection)
    AuthorizationRequest.objects.filter(pk=request.pk, claimed_at__isnull=True).update(claimed_at=at)
    return _fail(request, Outcome.EXPIRED, at=at)


def _settle(request: AuthorizationRequest, response: AuthorizationResponse, *, at: datetime) -> WayBack:
    """From a claimed request to its outcome."""
    if _is_wrong_issuer(request, response):
        alerting.alert_staff(request.registration, UnexpectedAnswer(code=Code.MALFORMED_RESPONSE))
        return _fail(request, Outcome.WRONG_ISSUER, at=at)
    if response.code is None:
        outcome = causes.of_authorization_answer(response)
        alerting.alert_staff(request.registration, authorization.refusal(response))
        return _fail(request, outcome, at=at, error_uri=response.error_uri, code=response.error)
    if linkability.obstacle(request.endpoint, provider=request.provider) is not None:
        return _fail(request, Outcome.REGISTRATION_BROKEN, at=at)  # switched off while the patient was away
    try:
        token_set = _exchange(request, response.code)
    except WireError as error:
        alerting.alert_staff_of_refusal(request.registration, error, at=at)
        return _fail(request, causes.of_exchange(error), at=at, error_uri=error.error_uri, code=error.code)
    return _identify(request, token_set, at=at)


def _is_wrong_issuer(request: AuthorizationRequest, response: AuthorizationResponse) -> bool:
    """RFC 9207: an answer that names its issuer must name the one we know; compared exactly."""
    known = request.registration.authorization_server.issuer
    return bool(known) and response.issuer is not None and response.issuer != known


def _exchange(request: AuthorizationRequest, code: Secret) -> TokenSet:
    return token_endpoint.exchange(
        reaching.token_endpoint(request.endpoint, request.registration),
        code=code,
        redirect_uri=registering.redirect_uri(request.registration),
        pkce_verifier=linking.pkce_verifier(request),
    )


def _identify(request: AuthorizationRequest, token_set: TokenSet, *, at: datetime) -> WayBack:
    """Ask whose record the tokens open (specification 5.1.5). Tokens of a failure are given back, never kept."""
    try:
        people = fhir.find_patients(reaching.fhir_server(request.endpoint), access_token=token_set.access_token)
    except WireError as error:
        revoking.revoke_unused(request.endpoint, request.registration, token_set)
        alerting.alert_staff(request.registration, error)
        return _fail(request, causes.of_finding(error), at=at, code=error.code)
    if request.is_reauthorization:
        return _renew(request, token_set, people, at=at)
    if not people:
        revoking.revoke_unused(request.endpoint, request.registration, token_set)
        return _fail(request, Outcome.NO_PERSON, at=at)
    return _hold(request, token_set, people, at=at)


def _hold(request: AuthorizationRequest, token_set: TokenSet, people: Sequence[Resource], *, at: datetime) -> WayBack:
    """Tokens and candidates, sealed, until the patient says who it is."""
    with transaction.atomic():
        connection = Connection(
            user_id=request.user_id,
            endpoint=request.endpoint,
            provider=request.provider,
            registration=request.registration,
            granted_scope=_granted_scope(token_set),
            created_at=at,
            confirm_by_at=at + CONFIRM_WITHIN,
        )
        connection.sealed_candidates = candidates.seal(connection, candidates.read_candidates(people))
        connection.save(force_insert=True)
        refreshing.keep(connection, token_set, issued_at=at)
        noting.note_connection(
            EventType.TOKENS_EXCHANGED, connection, at=at, has_refresh_token=token_set.refresh_token is not None
        )
        noting.note_connection(EventType.CONNECTION_FOUND, connection, at=at, count=len(people))
        _close(request, Outcome.COMPLETED, connection=connection)
    return WayBack(Outcome.COMPLETED, request, connection)


def _renew(request: AuthorizationRequest, token_set: TokenSet, people: Sequence[Resource], *, at: datetime) -> WayBack:
    """A new sign-in for a connection there is: the same person, or everything stays as it was."""
    connection = request.connection
    is_same = connection is not None and connection.fhir_patient_id in {person.logical_id for person in people}
    if connection is None or not is_same:
        revoking.revoke_unused(request.endpoint, request.registration, token_set)
        return _fail(request, Outcome.WRONG_PERSON if people else Outcome.NO_PERSON, at=at)
    with transaction.atomic():
        connection = Connection.objects.select_for_update().get(pk=connection.pk)
        if connection.status == Connection.Status.DISCONNECTED:
            is_same = False
        else:
            _restore(connection, request.registration, token_set, at=at)
            _close(request, Outcome.COMPLETED, connection=connection)
    if not is_same:  # disconnected while the patient was away
        revoking.revoke_unused(request.endpoint, request.registration, token_set)
        return _fail(request, Outcome.CLOSED, at=at)
    return WayBack(Outcome.COMPLETED, request, connection)


def _restore(connection: Connection, registration: ClientRegistration, token_set: TokenSet, *, at: datetime) -> None:
    """The tokens belong to the registration that asked for them, which may be a newer one than before."""
    connection.registration = registration
    connection.granted_scope = _granted_scope(token_set)
    connection.save(update_fields=["registration", "granted_scope"])
    refreshing.keep(connection, token_set, issued_at=at)
    if connection.status != Connection.Status.ACTIVE:
        connection.restore()
    noting.note_connection(EventType.CONNECTION_REAUTHORIZED, connection, at=at)


def _fail(
    request: AuthorizationRequest,
    outcome: Outcome,
    *,
    at: datetime,
    error_uri: str | None = None,
    code: str | None = None,
) -> WayBack:
    with transaction.atomic():
        _close(request, outcome, error_uri=error_uri or "")
        facts: dict[str, Any] = {"code": str(code)} if code else {}
        noting.note_request(EventType.CONNECTION_FAILED, request, at=at, outcome=outcome.value, **facts)
    return WayBack(outcome, request, request.connection)


def _close(
    request: AuthorizationRequest, outcome: Outcome, *, connection: Connection | None = None, error_uri: str = ""
) -> None:
    """Write how it ended, and drop what no later answer may use."""
    request.outcome = outcome
    request.connection = connection or request.connection
    request.error_uri = error_uri[:1000]
    request.sealed_pkce_verifier = None
    request.save(update_fields=["outcome", "connection", "error_uri", "sealed_pkce_verifier"])


def _granted_scope(token_set: TokenSet) -> str:
    """What was granted, as far as the server said; whole names only."""
    granted = " ".join(token_set.scope or ())
    return granted if len(granted) <= _LONGEST_SCOPE else granted[:_LONGEST_SCOPE].rpartition(" ")[0]
