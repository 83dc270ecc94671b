"""Tell staff about errors that only they can fix: write a log line, and mark a registration as in trouble if its server
refuses it as a whole.

Trouble stops linking for every patient of an authorization server, for a while. So it is set only if the token endpoint
refused our client. These do not set it: what a browser brought, because its owner could have written it; that one
organization has not enabled us, which is recorded for that organization alone; and redirects or other address errors,
which may be an hour of maintenance.
"""

import logging
from datetime import datetime

from apps.connections import reachability
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
    """Log an error that staff must act on; ignore one that waiting or the patient will resolve."""
    if error.actor not in {Actor.WAIT, Actor.PATIENT}:
        what = error.fault.value if isinstance(error, IdentityRefused) else error.code.value
        _LOG.error("Staff must look into client registration %s: %s (%s)", registration.pk, error, what)


def alert_staff_of_refusal(
    registration: ClientRegistration, endpoint: Endpoint, error: WireError, *, at: datetime
) -> None:
    """Log an error of the token endpoint, and mark what it affects: the registration, one organization, or an
    address."""
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
    """Whether a token endpoint failed as a wrong address does: it may have moved."""
    return isinstance(error, EndpointMisconfigured) or error.status == 405 or error.code is Code.UNREACHABLE


def alert_staff_of_sign_in(
    registration: ClientRegistration, endpoint: Endpoint, error: WireError, *, at: datetime
) -> None:
    """Log an error of one sign-in: what its browser carried, who signed in, or whose record it is. It says nothing
    about our client, and a refusal may concern one patient alone. So nobody else is kept from linking."""
    is_organization = isinstance(error, OrganizationNotEnabled)
    if not is_organization or enabling.refused(registration, endpoint, is_certain=False, at=at):
        alert_staff(registration, error)


def note_tokens(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> None:
    """The token endpoint accepted our credentials: earlier trouble is over, and nobody needs to be asked."""
    registering.accepted(registration, at=at)
    enabling.answered(registration, endpoint, has_data=False, at=at)


def note_answer(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> None:
    """The organization returned data to a new sign-in. Data for people who signed in earlier would prove nothing: if
    one new patient were refused, staff would be alerted again each time."""
    reachability.answered(endpoint)
    enabling.answered(registration, endpoint, has_data=True, at=at)
