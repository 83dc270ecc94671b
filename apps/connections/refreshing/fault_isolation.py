"""An attempt that may end in a way nobody foresaw: a fault of ours, met again each time that link is tried.

It costs that link ever longer waits, and no other link anything. Whoever asks for attempts asks here.
"""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import connection as database

from apps.connections.refreshing import attempting, backoff
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.results import Result

_LOG = logging.getLogger(__name__)


def attempt(claim: Claim, *, clock: Callable[[], datetime]) -> Result:
    """As `attempting.attempt`; where that raises, the link is put off and operators hear of it.

    Raises only where the database does not take even that: then the lease runs out, and somebody tries again.
    """
    try:
        return attempting.attempt(claim, clock=clock)
    except Exception:  # noqa: BLE001 - whatever it is, it must not come again every half minute
        _LOG.exception("A refresh broke off: connection %s", claim.connection.pk)
        if not database.in_atomic_block:  # it may have been the database
            database.close_if_unusable_or_obsolete()
        return backoff.break_off(claim, at=clock())
