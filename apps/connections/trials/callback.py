"""The callback of a trial: the same steps as a patient's, each reported; then everything is revoked.

Called with a request that was claimed. The people whom the tokens open are counted and never stored, nor is anything
that is read.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.connections import alerting, clocks, revoking
from apps.connections.authorization_requests import authorization_url
from apps.connections.authorization_responses import claiming, code_exchange, error_outcomes, identifying
from apps.connections.clocks import Clock
from apps.connections.grants import scoping
from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.outcomes import Outcome
from apps.connections.trials import beginning, error_codes, issuing, obstacles, reading, results
from apps.connections.trials.results import Note, Notes, Step, Verdict
from apps.directory import enabling, reaching
from apps.vault.errors import VaultError
from apps.wire import scopes, token_endpoint
from apps.wire.authorization import AuthorizationResponse
from apps.wire.dialects import Interface
from apps.wire.errors import Code, OrganizationNotEnabled, UnexpectedAnswer, WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenEndpoint, TokenSet

_SPECIAL = frozenset({"offline_access", "online_access", "openid", "fhirUser", "launch/patient"})


def settle(request: AuthorizationRequest, response: AuthorizationResponse, browser: Secret, *, at: datetime) -> Outcome:
    """Take a claimed request to its outcome, and store in the trial how each step ended, unless another answer already
    did.

    Raises `claiming.AccountClosed`; the trial is over all the same. Speaks to the network: no transaction may be open.
    """
    trial = request.trial
    assert trial is not None  # noqa: S101 - the caller looked
    notes = Notes(at=at)
    try:
        outcome = _come_back(trial, request, response, browser, notes, at=at)
    finally:
        _end(trial, notes, at=at)
    with transaction.atomic():
        claiming.hold_account(request)
        claiming.close(request, outcome)
    return outcome


def expire(request: AuthorizationRequest) -> None:
    """An answer that came too late: the trial stays open, and its sign-in can be started again."""
    with transaction.atomic():
        claiming.hold_account(request)
        claiming.close(request, Outcome.EXPIRED)


def _come_back(
    trial: Trial,
    request: AuthorizationRequest,
    response: AuthorizationResponse,
    browser: Secret,
    notes: Notes,
    *,
    at: datetime,
) -> Outcome:
    if not User.objects.filter(pk=request.user_id, is_staff=True, is_active=True).exists():
        notes.failed(Step.SIGN_IN, Note.NOT_STAFF)
        return Outcome.CLOSED
    try:
        code_exchange.check_issuer(request, response)
    except UnexpectedAnswer:
        notes.failed(Step.SIGN_IN, Code.WRONG_ISSUER)
        return Outcome.WRONG_ISSUER
    if response.code is None:
        return _answered(response, notes)
    notes.passed(Step.SIGN_IN)
    obstacle = obstacles.of(trial, at=at)
    if obstacle is not None:
        notes.failed(Step.EXCHANGE, obstacle)
        return Outcome.REGISTRATION_BROKEN
    return _exchange(request, response.code, browser, notes, at=at)


def _answered(response: AuthorizationResponse, notes: Notes) -> Outcome:
    """The authorization server sent no code."""
    outcome = error_outcomes.of_authorization_answer(response)
    is_theirs = outcome is Outcome.DENIED_BY_PROVIDER
    notes.failed(Step.SIGN_IN, Note.DENIED_BY_PROVIDER if is_theirs else response.error or Code.UNRECOGNIZED)
    return outcome


def _exchange(request: AuthorizationRequest, code: Secret, browser: Secret, notes: Notes, *, at: datetime) -> Outcome:
    nonce = authorization_url.nonce(request, browser)
    clock = clocks.running_from(at)
    try:
        endpoint = reaching.token_endpoint(request.endpoint, request.registration)
        tokens = code_exchange.exchange(request, endpoint, code, browser)
    except WireError as error:
        notes.failed(Step.EXCHANGE, error_codes.code(error))
        return error_outcomes.of_exchange(error, Interface(request.endpoint.interface))
    except VaultError:
        notes.failed(Step.EXCHANGE, Note.CANNOT_OPEN)
        return Outcome.REGISTRATION_BROKEN
    notes.passed(Step.EXCHANGE)
    held = [tokens]  # the latest token set last: a refresh may add one
    try:
        alerting.note_tokens(request.registration, request.endpoint, at=at)
        return _look(request, held, nonce, notes, clock, at=at)
    finally:
        _give_back(request, endpoint, held[-1], notes, at=at)


def _look(
    request: AuthorizationRequest,
    held: list[TokenSet],
    nonce: Secret | None,
    notes: Notes,
    clock: Clock,
    *,
    at: datetime,
) -> Outcome:
    """Who signed in, whose record it is, what may be read, and whether it can be."""
    tokens = held[-1]
    try:
        fhir_user = identifying.verify(request, tokens, nonce=nonce, at=clock())
    except WireError as error:
        notes.failed(Step.IDENTITY, error_codes.code(error), names=issuing.unknown(error))
        return error_outcomes.of_finding(error)
    _note_identity(request, tokens, notes)
    _compare(request, tokens, notes)
    if scoping.lacks_person(request.requested_scope, tokens.scope):
        notes.failed(Step.PERSON, "not_shared")
        return Outcome.NOTHING_SHARED
    try:
        people = identifying.find(request, tokens, fhir_user=fhir_user).people
    except WireError as error:
        if isinstance(error, OrganizationNotEnabled):
            enabling.refused(request.registration, request.endpoint, is_certain=False, at=at)
        notes.failed(Step.PERSON, error_codes.code(error))
        return error_outcomes.of_finding(error)
    if not people:
        notes.failed(Step.PERSON, Note.NO_PERSON)
        return Outcome.NO_PERSON
    notes.passed(Step.PERSON, count=len(people))
    alerting.note_answer(request.registration, request.endpoint, at=at)
    _refresh(request, held, notes)
    reading.read_something(request, held[-1], people[0].logical_id, notes)
    return Outcome.COMPLETED


def _note_identity(request: AuthorizationRequest, tokens: TokenSet, notes: Notes) -> None:
    if request.endpoint.interface != Interface.SMART or not scoping.asks_identity(request.requested_scope):
        notes.skipped(Step.IDENTITY, Note.NONE_ASKED)
    elif tokens.id_token is None:
        notes.noticed(Step.IDENTITY, Note.NONE_CAME)
    else:
        notes.passed(Step.IDENTITY)


def _compare(request: AuthorizationRequest, tokens: TokenSet, notes: Notes) -> None:
    """Compare what was asked with what was granted. Only names of resource types and of well-known scopes are
    stored."""
    requested = request.requested_scope.split()
    if not requested:
        notes.skipped(Step.SCOPES, Note.NONE_ASKED)
    elif tokens.scope is None:
        notes.passed(Step.SCOPES, Note.NOT_SAID)
    else:
        missing = _known(scopes.missing(requested, tokens.scope))
        if missing:
            notes.noticed(Step.SCOPES, Note.LEFT_OUT, names=missing, count=len(missing))
        else:
            notes.passed(Step.SCOPES, count=len(scopes.readable_types(tokens.scope) or ()))


def _known(missing: Collection[str]) -> list[str]:
    return sorted((scopes.readable_types(missing) or frozenset()) | (_SPECIAL & frozenset(missing)))


def _refresh(request: AuthorizationRequest, held: list[TokenSet], notes: Notes) -> None:
    """Refresh once, immediately, if there is a refresh token and no minimum interval forbids it."""
    tokens = held[-1]
    floor = reaching.dialect(request.endpoint, request.registration).minimum_refresh_interval_seconds
    if tokens.refresh_token is None:
        wants_one = request.endpoint.interface != Interface.SMART or bool(scoping.refresh_scope(request.registration))
        if wants_one:
            notes.noticed(Step.REFRESH, Note.NONE_CAME)
        else:
            notes.skipped(Step.REFRESH, Note.NONE_ASKED)
        return
    if floor:
        notes.skipped(Step.REFRESH, Note.TOO_SOON, count=floor)
        return
    try:
        endpoint = reaching.token_endpoint(request.endpoint, request.registration)
        refreshed = token_endpoint.refresh(endpoint, refresh_token=tokens.refresh_token)
    except (WireError, VaultError) as error:
        notes.failed(Step.REFRESH, error_codes.code(error) if isinstance(error, WireError) else Note.CANNOT_OPEN)
        return
    held.append(replace(refreshed, refresh_token=refreshed.refresh_token or tokens.refresh_token))
    notes.passed(Step.REFRESH)


def _give_back(
    request: AuthorizationRequest, endpoint: TokenEndpoint, tokens: TokenSet, notes: Notes, *, at: datetime
) -> None:
    """Revoke with the credentials at hand, because we may be here since the database went away."""
    server = reaching.authorization_server(request.endpoint, request.registration)
    if not server.revocation_url:
        notes.skipped(Step.REVOCATION, Note.NOT_OFFERED)
    elif revoking.revoke_unused(request, tokens, at=at, through=endpoint):
        notes.passed(Step.REVOCATION)
    else:
        notes.noticed(Step.REVOCATION, Note.TOLD_LATER)


def _end(trial: Trial, notes: Notes, *, at: datetime) -> None:
    """Store what was seen, and that the trial is over. Only the first answer to finish does; others change nothing. The
    account may be gone by now: a trial is tied to none."""
    failed = next((step for step, result in notes.results.items() if result.verdict is Verdict.FAILED), None)
    seen = {**trial.results, **results.stored(notes.results)}
    with transaction.atomic():
        if not Trial.objects.filter(pk=trial.pk, ended_at__isnull=True).update(results=seen, ended_at=at):
            return
        code = f"{failed}:{notes.results[failed].code}" if failed else ""
        beginning.note(trial, "trial failed" if failed else "trial passed", at=at, code=code[:64])
