"""What we will ask a provider for, why, and for how long: what the page before you go says, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from apps.connections import kinds, scoping
from apps.directory import linkability, reaching, registering, versions
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire import scopes
from apps.wire.dialects import Interface
from apps.wire.errors import WireError


@dataclass(frozen=True)
class Asked:
    """`host` is where the patient will sign in; `kinds` are those asked for by name, none where the interface has no
    scopes; `lasts` and `asked_for` are sentences."""

    host: str
    version: versions.VersionWords
    asked_for: Sequence[str]
    kinds: Sequence[str]
    lasts: str


def ask(endpoint: Endpoint, provider: Provider, *, at: datetime) -> Asked | Obstacle:
    """What would be asked for, or why nothing can be."""
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    registration = registering.standing_at(endpoint)
    if obstacle is not None or registration is None:
        return obstacle or Obstacle.NO_REGISTRATION
    server = reaching.authorization_server(endpoint, registration)
    try:
        scope = scoping.to_ask(endpoint, registration, server, is_launched=False)
    except WireError:
        return Obstacle.NO_ADDRESSES
    return Asked(
        host=urlsplit(server.authorize_url).netloc,
        version=versions.words(endpoint.fhir_version),
        asked_for=(
            _("To read your record there. We never change anything in it."),
            _("First your name, birth date, contact details and language, to show whose record it is."),
            _("To keep reading for as long as the permission lasts, so that new entries reach you."),
        ),
        kinds=kinds.names(scopes.readable_types(scope.split()) or ()),
        lasts=lasts(endpoint, registration),
    )


def lasts(endpoint: Endpoint, registration: ClientRegistration) -> str:
    """How long a permission lasts there, in a sentence."""
    hours = registration.refresh_window_hours
    if hours:
        return _("It lasts {hours} hours unless we can renew it. You can end it here at any time.").format(hours=hours)
    if endpoint.interface == Interface.SMART and not registration.refresh_scope:
        return _("It lasts a few minutes, enough to copy what is there now. For updates you sign in again.")
    if registration.refresh_scope == ClientRegistration.RefreshScope.ONLINE:
        return _("It lasts while you are signed in there. Afterwards you sign in again whenever you want updates.")
    host = urlsplit(reaching.authorization_server(endpoint, registration).authorize_url).netloc
    return _("It lasts until you end it, here or at {host}.").format(host=host)
