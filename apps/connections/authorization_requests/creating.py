"""Create an authorization request: from the patient's "continue" to the URL that their browser leaves for.

`create` checks that the provider can be linked and that the user agreed to the current notice, and stores an
authorization request. `authorization_url` builds the URL, and `callback.completing` handles the return.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts import consenting
from apps.accounts.models import User
from apps.audit.recording import EventType
from apps.connections import connection_events
from apps.connections.authorization_requests import authorization_url, binding, request_columns
from apps.connections.authorization_requests.authorization_url import Departure
from apps.connections.grants import scoping
from apps.connections.models import AuthorizationRequest, Connection, Trial
from apps.connections.outcomes import Outcome
from apps.directory import discovering, linkability, reaching, registering
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire import authorization
from apps.wire.dialects import Interface
from apps.wire.errors import WireError
from apps.wire.secret import Secret

LIFETIME = timedelta(minutes=10)
MOST_OPEN = 5


class CannotLink(Exception):
    """The provider cannot be linked; `obstacle` says why."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(self.__doc__)
        self.obstacle = obstacle


class ConsentMissing(Exception):
    """The person has not agreed to the current notice, so they cannot leave for a provider yet."""


class NothingToReauthorize(Exception):
    """The connection that was to be reauthorized is over: its patient disconnected it meanwhile, in another tab."""


class TooManyOpen(Exception):
    """The person already has as many open sign-ins as we allow."""


@dataclass(frozen=True, repr=False)
class Launch:
    """What a provider's portal sent: its FHIR base URL as written there, and the launch value."""

    iss: str
    value: Secret


def create(
    *,
    user: User,
    provider: Provider,
    endpoint: Endpoint,
    browser: Secret,
    at: datetime,
    connection: Connection | None = None,
    launch: Launch | None = None,
    closes_others: bool = False,
    extends_consent: bool = False,
) -> Departure:
    """Store an authorization request of this user and browser, valid for ten minutes and one answer.

    With a connection, that one is to be reauthorized. `launch` is what the provider's portal sent, if it began there.
    `closes_others`: earlier requests can no longer be answered. `extends_consent`: the patient is to be asked again
    what to share. If the provider's addresses are stale, they are discovered: call it outside transactions.

    Raises ConsentMissing, CannotLink, TooManyOpen and, with a connection, NothingToReauthorize.
    """
    _check_person(user, closes_others=closes_others, at=at)
    discovering.keep_fresh(endpoint, at=at)
    request = request_of(
        user,
        provider,
        endpoint,
        _registration(provider, endpoint, at=at),
        at=at,
        connection=connection,
        is_launched=launch is not None,
        extends_consent=extends_consent,
    )
    with transaction.atomic():
        _make_room(user, closes_others=closes_others, at=at)
        if connection is not None:
            _hold(connection)
        departure = store(request, browser, launch)
        connection_events.note_request(EventType.CONNECTION_REQUESTED, request, at=at, is_first=connection is None)
    return departure


def request_of(
    user: User,
    provider: Provider,
    endpoint: Endpoint,
    registration: ClientRegistration,
    *,
    at: datetime,
    connection: Connection | None = None,
    trial: Trial | None = None,
    is_launched: bool = False,
    extends_consent: bool = False,
) -> AuthorizationRequest:
    """An authorization request that is not stored yet. The caller has checked whether this person may leave for there.

    Raises CannotLink if no scope can be written.
    """
    return AuthorizationRequest(
        id=uuid.uuid4(),
        user=user,
        endpoint=endpoint,
        provider=provider,
        registration=registration,
        connection=connection,
        trial=trial,
        is_reauthorization=connection is not None,
        requested_scope=_scope(endpoint, registration, is_launched=is_launched),
        prompts_for_consent=_prompts(endpoint, registration, extends_consent=extends_consent),
        created_at=at,
    )


def store(request: AuthorizationRequest, browser: Secret, launch: Launch | None = None) -> Departure:
    """Store the request with what ties it to the browser and what only its answer may use, and return where it leads.

    Call it in a transaction. Raises CannotLink if no URL can be built; the caller's transaction then stores no request.
    """
    verifier = authorization.new_pkce_verifier() if request.registration.uses_pkce else None
    request.state_hash = binding.hashed(binding.state_for(request.pk, browser))
    request.browser_hash = binding.hashed(browser)
    request.expires_at = request.created_at + LIFETIME
    request.sealed_pkce_verifier = request_columns.seal(request.user_id, request.pk, "sealed_pkce_verifier", verifier)
    if launch is not None:
        request.launched_from = launch.iss
        request.sealed_launch = request_columns.seal(request.user_id, request.pk, "sealed_launch", launch.value)
    request.save(force_insert=True)
    try:
        return Departure(request.pk, authorization_url.build(request, browser))
    except WireError:
        raise CannotLink(Obstacle.NO_ADDRESSES) from None


def _check_person(user: User, *, closes_others: bool, at: datetime) -> None:
    """Check before the provider is asked, so that nobody waits for a slow server in vain. `_make_room` checks the
    number of open sign-ins again, with a lock."""
    if consenting.needs_consent(user):
        raise ConsentMissing
    if not closes_others:
        _check_room(user, at=at)


def _make_room(user: User, *, closes_others: bool, at: datetime) -> None:
    """The lock makes two tabs count each other. If the account was closed in one of them, there is no consent any
    more."""
    if User.objects.select_for_update(no_key=True).filter(pk=user.pk).first() is None:
        raise ConsentMissing
    if closes_others:
        nothing_left = {"sealed_pkce_verifier": None, "sealed_launch": None}
        _open_requests(user, at=at).update(claimed_at=at, outcome=Outcome.CLOSED, **nothing_left)
    _check_room(user, at=at)


def _hold(connection: Connection) -> None:
    """Lock the connection until the transaction ends; it may have been deleted while its provider was asked."""
    held = Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk)
    if not list(held.exclude(status=Connection.Status.DISCONNECTED).values_list("pk")):
        raise NothingToReauthorize


def _check_room(user: User, *, at: datetime) -> None:
    if _open_requests(user, at=at).count() >= MOST_OPEN:
        raise TooManyOpen


def _open_requests(user: User, *, at: datetime) -> QuerySet[AuthorizationRequest]:
    """Requests that an answer could still claim."""
    return AuthorizationRequest.objects.filter(user=user, claimed_at__isnull=True, expires_at__gt=at)


def _scope(endpoint: Endpoint, registration: ClientRegistration, *, is_launched: bool) -> str:
    server = reaching.authorization_server(endpoint, registration)
    try:
        return scoping.to_ask(endpoint, registration, server, is_launched=is_launched)
    except WireError:
        raise CannotLink(Obstacle.NO_ADDRESSES) from None


def _prompts(endpoint: Endpoint, registration: ClientRegistration, *, extends_consent: bool) -> bool:
    """Only interface B has this parameter (specification 4.1 P1)."""
    return endpoint.interface == Interface.SMART and (extends_consent or registration.prompts_for_consent)


def _registration(provider: Provider, endpoint: Endpoint, *, at: datetime) -> ClientRegistration:
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    if obstacle is not None:
        raise CannotLink(obstacle)
    registration = registering.standing_at(endpoint)
    if registration is None or not endpoint.providers.filter(pk=provider.pk).exists():
        raise CannotLink(Obstacle.NO_REGISTRATION)
    return registration
