"""An issuer of ID tokens that a trial met and nobody had named: staff compare it, and let tokens name it.

The issuer of ID tokens often differs from the one the SMART configuration declares, and none is derived from another
(interface facts 3.7). So the first sign-in at a new deployment finds one we do not know. A trial shows it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.audit.recording import Actor
from apps.connections.models import Trial
from apps.connections.trying import results
from apps.connections.trying.results import Step
from apps.directory import pinning, reaching, trusting
from apps.directory.models import AuthorizationServer
from apps.wire.errors import IdentityFault, IdentityRefused, WireError

_ALLOWED_FOR = timedelta(days=1)


class NothingToAllow(Exception):
    """The trial met no issuer that is unknown, or is too old to say so."""


def unknown(error: WireError) -> Sequence[str]:
    """The issuer an ID token named, where it is one nobody let it name and is written as an address; else none."""
    if isinstance(error, IdentityRefused) and error.unverified_issuer:
        return (error.unverified_issuer,)
    return ()


def met(trial: Trial) -> str:
    """The unknown issuer that this trial met, or empty; also once it was allowed."""
    result = results.read(trial.results).get(Step.IDENTITY)
    return result.names[0] if result is not None and result.code == IdentityFault.ISSUER and result.names else ""


def to_allow(trial: Trial, *, at: datetime) -> str:
    """The same, while ID tokens may not name it, and within a day: staff may have removed it since."""
    issuer = met(trial) if at < trial.began_at + _ALLOWED_FOR else ""
    return "" if issuer in _server(trial).id_token_issuers else issuer


def is_beside_tokens(trial: Trial) -> bool:
    """Whether the issuer it met has the origin where tokens are issued: what one expects of an honest one."""
    return pinning.is_same_origin(met(trial), _server(trial).token_url)


def allow(trial: Trial, *, actor: Actor, at: datetime) -> None:
    """Let ID tokens of this authorization server name the issuer the trial met. Twice is as once.

    Raises NothingToAllow, also a day after the trial, and ValidationError where it is no address of ours.
    """
    issuer = met(trial)
    if not issuer or at >= trial.began_at + _ALLOWED_FOR:
        raise NothingToAllow
    trusting.allow_issuer(_server(trial), issuer, actor=actor, at=at)


def _server(trial: Trial) -> AuthorizationServer:
    return reaching.authorization_server(trial.endpoint, trial.registration)
