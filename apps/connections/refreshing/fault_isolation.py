"""Keep an unexpected error of one attempt, a fault of ours that recurs each time the link is tried, from affecting
others.

It costs that link ever longer waits, and other links nothing. Whoever makes attempts makes them through this module.
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
    """As `attempting.attempt`; if that raises, the link waits longer and operators are told.

    Raises only if the database does not accept even that: then the lease expires, and another worker tries again.
    """
    try:
        return attempting.attempt(claim, clock=clock)
    except Exception:  # noqa: BLE001 - whatever it is, it must not recur every half minute
        _LOG.exception("A refresh broke off: connection %s", claim.connection.pk)
        if not database.in_atomic_block:  # it may have been the database
            database.close_if_unusable_or_obsolete()
        return backoff.break_off(claim, at=clock())
