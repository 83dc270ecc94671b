"""Tell staff what only they can mend: a line in the log, and trouble on a registration that is refused as a whole.

Trouble stops linking for every patient of an authorization server, for a while. So only that its token endpoint
refused our client counts: not what a browser brought, whose owner could have written it; not that one organization has
not enabled us, which is noted for that one alone; and not a redirect or another fault of an address, which may be an
hour of maintenance.
"""

import logging
from datetime import datetime

from apps.connections import hearing
from apps.directory import discovering, enabling, registering
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.errors import (
    Actor,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    IdentityRefused,
    OrganizationNotEnabled,
    WireError,
)

_LOG = logging.getLogger(__name__)


def alert_staff(registration: ClientRegistration, error: WireError) -> None:
    """Log an error that staff must act on; do nothing about one that is the patient's or time's to mend."""
    if error.actor not in {Actor.WAIT, Actor.PATIENT}:
        what = error.fault.value if isinstance(error, IdentityRefused) else error.code.value
        _LOG.error("Staff must look into client registration %s: %s (%s)", registration.pk, error, what)


def alert_staff_of_refusal(
    registration: ClientRegistration, endpoint: Endpoint, error: WireError, *, at: datetime
) -> None:
    """The same for what the token endpoint answered, marking what it concerns: everybody, or one organization."""
    if isinstance(error, OrganizationNotEnabled):
        if enabling.refused(registration, endpoint, is_certain=error.code is Code.UNAUTHORIZED_CLIENT, at=at):
            alert_staff(registration, error)
        return
    alert_staff(registration, error)
    if doubts_address(error):
        discovering.doubt(endpoint)
    if isinstance(error, ClientRejected):
        registering.mark_trouble(registration, error.code.value, at=at)


def doubts_address(error: WireError) -> bool:
    """Whether a token endpoint failed as something at a wrong address does: it may have moved."""
    return isinstance(error, EndpointMisconfigured) or error.status == 405 or error.code is Code.UNREACHABLE


def alert_staff_of_sign_in(
    registration: ClientRegistration, endpoint: Endpoint, error: WireError, *, at: datetime
) -> None:
    """The same for what one sign-in brought: what its browser carried, who signed in, whose record it is. It says
    nothing of our client, and a refusal may be about one patient alone: it keeps nobody else away."""
    is_organization = isinstance(error, OrganizationNotEnabled)
    if not is_organization or enabling.refused(registration, endpoint, is_certain=False, at=at):
        alert_staff(registration, error)


def note_tokens(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> None:
    """The token endpoint took our proof: what it refused before is over, and nobody need be asked."""
    registering.accepted(registration, at=at)
    enabling.answered(registration, endpoint, has_data=False, at=at)


def note_answer(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> None:
    """The organization showed data at a new sign-in, too. Data of those who signed in before prove nothing here: where
    one patient alone is refused, they would have staff told anew each time."""
    hearing.answered(endpoint)
    enabling.answered(registration, endpoint, has_data=True, at=at)
