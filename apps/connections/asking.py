"""What we will ask a provider for, why, and for how long: what the page before you go says, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from apps.directory import linkability, reaching, registering, versions
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider


@dataclass(frozen=True)
class Asked:
    """`host` is where the patient will sign in; `lasts` and `asked_for` are sentences."""

    host: str
    version: versions.VersionWords
    asked_for: Sequence[str]
    lasts: str


def ask(endpoint: Endpoint, provider: Provider, *, at: datetime) -> Asked | Obstacle:
    """What would be asked for, or why nothing can be."""
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    registration = registering.standing_at(endpoint)
    if obstacle is not None or registration is None:
        return obstacle or Obstacle.NO_REGISTRATION
    server = reaching.authorization_server(endpoint, registration)
    return Asked(
        host=urlsplit(server.authorize_url).netloc,
        version=versions.words(endpoint.fhir_version),
        asked_for=(
            _("To read your record there. We never change anything in it."),
            _("First your name, birth date, contact details and language, to show whose record it is."),
            _("To keep reading for as long as the permission lasts, so that new entries reach you."),
        ),
        lasts=_lasts(server, registration),
    )


def _lasts(server: AuthorizationServer, registration: ClientRegistration) -> str:
    hours = registration.refresh_window_hours
    if hours:
        return _("It lasts {hours} hours unless we can renew it. You can end it here at any time.").format(hours=hours)
    return _("It lasts until you end it, here or at {host}.").format(host=urlsplit(server.authorize_url).netloc)
