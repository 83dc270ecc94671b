"""What the page of an authorization request shows, whatever its outcome, and where its buttons lead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.connections.authorization_responses import candidates
from apps.connections.grants import granted_access, scoping
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.connections.presenting import wording
from apps.connections.presenting.wording import NextStep, Words
from apps.directory import obstacle_wording
from apps.wire.dialects import Interface

_EXCHANGE_TAKES = timedelta(minutes=2)  # at most: six calls, and as many waits for the database, of ten seconds each
_CONNECTED = frozenset({Outcome.COMPLETED, Outcome.CONFIRMED, Outcome.ALREADY_CONNECTED})
_SAY_NOTHING = frozenset({"", Outcome.EXPIRED, Outcome.CLOSED})  # about whether the provider answers
_OVER = frozenset({Connection.Status.ENDED, Connection.Status.DISCONNECTED})


@dataclass(frozen=True)
class Step:
    """A button: its label and target, and whether it logs out (a POST)."""

    label: str
    url: str
    is_sign_out: bool = False


@dataclass(frozen=True)
class Page:
    """Ready to show."""

    kind: str
    title: str
    text: str
    steps: tuple[Step, ...]
    is_stop: bool
    may_ask: bool = False
    tells: bool = False
    needs_sign_in: bool = False


def awaits_confirmation(request: AuthorizationRequest) -> Connection | None:
    """The connection that this request made, if the patient has not confirmed it yet."""
    connection = request.connection
    if connection is not None and connection.status == Connection.Status.AWAITING_CONFIRMATION:
        return connection
    return None


def page(request: AuthorizationRequest, *, is_second_arrival: bool, at: datetime) -> Page:
    """The page of a request. `is_second_arrival`: its answer had been used before."""
    words = _words(request, is_second_arrival=is_second_arrival, at=at)
    return _filled(words, request.provider.name, request)


def page_without_request(outcome: Outcome) -> Page:
    """For an answer that matches no request of this browser and user. It names nobody."""
    return _filled(wording.OUTCOMES[outcome], "", None)


def page_of_posted() -> Page:
    """For an answer that was posted as a form and not read. It names nobody."""
    return _filled(wording.POSTED, "", None)


def _words(request: AuthorizationRequest, *, is_second_arrival: bool, at: datetime) -> Words:
    if not request.outcome:
        return _open_words(request, at=at)
    if request.outcome not in Outcome.values:  # a newer release may have written it
        return wording.INTERRUPTED
    outcome = Outcome(request.outcome)
    if outcome in _CONNECTED and _living(request.connection) is None:
        return wording.OVER_SINCE
    if is_second_arrival:
        is_connected = outcome in _CONNECTED
        return wording.USED_TWICE_CONNECTED if is_connected else _named(Outcome.USED_TWICE, request)
    if outcome in _CONNECTED and _kinds_left_out(request):
        return wording.SOME_LEFT_OUT
    if outcome is Outcome.PROVIDER_DOWN and _was_down_before(request):
        return wording.STILL_DOWN
    return _named(outcome, request)


def _living(connection: Connection | None) -> Connection | None:
    """The request's connection, unless it was ended or deleted since."""
    return connection if connection is not None and connection.status not in _OVER else None


def _named(outcome: Outcome, request: AuthorizationRequest) -> Words:
    words = wording.OUTCOMES[outcome]
    if scoping.is_launched(request.requested_scope):
        words = wording.LAUNCHES.get(outcome, words)
    if request.is_reauthorization and _living(request.connection) is not None:
        words = wording.REAUTHORIZATIONS.get(outcome, words)
    return words


def _open_words(request: AuthorizationRequest, *, at: datetime) -> Words:
    if request.claimed_at is None:
        return _waiting_words(request) if request.expires_at > at else wording.OUTCOMES[Outcome.EXPIRED]
    if at < request.claimed_at + _EXCHANGE_TAKES:
        return wording.FINISHING
    return wording.INTERRUPTED


def _waiting_words(request: AuthorizationRequest) -> Words:
    is_deployment = request.endpoint.interface == Interface.SMART
    return wording.WAITING_AT_DEPLOYMENT if is_deployment else wording.WAITING


def _was_down_before(request: AuthorizationRequest) -> bool:
    """Whether the answer before this one had the same outcome. Sign-ins from which nobody came back do not count."""
    earlier = AuthorizationRequest.objects.filter(
        user_id=request.user_id, provider_id=request.provider_id, created_at__lt=request.created_at, trial=None
    ).exclude(outcome__in=_SAY_NOTHING)
    latest = earlier.order_by("-created_at").first()
    return latest is not None and latest.outcome == Outcome.PROVIDER_DOWN


def _filled(words: Words, provider_name: str, request: AuthorizationRequest | None) -> Page:
    steps = (_step(step, str(label), request) for step, label in words.steps)
    return Page(
        kind=words.kind,
        title=str(words.title).format(provider=obstacle_wording.name_in_title(provider_name)),
        text=str(words.text).format(
            provider=provider_name,
            person=_person(words, request),
            kinds=_kinds_left_out(request) if words is wording.SOME_LEFT_OUT else "",
        ),
        steps=tuple(step for step in steps if step is not None),
        is_stop=words.is_stop,
        may_ask=words.may_ask,
        tells=words.tells and request is not None,
        needs_sign_in=request is not None and request.outcome == Outcome.REQUEST_REFUSED,
    )


def _kinds_left_out(request: AuthorizationRequest | None) -> str:
    """What the request's connection was not granted, as a list in words."""
    living = _living(request.connection) if request else None
    return "; ".join(granted_access.left_out(living)) if living else ""


def _person(words: Words, request: AuthorizationRequest | None) -> str:
    """The person of the request's connection; decrypted only for the page that names them."""
    connection = request.connection if request and words is wording.OUTCOMES[Outcome.WRONG_PERSON] else None
    person = candidates.find_people(connection.user_id, [connection]).get(connection.pk) if connection else None
    return person.name if person and person.name else _("another person")


_ELSEWHERE: Mapping[NextStep, Callable[[], str]] = {
    NextStep.FIND: lambda: reverse("find-provider"),
    NextStep.HELP: lambda: f"{reverse('help')}#not-let-in",
    NextStep.HOME: lambda: reverse("home"),
    NextStep.CONNECTIONS: lambda: reverse("connections"),
}


def _step(step: NextStep, label: str, request: AuthorizationRequest | None) -> Step | None:
    """The button, or None if it has no target."""
    if step is NextStep.SIGN_OUT:
        return Step(label, reverse("account_logout"), is_sign_out=True)
    if step in _ELSEWHERE:
        return Step(label, _ELSEWHERE[step]())
    if request is None:
        return Step(label, reverse("connections"))
    connection = request.connection
    if step is NextStep.CONNECTION:
        return Step(label, reverse("connection", args=[connection.pk])) if connection else None
    living = _living(connection)
    if step is NextStep.SHARING:
        return _sharing_step(label, living)
    if step is NextStep.AGAIN and request.is_reauthorization and living is not None:
        return Step(label, reverse(_reauthorization_page(request), args=[living.pk]))
    return Step(label, reverse("before-you-go", args=[request.provider_id, request.endpoint_id]))


def _sharing_step(label: str, living: Connection | None) -> Step | None:
    """Interface A does not ask what to share."""
    if living is None or living.endpoint.interface != Interface.SMART:
        return None
    return Step(label, reverse("change-sharing", args=[living.pk]))


def _reauthorization_page(request: AuthorizationRequest) -> str:
    """The page on which the sign-in began: "sign in again", or "change what you share". Only the latter asks for
    consent if the registration does not."""
    extends_consent = request.prompts_for_consent and not request.registration.prompts_for_consent
    return "change-sharing" if extends_consent else "reauthorize"
