"""Try out system access (specification S5 and S6): request a token at one endpoint, discard it, and say in words what
came of it. No patient takes part, and only an audit event is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from apps.audit.recording import Actor
from apps.connections.trials import error_codes
from apps.connections.trials.beginning import NotServed
from apps.connections.trials.failures import FAILURES, UNKNOWN
from apps.connections.trials.results import Note
from apps.connections.trials.turns import Failure, Turn
from apps.directory import served_endpoints, system_access
from apps.directory.models import ClientRegistration, Endpoint
from apps.directory.system_access import Granted, NoSystemAccess, Way
from apps.vault.errors import VaultError
from apps.wire.errors import WireError

# Codes that mean something else than in a patient's sign-in.
_OF_SYSTEMS: Mapping[str, Failure] = {
    "invalid_client": Failure(
        _("Their server does not know the system account, or does not accept our proof for it."),
        Turn.STAFF,
        _(
            "Compare the account's id with the one they show, and how it proves itself. Until they approve the "
            "account, and an application names it, this is what they answer."
        ),
    ),
    "unauthorized_client": Failure(
        _("The organization has not turned on any application of this system account."),
        Turn.PROVIDER,
        _(
            "Only its own staff can. Ask them, then try again. Once they have done it, it can take 15 minutes to "
            "take effect."
        ),
    ),
    "unsupported_grant_type": Failure(
        _("Their server gives no system access."),
        Turn.PROVIDER,
        _("Ask whether they offer it, and where."),
    ),
    "invalid_scope": Failure(
        _("Their server does not give systems what we asked for."),
        Turn.STAFF,
        _("Compare the scopes of the account there with those asked for here, and the SMART version with its own."),
    ),
}


@dataclass(frozen=True)
class Tried:
    """The result of one attempt: `granted`, or a `failure`."""

    endpoint: Endpoint
    asked: tuple[str, ...]
    granted: Granted | None = None
    failure: Failure | None = None


def try_out(registration: ClientRegistration, endpoint: Endpoint, *, actor: Actor, at: datetime) -> Tried:
    """Request a token once. Speaks to the network: call it outside transactions. Raises NotServed if the registration
    does not serve the endpoint."""
    if not served_endpoints.serves(registration, endpoint):
        raise NotServed
    asked = system_access.smallest_scopes(endpoint)
    try:
        return Tried(endpoint, asked, granted=system_access.check(endpoint, scopes=asked, actor=actor, at=at))
    except NoSystemAccess as missing:
        failure = _missing(missing)
    except WireError as refused:
        failure = failure_of(error_codes.code(refused))
    except VaultError:
        failure = FAILURES[Note.CANNOT_OPEN]
    return Tried(endpoint, asked, failure=failure)


def way(endpoint: Endpoint, *, at: datetime) -> Way | None:
    """How a token would be requested; None if something is missing for that."""
    try:
        return system_access.way(endpoint, at=at)
    except NoSystemAccess:
        return None


def failure_of(code: str) -> Failure:
    """The words for their server's error code."""
    return _OF_SYSTEMS.get(code) or FAILURES.get(code, UNKNOWN)


def _missing(missing: NoSystemAccess) -> Failure:
    return Failure(
        missing.sentence, Turn.STAFF, _("Nothing was sent. Complete the registration at the desk or in the admin.")
    )
