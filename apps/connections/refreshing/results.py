"""The result of one attempt to refresh, by who must act."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.vault.errors import VaultError
from apps.wire.errors import WireError
from apps.wire.secret import Secret


class Outcome(StrEnum):
    """Who must act next: nobody, time, the patient, staff, or us."""

    REFRESHED = "refreshed"  # by this attempt, or by another that came first
    WAITING = "waiting"  # the provider cannot answer now; or it refused, while another attempt may still be answered
    ENDED = "ended"  # the patient must sign in again
    OPERATOR = "operator"  # staff must act; the tokens are untouched
    OURS = "ours"  # the provider says we asked wrongly, or we cannot use its answer; the tokens are untouched
    FORGOTTEN = "forgotten"  # disconnected, or the account closed, meanwhile
    RELEASED = "released"  # not asked, because the claim had become too old


@dataclass(frozen=True, repr=False)
class Result:
    """`access_token` if it was refreshed; otherwise `until`, before which nobody asks, and the error, if there was
    one."""

    outcome: Outcome
    access_token: Secret | None = None
    until: datetime | None = None
    error: WireError | VaultError | None = None
