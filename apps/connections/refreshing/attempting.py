"""One attempt to refresh a token set: from a claim to its result."""

from collections.abc import Callable
from datetime import datetime

from apps.connections import revoking
from apps.connections.models import Connection
from apps.connections.refreshing import backoff, reopening, storing, token_columns
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.results import Outcome, Result
from apps.directory import discovering, moving, pinning, reaching
from apps.vault import sealing
from apps.vault.errors import Shredded, VaultError
from apps.vault.sealing import Holder, KeyRing
from apps.wire import token_endpoint
from apps.wire.dialects import Interface
from apps.wire.errors import (
    AuthorizationDenied,
    AuthorizationExpired,
    Code,
    EndpointMisconfigured,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

__all__ = ["Outcome", "Result", "attempt"]


def attempt(claim: Claim, *, clock: Callable[[], datetime]) -> Result:
    """Ask for new tokens and store the result. Speaks to the network: call it outside transactions.

    Never raises for errors of the provider or the vault: `Result` says who must act. If the claim has become too old
    for a call within its lease, as after a long wait for a thread, nobody is asked, and the next worker may claim at
    once.
    """
    discovering.keep_fresh(claim.connection.endpoint, at=clock())
    if not claim.may_call:
        return backoff.release(claim, at=clock())
    at = clock()
    if claim.stored.refresh_deadline_at is not None and at >= claim.stored.refresh_deadline_at:
        return storing.end_in_time(claim, at=at)
    if not _knows_issuer(claim) and not moving.awaits(claim.connection.endpoint):
        return storing.end_for_dropped_address(claim, at=at)
    holders = (token_columns.holder(claim.connection), Holder.installation())
    with sealing.key_rings(*holders, cabinet=claim.keys) as (ring, ours):
        try:
            return _asked(claim, ring, ours, at=at)
        except Shredded:  # the account is being closed
            return Result(Outcome.FORGOTTEN)


def _asked(claim: Claim, ring: KeyRing, ours: KeyRing, *, at: datetime) -> Result:
    sealed = claim.stored.sealed_refresh_token
    assert sealed is not None  # noqa: S101 - only a row with a refresh token is claimed
    try:
        if not _knows_issuer(claim):
            raise EndpointMisconfigured(code=Code.FOREIGN_ADDRESS)  # until staff approve it again
        refresh_token = token_columns.open_refresh_token(claim.connection, sealed, ring=ring)
        endpoint = reaching.token_endpoint(claim.connection.endpoint, claim.connection.registration, ring=ours)
        token_set = token_endpoint.refresh(endpoint, refresh_token=refresh_token)
        _check_person(claim.connection, token_set, sent=refresh_token, at=at)
    except Shredded:
        raise
    except (WireError, VaultError) as error:
        if isinstance(error, WireError) and _is_refusal(error):
            return storing.refuse(claim, error, ring=ring, at=at)
        return backoff.back_off(claim, error, at=at)
    is_new = token_set.refresh_token is not None and token_set.refresh_token != refresh_token
    result = storing.adopt(claim, token_set, is_new=is_new, ring=ring, at=at)
    if claim.stored.is_data_refused and result.access_token is not None:
        is_back = reopening.look(claim, result.access_token, at=at)
        return result if is_back else Result(Outcome.ENDED)
    return result


def _knows_issuer(claim: Claim) -> bool:
    """Whether its tokens were issued where they may be sent. If not, staff have withdrawn an approval. While the
    endpoint leads there, the tokens wait for staff, who may approve it again; otherwise nobody can."""
    return pinning.knows_issuer(claim.connection.registration, claim.stored.token_origin)


def _is_refusal(error: WireError) -> bool:
    """Whether the provider says that the permission is over. We send no scope with a refresh (specification S4), so an
    invalid scope means that nothing is left of what was granted (interface facts 5.2)."""
    return isinstance(error, AuthorizationExpired | AuthorizationDenied) or error.code is Code.INVALID_SCOPE


def _check_person(connection: Connection, token_set: TokenSet, *, sent: Secret, at: datetime) -> None:
    """Refuse tokens that their response says are for another patient. Only interface B says so, and sign-ins rely on it
    as well (`authorization_responses.identifying`).

    These tokens are revoked, but later: the call would outlast the lease. If the response contains the refresh token
    that we sent, that one is ours and is kept.
    """
    is_said = connection.endpoint.interface == Interface.SMART and token_set.patient is not None
    if is_said and token_set.patient != connection.fhir_patient_id:
        is_new = token_set.refresh_token is not None and token_set.refresh_token != sent
        foreign = token_set.refresh_token if is_new else None
        dropped = foreign or token_set.access_token
        revoking.remember(connection, dropped, origin=token_set.origin, at=at, is_its_own=False)
        raise UnexpectedAnswer(code=Code.WRONG_RESOURCE)
