"""Complete an authorization request: from the query that the browser brings to the callback to one outcome.

In order: parse the response; find the request by the hash of its state, among those of this redirect URI's
registration; compare the browser's cookie and the signed-in user; claim the request once; check the issuer; exchange
the code at the endpoint's own token endpoint; verify who signed in; ask whose record it is; and store tokens and
candidates, sealed, on a connection that awaits confirmation.

A failure leaves nothing behind but its outcome. No transaction is open during network calls.

The patient's session may have expired meanwhile. Codes expire within a minute, so a valid state in the right browser is
exchanged at once, and the result is kept for the user who began.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import Error, transaction

from apps.audit.recording import Actor, EventType
from apps.connections import alerting, clocks, connection_events, database_outages, refreshing, revoking
from apps.connections.authorization_requests import authorization_url, binding
from apps.connections.authorization_responses import (
    claiming,
    closed_accounts,
    code_exchange,
    error_outcomes,
    identifying,
    outcome_counts,
)
from apps.connections.callback import storing
from apps.connections.clocks import Clock
from apps.connections.grants import scoping
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.connections.trials import callback
from apps.directory import linkability, reaching, switching
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration
from apps.vault.errors import VaultError
from apps.wire import authorization
from apps.wire.authorization import AuthorizationResponse
from apps.wire.dialects import Interface
from apps.wire.errors import UnexpectedAnswer, WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenEndpoint, TokenSet

_LOG = logging.getLogger(__name__)

KEEPING_SECONDS = 10.0  # long enough for a restart of the database, short enough for a patient to wait

T = TypeVar("T")


@dataclass(frozen=True)
class CallbackResult:
    """How an answer ended. `request` is set if the answer belongs to a request of this browser and user."""

    outcome: Outcome
    request: AuthorizationRequest | None = None
    connection: Connection | None = None
    is_hearsay: bool = False  # only the browser said so; no call of ours confirmed it


def complete(
    *,
    redirect_id: UUID,
    unverified_query: Mapping[str, Sequence[str]],
    browser: Secret | None,
    signed_in_user_id: UUID | None,
    at: datetime,
) -> CallbackResult:
    """Process one authorization response. Never raises for anything that the browser or the provider sent."""
    registration = ClientRegistration.objects.filter(redirect_id=redirect_id).first()
    response = _read(registration, unverified_query)
    request = _find(registration, response)
    if response is None or request is None:
        return CallbackResult(_unknown(response, browser, at=at))
    if browser is None or not binding.is_same_browser(request, browser):
        return _not_theirs(request, Outcome.OTHER_BROWSER, at=at)
    if signed_in_user_id not in {None, request.user_id}:
        return _not_theirs(request, Outcome.OTHER_ACCOUNT, at=at)
    try:
        if not claiming.claim(request, at=at):
            return _second_arrival(request, at=at)
        if request.trial is not None:
            return CallbackResult(callback.settle(request, response, browser, at=at), request)
        return _counted(_settle(request, response, browser, at=at), at=at)
    except claiming.AccountClosed:
        return CallbackResult(Outcome.ACCOUNT_CLOSED)


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
    """The request with this state, among those that used this redirect URI (RFC 9700 section 4.4: a code that arrived
    at one server's redirect URI is never sent to another server)."""
    if response is None or response.state is None:
        return None
    rows = AuthorizationRequest.objects.select_related(
        "endpoint", "provider", "connection", "trial", "registration__authorization_server"
    )
    return rows.filter(registration=registration, state_hash=binding.hashed(response.state)).first()


def _unknown(response: AuthorizationResponse | None, browser: Secret | None, *, at: datetime) -> Outcome:
    """The outcome of an answer without a request: nobody asked for it, or the request was deleted with its account."""
    if response is None or response.state is None or browser is None:
        return Outcome.FORGED
    is_closed = closed_accounts.is_of_closed_account(response.state, browser, at=at)
    return Outcome.ACCOUNT_CLOSED if is_closed else Outcome.FORGED


def _not_theirs(request: AuthorizationRequest, outcome: Outcome, *, at: datetime) -> CallbackResult:
    """Change nothing and send nothing: the right person may still come back in the right browser. It is unknown who
    brought the answer, so the event in the log of the request's user names the system as its actor."""
    if request.trial_id is None:
        actor = Actor.system("returning")
        connection_events.note_request(EventType.CONNECTION_FAILED, request, at=at, actor=actor, outcome=outcome.value)
    return CallbackResult(outcome)


def _second_arrival(request: AuthorizationRequest, *, at: datetime) -> CallbackResult:
    present = AuthorizationRequest.objects.select_related("provider", "connection").filter(pk=request.pk).first()
    if present is None:
        raise claiming.AccountClosed
    if present.claimed_at is not None:
        return CallbackResult(Outcome.USED_TWICE, present, present.connection)
    unanswered = AuthorizationRequest.objects.filter(pk=request.pk, claimed_at__isnull=True)
    is_uncounted = unanswered.filter(outcome="").update(claimed_at=at)
    unanswered.update(claimed_at=at)
    if present.trial_id is not None:
        callback.expire(present)
        return CallbackResult(Outcome.EXPIRED, present)
    result = _fail(present, Outcome.EXPIRED, at=at)
    return _counted(result, at=at) if is_uncounted else result


def _counted(result: CallbackResult, *, at: datetime) -> CallbackResult:
    """Count the outcome for the statistics that others see. This happens after the attempt's own transactions, so at
    most once: if the process stops in between, the attempt is missing from the numbers."""
    request, outcome = result.request, result.outcome
    if request is None:
        return result
    if result.connection is not None and outcome is Outcome.COMPLETED and result.connection.confirmed_at:
        outcome = Outcome.ALREADY_CONNECTED  # renewed: there is no confirmation to wait for
    count = outcome_counts.count_hearsay if result.is_hearsay else outcome_counts.count
    count(request.endpoint, outcome, user_id=request.user_id, at=at)
    return result


def _settle(
    request: AuthorizationRequest, response: AuthorizationResponse, browser: Secret, *, at: datetime
) -> CallbackResult:
    """Take a claimed request to its outcome."""
    try:
        code_exchange.check_issuer(request, response)
    except UnexpectedAnswer as error:
        alerting.alert_staff(request.registration, error)
        return _fail(request, Outcome.WRONG_ISSUER, at=at)
    if response.code is None:
        return _fail_as_answered(request, response, at=at)
    obstacle = _stopped_by(request, at=at)
    if obstacle is not None:
        is_off = obstacle is Obstacle.SWITCHED_OFF
        return _fail(request, Outcome.SWITCHED_OFF if is_off else Outcome.REGISTRATION_BROKEN, at=at)
    clock = clocks.running_from(at)
    nonce = authorization_url.nonce(request, browser)
    try:
        endpoint = reaching.token_endpoint(request.endpoint, request.registration)
        token_set = code_exchange.exchange(request, endpoint, response.code, browser)
    except WireError as error:
        alerting.alert_staff_of_refusal(request.registration, request.endpoint, error, at=at)
        outcome = error_outcomes.of_exchange(error, Interface(request.endpoint.interface))
        return _fail(request, outcome, at=at, error_uri=error.error_uri, code=error.code)
    except VaultError as error:
        return _fail_for_the_vault(request, error, at=at)
    return _identify(request, endpoint, token_set, nonce, clock, at=at)


def _stopped_by(request: AuthorizationRequest, *, at: datetime) -> Obstacle | None:
    """Whether the provider was switched off, or moved, while the patient was away. Trouble that another sign-in met
    meanwhile is ignored: this sign-in may show that it is over."""
    if not switching.is_on(request.endpoint, request.registration):
        return Obstacle.SWITCHED_OFF
    return linkability.obstacle(
        request.endpoint, provider=request.provider, at=at, ignoring=linkability.MENDED_BY_A_SIGN_IN
    )


def _fail_as_answered(
    request: AuthorizationRequest, response: AuthorizationResponse, *, at: datetime
) -> CallbackResult:
    """The authorization server sent no code. What a browser brought counts for nobody but its owner."""
    outcome = error_outcomes.of_authorization_answer(response)
    if not (outcome is Outcome.REQUEST_REFUSED and scoping.is_launched(request.requested_scope)):  # it expired there
        refusal = authorization.refusal(response)
        alerting.alert_staff_of_sign_in(request.registration, request.endpoint, refusal, at=at)
    failed = _fail(request, outcome, at=at, error_uri=response.error_uri, code=response.error)
    return replace(failed, is_hearsay=True)


def _identify(
    request: AuthorizationRequest,
    endpoint: TokenEndpoint,
    token_set: TokenSet,
    nonce: Secret | None,
    clock: Clock,
    *,
    at: datetime,
) -> CallbackResult:
    """Find out whose record the tokens open. If that fails, the tokens are given back and never kept."""
    try:
        return CallbackResult(Outcome.COMPLETED, request, _kept(request, token_set, nonce, clock, at=at))
    except Error as error:
        if database_outages.is_outage(error):  # we waited, and the database did not come back
            _give_back(request, endpoint, token_set, within_seconds=0, at=at)
        raise
    except (WireError, storing.NotKept, VaultError, claiming.AccountClosed) as reason:
        _give_back(request, endpoint, token_set, within_seconds=KEEPING_SECONDS, at=at)
        if isinstance(reason, WireError):
            alerting.alert_staff_of_sign_in(request.registration, request.endpoint, reason, at=at)
            return _fail(request, error_outcomes.of_finding(reason), at=at, code=reason.code)
        if isinstance(reason, storing.NotKept):
            return _fail(request, reason.outcome, at=at)
        if isinstance(reason, VaultError):
            return _fail_for_the_vault(request, reason, at=at)
        raise


def _kept(
    request: AuthorizationRequest, token_set: TokenSet, nonce: Secret | None, clock: Clock, *, at: datetime
) -> Connection:
    """Identify and store. `at` is when the code was sent; the ID token was issued later, so it is checked at
    `clock()`."""
    _until_written(lambda: alerting.note_tokens(request.registration, request.endpoint, at=at))
    fhir_user = _until_written(lambda: identifying.verify(request, token_set, nonce=nonce, at=clock()))
    if scoping.lacks_person(request.requested_scope, token_set.scope):
        raise storing.NotKept(Outcome.NOTHING_SHARED)
    found = _until_written(lambda: identifying.find(request, token_set, fhir_user=fhir_user))
    _until_written(lambda: alerting.note_answer(request.registration, request.endpoint, at=at))
    return _until_written(lambda: storing.keep(request, token_set, found, at=at))


def _until_written(write: Callable[[], T]) -> T:
    """Retry while the database is away: the code is used up, so giving up would cost the patient the sign-in."""
    return refreshing.until_written(write, within_seconds=KEEPING_SECONDS)


def _give_back(
    request: AuthorizationRequest, endpoint: TokenEndpoint, token_set: TokenSet, *, within_seconds: float, at: datetime
) -> None:
    """Revoke the tokens with the credentials at hand. If that fails, the database has to remember them for later, and
    is waited for as long."""

    def tell() -> None:
        revoking.revoke_unused(request, token_set, at=at, through=endpoint)

    try:
        refreshing.until_written(tell, within_seconds=within_seconds)
    except Error as error:
        if not database_outages.is_outage(error):
            raise
        _LOG.error("Tokens were dropped unrevoked: %s: the database does not answer", request)


def _fail_for_the_vault(request: AuthorizationRequest, error: VaultError, *, at: datetime) -> CallbackResult:
    """Nothing can be sealed or opened for this person. That is ours to fix, unless the account is closed."""
    _LOG.error("A sign-in could not be kept: authorization request %s: %s", request.pk, error)
    return _fail(request, Outcome.REGISTRATION_BROKEN, at=at)


def _fail(
    request: AuthorizationRequest,
    outcome: Outcome,
    *,
    at: datetime,
    error_uri: str | None = None,
    code: str | None = None,
) -> CallbackResult:
    with transaction.atomic():
        claiming.hold_account(request)
        claiming.close(request, outcome, error_uri=error_uri or "")
        facts: dict[str, Any] = {"code": str(code)} if code else {}
        connection_events.note_request(EventType.CONNECTION_FAILED, request, at=at, outcome=outcome.value, **facts)
    return CallbackResult(outcome, request, request.connection)
