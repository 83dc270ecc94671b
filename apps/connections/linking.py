"""Begin a link: from the patient's "continue" to the address their browser goes to.

`begin` checks that the provider can be linked and that the notice in force was agreed to, and stores one authorization
request; `departure` rebuilds the address for the page that shows it. The way back is `returning.py`.
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts import consenting
from apps.accounts.models import User
from apps.audit.recording import EventType
from apps.connections import binding, noting
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.directory import discovering, linkability, reaching, registering
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.vault import sealing
from apps.vault.errors import Shredded
from apps.vault.sealing import Holder, Place
from apps.wire import authorization
from apps.wire.errors import WireError
from apps.wire.secret import Secret

LIFETIME = timedelta(minutes=10)
MOST_OPEN = 5


@dataclass(frozen=True, repr=False)
class Departure:
    """Where the browser goes. The address holds the state: show it once, keep and log it nowhere."""

    request_id: uuid.UUID
    url: str


class CannotLink(Exception):
    """The provider cannot be linked; `obstacle` says why."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(self.__doc__)
        self.obstacle = obstacle


class ConsentMissing(Exception):
    """The person has not agreed to the notice in force: nobody leaves for a provider before."""


class TooManyOpen(Exception):
    """The person has as many sign-ins open as we allow at once."""


def begin(
    *,
    user: User,
    provider: Provider,
    endpoint: Endpoint,
    browser: Secret,
    at: datetime,
    connection: Connection | None = None,
    closes_others: bool = False,
) -> Departure:
    """Store an authorization request of this user and browser, good for ten minutes and one answer.

    With a connection, the sign-in is meant to renew that one (reauthorization). `closes_others`: no answer to an
    earlier request counts any more. Raises ConsentMissing, CannotLink, TooManyOpen.
    """
    if consenting.needs_consent(user):
        raise ConsentMissing
    discovering.keep_fresh(endpoint, at=at)
    registration = _registration(provider, endpoint, at=at)
    with transaction.atomic():
        # two tabs at once count each other; whoever closed the account in one of them agrees to nothing any more
        if User.objects.select_for_update(no_key=True).filter(pk=user.pk).first() is None:
            raise ConsentMissing
        if closes_others:
            _open_requests(user, at=at).update(claimed_at=at, outcome=Outcome.CLOSED, sealed_pkce_verifier=None)
        if _open_requests(user, at=at).count() >= MOST_OPEN:
            raise TooManyOpen
        request = _store(user, provider, endpoint, registration, connection, browser, at=at)
        noting.note_request(EventType.CONNECTION_REQUESTED, request, at=at, is_first=connection is None)
        return Departure(request.pk, _checked_url(request, browser))


def departure(request: AuthorizationRequest, browser: Secret | None, *, at: datetime) -> Departure | None:
    """Where this browser goes for a request that is still open, or None: answered, expired, another browser's, or of
    an account that is being closed."""
    is_open = request.claimed_at is None and request.expires_at > at
    if not is_open or browser is None or not binding.is_same_browser(request, browser):
        return None
    with suppress(Shredded):
        return Departure(request.pk, _authorization_url(request, browser))
    return None


def leave(request: AuthorizationRequest, *, at: datetime) -> bool:
    """Note that the browser is on its way; True the first time, so that going back does not send it off again."""
    return bool(AuthorizationRequest.objects.filter(pk=request.pk, left_at__isnull=True).update(left_at=at))


def pkce_verifier(request: AuthorizationRequest) -> Secret | None:
    """The request's verifier, opened; None where the registration sends no PKCE."""
    if request.sealed_pkce_verifier is None:
        return None
    opened = sealing.open_sealed(
        bytes(request.sealed_pkce_verifier),
        holder=Holder.user(request.user_id),
        place=_verifier_place(request.pk),
    )
    return Secret(opened.decode())


def _open_requests(user: User, *, at: datetime) -> QuerySet[AuthorizationRequest]:
    """Those that an answer could still claim."""
    return AuthorizationRequest.objects.filter(user=user, claimed_at__isnull=True, expires_at__gt=at)


def _store(
    user: User,
    provider: Provider,
    endpoint: Endpoint,
    registration: ClientRegistration,
    connection: Connection | None,
    browser: Secret,
    *,
    at: datetime,
) -> AuthorizationRequest:
    request_id = uuid.uuid4()
    verifier = authorization.new_pkce_verifier() if registration.uses_pkce else None
    return AuthorizationRequest.objects.create(
        id=request_id,
        user=user,
        endpoint=endpoint,
        provider=provider,
        registration=registration,
        connection=connection,
        is_reauthorization=connection is not None,
        state_hash=binding.hashed(binding.state_for(request_id, browser)),
        browser_hash=binding.hashed(browser),
        sealed_pkce_verifier=verifier and _seal_verifier(user.pk, request_id, verifier),
        created_at=at,
        expires_at=at + LIFETIME,
    )


def _registration(provider: Provider, endpoint: Endpoint, *, at: datetime) -> ClientRegistration:
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    if obstacle is not None:
        raise CannotLink(obstacle)
    registration = registering.standing_at(endpoint)
    if registration is None or not endpoint.providers.filter(pk=provider.pk).exists():
        raise CannotLink(Obstacle.NO_REGISTRATION)
    return registration


def _checked_url(request: AuthorizationRequest, browser: Secret) -> str:
    """An address that cannot be built is found before anybody leaves, and leaves no request behind."""
    try:
        return _authorization_url(request, browser)
    except WireError:
        raise CannotLink(Obstacle.NO_ADDRESSES) from None


def _authorization_url(request: AuthorizationRequest, browser: Secret) -> str:
    """Specification 4.1 P1. Only an address of the origin the registration was made for goes in."""
    registration = request.registration
    return authorization.authorization_url(
        authorize_url=reaching.authorization_server(request.endpoint, registration).authorize_url,
        client_id=registration.client_id,
        redirect_uri=registering.redirect_uri(registration),
        state=binding.state_for(request.pk, browser),
        pkce_verifier=pkce_verifier(request),
        scope=registration.scope or None,
    )


def _seal_verifier(user_id: uuid.UUID, request_id: uuid.UUID, verifier: Secret) -> bytes:
    return sealing.seal(verifier.reveal().encode(), holder=Holder.user(user_id), place=_verifier_place(request_id))


def _verifier_place(request_id: uuid.UUID) -> Place:
    return Place("authorization_request", "sealed_pkce_verifier", (str(request_id),))
