"""The way back from a provider: from the query the browser brings to one named outcome.

In order: read the answer, find the request by the hash of its state among those of this redirect URI's registration,
compare the browser's cookie and who is signed in, claim the request once, check who answers, exchange the code at the
endpoint's own token endpoint, verify who signed in, ask whose record it is, and store tokens and candidates sealed, on
a connection awaiting confirmation.
Whatever fails leaves nothing behind but the outcome. No transaction is open while the network is spoken to.

The patient's session may have lapsed meanwhile: codes die within a minute, so a right state in the right browser is
exchanged at once and held for the user who began.
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
from apps.connections.answers import (
    claiming,
    closed_accounts,
    code_exchange,
    error_outcomes,
    identifying,
    outcome_counts,
)
from apps.connections.arriving import keeping
from apps.connections.clocks import Clock
from apps.connections.grants import scoping
from apps.connections.leaving import binding, departing
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.connections.trying import callback
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

KEEPING_SECONDS = 10.0  # a database that is restarted is back by then, and its patient still looks at the page

T = TypeVar("T")


@dataclass(frozen=True)
class WayBack:
    """How an answer ended. `request` is there where the answer belongs to one of this browser and user."""

    outcome: Outcome
    request: AuthorizationRequest | None = None
    connection: Connection | None = None
    is_hearsay: bool = False  # the browser said so, and no call of ours


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
        return WayBack(_unknown(response, browser, at=at))
    if browser is None or not binding.is_same_browser(request, browser):
        return _not_theirs(request, Outcome.OTHER_BROWSER, at=at)
    if signed_in_user_id not in {None, request.user_id}:
        return _not_theirs(request, Outcome.OTHER_ACCOUNT, at=at)
    try:
        if not claiming.claim(request, at=at):
            return _second_arrival(request, at=at)
        if request.trial is not None:
            return WayBack(callback.settle(request, response, browser, at=at), request)
        return _counted(_settle(request, response, browser, at=at), at=at)
    except claiming.AccountClosed:
        return WayBack(Outcome.ACCOUNT_CLOSED)


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
        "endpoint", "provider", "connection", "trial", "registration__authorization_server"
    )
    return rows.filter(registration=registration, state_hash=binding.hashed(response.state)).first()


def _unknown(response: AuthorizationResponse | None, browser: Secret | None, *, at: datetime) -> Outcome:
    """An answer without a request: nobody asked for it, or the request went with its account."""
    if response is None or response.state is None or browser is None:
        return Outcome.FORGED
    is_closed = closed_accounts.is_of_closed_account(response.state, browser, at=at)
    return Outcome.ACCOUNT_CLOSED if is_closed else Outcome.FORGED


def _not_theirs(request: AuthorizationRequest, outcome: Outcome, *, at: datetime) -> WayBack:
    """Nothing is sent and nothing changes: the right person in the right browser may still come back. Who brought the
    answer is not known, so the log of the person it belongs to does not say that they did."""
    if request.trial_id is None:
        actor = Actor.system("returning")
        connection_events.note_request(EventType.CONNECTION_FAILED, request, at=at, actor=actor, outcome=outcome.value)
    return WayBack(outcome)


def _second_arrival(request: AuthorizationRequest, *, at: datetime) -> WayBack:
    present = AuthorizationRequest.objects.select_related("provider", "connection").filter(pk=request.pk).first()
    if present is None:
        raise claiming.AccountClosed
    if present.claimed_at is not None:
        return WayBack(Outcome.USED_TWICE, present, present.connection)
    unanswered = AuthorizationRequest.objects.filter(pk=request.pk, claimed_at__isnull=True)
    is_uncounted = unanswered.filter(outcome="").update(claimed_at=at)
    unanswered.update(claimed_at=at)
    if present.trial_id is not None:
        callback.expire(present)
        return WayBack(Outcome.EXPIRED, present)
    way_back = _fail(present, Outcome.EXPIRED, at=at)
    return _counted(way_back, at=at) if is_uncounted else way_back


def _counted(way_back: WayBack, *, at: datetime) -> WayBack:
    """For others to be told how it went here. After the attempt's own transactions, and so at most once: where we are
    stopped in between, an attempt is missing from the numbers."""
    request, outcome = way_back.request, way_back.outcome
    if request is None:
        return way_back
    if way_back.connection is not None and outcome is Outcome.COMPLETED and way_back.connection.confirmed_at:
        outcome = Outcome.ALREADY_CONNECTED  # renewed: nobody is asked whose record it is
    count = outcome_counts.count_hearsay if way_back.is_hearsay else outcome_counts.count
    count(request.endpoint, outcome, user_id=request.user_id, at=at)
    return way_back


def _settle(
    request: AuthorizationRequest, response: AuthorizationResponse, browser: Secret, *, at: datetime
) -> WayBack:
    """From a claimed request to its outcome."""
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
    nonce = departing.nonce(request, browser)
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
    """Whether it was switched off, or moved, while the patient was away. What another's sign-in ran into meanwhile
    throws no code away: this one may mend it."""
    if not switching.is_on(request.endpoint, request.registration):
        return Obstacle.SWITCHED_OFF
    return linkability.obstacle(
        request.endpoint, provider=request.provider, at=at, ignoring=linkability.MENDED_BY_A_SIGN_IN
    )


def _fail_as_answered(request: AuthorizationRequest, response: AuthorizationResponse, *, at: datetime) -> WayBack:
    """The authorization server sent no code. What a browser brought counts for nobody but its owner."""
    outcome = error_outcomes.of_authorization_answer(response)
    if not (outcome is Outcome.REQUEST_REFUSED and scoping.is_launched(request.requested_scope)):  # it ran out there
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
) -> WayBack:
    """Whose record the tokens open. Tokens of a failure are given back, never kept."""
    try:
        return WayBack(Outcome.COMPLETED, request, _kept(request, token_set, nonce, clock, at=at))
    except Error as error:
        if database_outages.is_outage(error):  # it was waited for, and did not come back
            _give_back(request, endpoint, token_set, within_seconds=0, at=at)
        raise
    except (WireError, keeping.NotKept, VaultError, claiming.AccountClosed) as reason:
        _give_back(request, endpoint, token_set, within_seconds=KEEPING_SECONDS, at=at)
        if isinstance(reason, WireError):
            alerting.alert_staff_of_sign_in(request.registration, request.endpoint, reason, at=at)
            return _fail(request, error_outcomes.of_finding(reason), at=at, code=reason.code)
        if isinstance(reason, keeping.NotKept):
            return _fail(request, reason.outcome, at=at)
        if isinstance(reason, VaultError):
            return _fail_for_the_vault(request, reason, at=at)
        raise


def _kept(
    request: AuthorizationRequest, token_set: TokenSet, nonce: Secret | None, clock: Clock, *, at: datetime
) -> Connection:
    """`at`: when the code was sent. The ID token was made after that, and is judged by what `clock` says then."""
    _until_written(lambda: alerting.note_tokens(request.registration, request.endpoint, at=at))
    fhir_user = _until_written(lambda: identifying.verify(request, token_set, nonce=nonce, at=clock()))
    if scoping.lacks_person(request.requested_scope, token_set.scope):
        raise keeping.NotKept(Outcome.NOTHING_SHARED)
    found = _until_written(lambda: identifying.find(request, token_set, fhir_user=fhir_user))
    _until_written(lambda: alerting.note_answer(request.registration, request.endpoint, at=at))
    return _until_written(lambda: keeping.keep(request, token_set, found, at=at))


def _until_written(write: Callable[[], T]) -> T:
    """The code is used up by now: a database that blinks would cost the sign-in."""
    return refreshing.until_written(write, within_seconds=KEEPING_SECONDS)


def _give_back(
    request: AuthorizationRequest, endpoint: TokenEndpoint, token_set: TokenSet, *, within_seconds: float, at: datetime
) -> None:
    """Told with what is in hand. Where that fails, the database has to keep it for later, and is waited for as long."""

    def tell() -> None:
        revoking.revoke_unused(request, token_set, at=at, through=endpoint)

    try:
        refreshing.until_written(tell, within_seconds=within_seconds)
    except Error as error:
        if not database_outages.is_outage(error):
            raise
        _LOG.error("Tokens were dropped unrevoked: %s: the database does not answer", request)


def _fail_for_the_vault(request: AuthorizationRequest, error: VaultError, *, at: datetime) -> WayBack:
    """Nothing can be sealed or opened for this person: ours to mend, and where the account is closed, nobody's."""
    _LOG.error("A sign-in could not be kept: authorization request %s: %s", request.pk, error)
    return _fail(request, Outcome.REGISTRATION_BROKEN, at=at)


def _fail(
    request: AuthorizationRequest,
    outcome: Outcome,
    *,
    at: datetime,
    error_uri: str | None = None,
    code: str | None = None,
) -> WayBack:
    with transaction.atomic():
        claiming.hold_account(request)
        claiming.close(request, outcome, error_uri=error_uri or "")
        facts: dict[str, Any] = {"code": str(code)} if code else {}
        connection_events.note_request(EventType.CONNECTION_FAILED, request, at=at, outcome=outcome.value, **facts)
    return WayBack(outcome, request, request.connection)
