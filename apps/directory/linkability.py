"""Whether a patient can link an endpoint, and if not, why: one reason for staff, a sentence for the patient.

Linking is off unless the registration is approved, the version was added to it, and everything is switched on
(specification 1.2 and 3).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory import enabling, moving, registering, registration_overview
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.wire.dialects import DIALECTS, Interface
from apps.wire.errors import Code


class Obstacle(models.TextChoices):
    """Why linking is off. The label is what staff see."""

    STRANGER = "stranger", _("It was added to a sign-in that patients use: look at its host, then switch it on.")
    SWITCHED_OFF = "switched_off", _("The endpoint or its client registration is switched off.")
    VANISHED = "vanished", _("It is no longer in the directory it came from.")
    INTERFACE_NOT_SPOKEN = "interface_not_spoken", _("We do not speak its interface or dialect yet.")
    NO_ADDRESSES = "no_addresses", _("The addresses of its authorization server are not known.")
    NOT_DISCOVERED = (
        "not_discovered",
        _("Its authorization server has not been discovered yet, or could not be found lately."),
    )
    ADDRESSES_MOVED = (
        "addresses_moved",
        _("It leads to a different origin than before: look at both at the registration desk."),
    )
    SANDBOX_HERE = "sandbox_here", _("It is a sandbox row, and this installation allows no sandbox.")
    SANDBOX_MIXED = "sandbox_mixed", _("A sandbox row is paired with a production one.")
    NO_REGISTRATION = "no_registration", _("We have no client registration there.")
    REGISTRATION_OVER = "registration_over", _("Our client registration there was rejected or retired.")
    NOT_APPROVED = "not_approved", _("The client registration is not approved.")
    VERSION_NOT_ADDED = "version_not_added", _("The FHIR version was not added to the client registration.")
    NO_CREDENTIALS = "no_credentials", _("The client registration has no client id or no secret.")
    TROUBLE = "trouble", _("Their server does not accept our client registration: see its trouble.")
    NOT_ENABLED = "not_enabled", _("The organization has not enabled the application.")


# Found by somebody's sign-in: for a while nobody else is sent there, and the next sign-in that succeeds ends it.
MENDED_BY_A_SIGN_IN = frozenset({Obstacle.TROUBLE, Obstacle.NOT_ENABLED})

# Permanent: the provider is gone, or was never real.
FOR_GOOD = frozenset({Obstacle.VANISHED, Obstacle.SANDBOX_HERE})


@dataclass(frozen=True)
class Words:
    """What a patient reads: a title and a sentence. `{provider}` in the title is the provider's name."""

    title: str | Promise
    sentence: str | Promise


_NOT_YET = Words(
    _("{provider} cannot be connected yet"),
    _("This app is not approved there, or not for this kind of record."),
)
_NOT_NOW = Words(
    _("We cannot connect to {provider} right now"),
    _("Sorry, this is our problem, not yours. Our staff have been told. Your existing records stay as they are."),
)

WORDS = {
    Obstacle.STRANGER: _NOT_YET,
    Obstacle.SWITCHED_OFF: Words(
        _("We cannot connect to {provider} right now"),
        _(
            "We have turned off access to {provider} for now. What you already have from there stays. You do not "
            "need to do anything."
        ),
    ),
    Obstacle.VANISHED: Words(
        _("{provider} no longer offers records here"),
        _("It was taken off the list of providers that apps can reach. Ask them where you can get your record."),
    ),
    Obstacle.INTERFACE_NOT_SPOKEN: _NOT_YET,
    Obstacle.NO_ADDRESSES: Words(
        _("We do not know where to sign in"),
        _("{provider} does not publish how apps can connect. We do not guess."),
    ),
    Obstacle.NOT_DISCOVERED: _NOT_YET,  # a registration of ours needs to know its authorization server first
    Obstacle.ADDRESSES_MOVED: Words(
        _("We cannot connect to {provider} right now"),
        _("Where you sign in has changed, and we check that before we send you there. Please try again tomorrow."),
    ),
    Obstacle.SANDBOX_HERE: Words(
        _("Practice provider, not real"),
        _("It has only invented people, and practice providers are turned off here."),
    ),
    Obstacle.SANDBOX_MIXED: _NOT_NOW,
    Obstacle.NO_REGISTRATION: _NOT_YET,
    Obstacle.REGISTRATION_OVER: _NOT_YET,
    Obstacle.NOT_APPROVED: _NOT_YET,
    Obstacle.VERSION_NOT_ADDED: _NOT_YET,
    Obstacle.NO_CREDENTIALS: _NOT_YET,
    Obstacle.TROUBLE: _NOT_NOW,
    Obstacle.NOT_ENABLED: Words(
        _("{provider} has not turned on this app yet"),
        _(
            'Only they can do this. You can ask: "Please enable the Holdfast app for patient access." We have told '
            "our staff."
        ),
    ),
}


def obstacle(
    endpoint: Endpoint,
    *,
    provider: Provider | None = None,
    at: datetime,
    ignoring: Collection[Obstacle] = (),
) -> Obstacle | None:
    """Why nobody can link this endpoint now; None if it can be linked. Makes no network calls.

    With a provider, also whether the two belong together. Obstacles in `ignoring` do not hide others. Makes no query if
    providers, authorization server, registrations and enablements were prefetched.
    """
    return next((found for found in _obstacles(endpoint, provider, at=at) if found not in ignoring), None)


def is_in_doubt(endpoint: Endpoint) -> bool:
    """Whether the last sign-in there met something that keeps others away, even if it is time to test whether that is
    over."""
    registration = registering.standing_at(endpoint)
    if registration is None or registration.trouble:
        return True
    rows = (row for row in endpoint.enablements.all() if row.registration_id == registration.pk)
    return any(not row.is_enabled for row in rows)


def _obstacles(endpoint: Endpoint, provider: Provider | None, *, at: datetime) -> Iterator[Obstacle]:
    """All of them, the one to show first."""
    yield from _of_the_endpoint(endpoint, provider)
    server = endpoint.authorization_server
    if server is None:
        yield _of_the_addresses(endpoint)
    else:
        yield from _of_the_registration(endpoint, server, registering.standing_at(endpoint), at=at)


def _of_the_addresses(endpoint: Endpoint) -> Obstacle:
    """Staff configure addresses of interface A; those of B are discovered, unless the server does not publish them."""
    is_discovered = endpoint.interface == Interface.SMART and endpoint.discovery_fault != Code.NO_SMART_CONFIGURATION
    return Obstacle.NOT_DISCOVERED if is_discovered else Obstacle.NO_ADDRESSES


def _of_the_endpoint(endpoint: Endpoint, provider: Provider | None) -> Iterator[Obstacle]:
    checks = (
        (endpoint.is_stranger, Obstacle.STRANGER),
        (not endpoint.is_switched_on, Obstacle.SWITCHED_OFF),
        (endpoint.vanished_at is not None, Obstacle.VANISHED),
        (provider is not None and provider.vanished_at is not None, Obstacle.VANISHED),
        (endpoint.dialect not in DIALECTS, Obstacle.INTERFACE_NOT_SPOKEN),
        (endpoint.is_sandbox and not settings.ALLOW_LOOPBACK_HTTP, Obstacle.SANDBOX_HERE),
        (provider is not None and provider.is_sandbox != endpoint.is_sandbox, Obstacle.SANDBOX_MIXED),
        (endpoint.interface == Interface.SMART and moving.awaits(endpoint), Obstacle.ADDRESSES_MOVED),
        (endpoint.discovery_fault == Code.UNAUTHORIZED_CLIENT, Obstacle.NOT_ENABLED),
    )
    return (found for holds, found in checks if holds)


def _of_the_registration(
    endpoint: Endpoint, server: AuthorizationServer, registration: ClientRegistration | None, *, at: datetime
) -> Iterator[Obstacle]:
    if registration is None:
        yield Obstacle.REGISTRATION_OVER if server.registrations.all() else Obstacle.NO_REGISTRATION
        return
    sandboxes = {endpoint.is_sandbox, server.is_sandbox, registration.is_sandbox}
    checks = (
        (len(sandboxes) > 1, Obstacle.SANDBOX_MIXED),
        (not registration.is_switched_on, Obstacle.SWITCHED_OFF),
        (registration.status != ClientRegistration.Status.APPROVED, Obstacle.NOT_APPROVED),
        (endpoint.fhir_version not in registration.versions_added, Obstacle.VERSION_NOT_ADDED),
        (not registration_overview.has_credentials(registration), Obstacle.NO_CREDENTIALS),
        (registering.is_in_trouble(registration, at=at), Obstacle.TROUBLE),
        (enabling.is_refusing(registration, endpoint, at=at), Obstacle.NOT_ENABLED),
    )
    yield from (found for holds, found in checks if holds)
