"""An unknown issuer of ID tokens that a trial met: staff compare it, and allow ID tokens to name it.

The issuer of ID tokens often differs from the one in the SMART configuration, and neither can be derived from the other
(interface facts 3.7). So the first sign-in at a new deployment finds an issuer that we do not know, and a trial shows
it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.audit.recording import Actor
from apps.connections.models import Trial
from apps.connections.trials import results
from apps.connections.trials.results import Step
from apps.directory import pinning, reaching, trusting
from apps.directory.models import AuthorizationServer
from apps.wire.errors import IdentityFault, IdentityRefused, WireError

_ALLOWED_FOR = timedelta(days=1)


class NothingToAllow(Exception):
    """The trial met no unknown issuer, or is too old."""


def unknown(error: WireError) -> Sequence[str]:
    """The issuer that an ID token named, if it was not allowed and is written as a URL; otherwise none."""
    if isinstance(error, IdentityRefused) and error.unverified_issuer:
        return (error.unverified_issuer,)
    return ()


def met(trial: Trial) -> str:
    """The unknown issuer that this trial met, or empty; also after it was allowed."""
    result = results.read(trial.results).get(Step.IDENTITY)
    return result.names[0] if result is not None and result.code == IdentityFault.ISSUER and result.names else ""


def to_allow(trial: Trial, *, at: datetime) -> str:
    """The same, within a day and while ID tokens may not name it: staff may have removed it since."""
    issuer = met(trial) if at < trial.began_at + _ALLOWED_FOR else ""
    return "" if issuer in _server(trial).id_token_issuers else issuer


def is_beside_tokens(trial: Trial) -> bool:
    """Whether that issuer has the origin of the token endpoint, as an honest one mostly has."""
    return pinning.is_same_origin(met(trial), _server(trial).token_url)


def allow(trial: Trial, *, actor: Actor, at: datetime) -> None:
    """Allow ID tokens of this authorization server to name the issuer that the trial met. Calling it again changes
    nothing.

    Raises NothingToAllow, also a day after the trial, and ValidationError if the issuer is no acceptable URL.
    """
    issuer = met(trial)
    if not issuer or at >= trial.began_at + _ALLOWED_FOR:
        raise NothingToAllow
    trusting.allow_issuer(_server(trial), issuer, actor=actor, at=at)


def _server(trial: Trial) -> AuthorizationServer:
    return reaching.authorization_server(trial.endpoint, trial.registration)
