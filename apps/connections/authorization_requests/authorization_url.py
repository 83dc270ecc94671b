"""The authorization URL that a patient's browser leaves for, computed from the request each time its page is shown.

It contains the state, which is stored nowhere: only the browser that began can reproduce it (`binding`).
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from apps.connections.authorization_requests import binding, request_columns
from apps.connections.grants import scoping
from apps.connections.models import AuthorizationRequest
from apps.directory import reaching, registering, served_endpoints
from apps.vault.errors import Shredded
from apps.wire import authorization
from apps.wire.secret import Secret


@dataclass(frozen=True, repr=False)
class Departure:
    """Where the browser goes. The URL contains the state: show it once, never store or log it."""

    request_id: uuid.UUID
    url: str


def departure(request: AuthorizationRequest, browser: Secret | None, *, at: datetime) -> Departure | None:
    """Where this browser goes for an open request; None if the request was answered, has expired, belongs to another
    browser, or its account is being closed."""
    is_open = request.claimed_at is None and request.expires_at > at
    if not is_open or browser is None or not binding.is_same_browser(request, browser):
        return None
    with suppress(Shredded):
        return Departure(request.pk, build(request, browser))
    return None


def note_left(request: AuthorizationRequest, *, at: datetime) -> bool:
    """Record that the browser is leaving. True the first time only, so that the back button does not send it off
    again."""
    return bool(AuthorizationRequest.objects.filter(pk=request.pk, left_at__isnull=True).update(left_at=at))


def nonce(request: AuthorizationRequest, browser: Secret) -> Secret | None:
    """The nonce that the ID token must repeat; None if no ID token is asked for."""
    return binding.nonce_for(request.pk, browser) if scoping.asks_identity(request.requested_scope) else None


def build(request: AuthorizationRequest, browser: Secret) -> str:
    """Specification 4.1 P1 and 4.2 S2. Uses only addresses of the origin for which the registration was made.

    Raises WireError if no URL can be built.
    """
    registration = request.registration
    launch, wanted_nonce = request_columns.launch(request), nonce(request, browser)
    return authorization.authorization_url(
        authorize_url=reaching.authorization_server(request.endpoint, registration).authorize_url,
        client_id=registration.client_id,
        redirect_uri=registering.redirect_uri(registration),
        state=binding.state_for(request.pk, browser),
        pkce_verifier=request_columns.pkce_verifier(request),
        scope=request.requested_scope or None,
        aud=_audience(request) if reaching.dialect(request.endpoint, registration).sends_aud else None,
        launch=launch and launch.reveal(),
        nonce=wanted_nonce and wanted_nonce.reveal(),
        prompt="consent" if request.prompts_for_consent else None,
    )


def _audience(request: AuthorizationRequest) -> str:
    """The FHIR base URL exactly as configured, because tokens are valid there only (interface facts 3.4). For a launch
    it is as the portal wrote it, which its server may compare character by character, provided that it means the
    same."""
    written, configured = request.launched_from, request.endpoint.fhir_base_url
    return written if served_endpoints.is_same_root(written, configured) else configured
