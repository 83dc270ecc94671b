"""Links that hold: who may refresh a token set, when, what a response means, and who stores it (design, section 5).

This package exports what callers use. Nothing outside it writes a StoredTokenSet.
"""

from apps.connections.refreshing.access_tokens import check_switches, usable_token
from apps.connections.refreshing.cached_token import CachedToken
from apps.connections.refreshing.errors import NeedsReauthorization, NotYet, RegistrationBroken, SwitchedOff
from apps.connections.refreshing.reopening import data_refused
from apps.connections.refreshing.replaced_tokens import end_replaced, held
from apps.connections.refreshing.token_sets import forget, hand_over, keep
from apps.connections.refreshing.write_retries import until_written

__all__ = [
    "CachedToken",
    "NeedsReauthorization",
    "NotYet",
    "RegistrationBroken",
    "SwitchedOff",
    "check_switches",
    "data_refused",
    "end_replaced",
    "forget",
    "hand_over",
    "held",
    "keep",
    "until_written",
    "usable_token",
]
