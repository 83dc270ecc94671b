"""Mark links whose known end has passed, so that their status and the log say so within a minute.

Nothing else would ask for a token then: beat skips links that gain nothing from a refresh, and the daily check may be a
day away. The provider is not asked either, because its time limit is known.
"""

from contextlib import suppress
from datetime import datetime

from django.db.models import Q, QuerySet

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.connections.refreshing import NeedsReauthorization, NotYet, SwitchedOff
from apps.vault.errors import VaultError
from apps.wire.dialects import DIALECTS
from apps.wire.errors import WireError

AT_ONCE = 500


def mark(*, at: datetime) -> int:
    """Mark links whose known end has passed and whose access token has expired; returns how many. Links that staff
    switched off, or must repair first, wait: nobody could sign in there."""
    marked = 0
    for connection in _over(at).order_by("lapses_at", "pk")[:AT_ONCE]:
        with suppress(NotYet, SwitchedOff, WireError, VaultError):
            marked += _mark(connection, at=at)
    return marked


def _over(at: datetime) -> QuerySet[Connection]:
    is_on = Q(endpoint__is_switched_on=True, registration__is_switched_on=True, registration__trouble="")
    is_known = Q(endpoint__dialect__in=list(DIALECTS))  # others would raise, and stop the marking
    rows = Connection.objects.active().filter(
        is_on, is_known, lapses_at__lte=at, stored_token_set__access_expires_at__lte=at
    )
    return rows.select_related("provider", "endpoint__authorization_server", "registration__authorization_server")


def _mark(connection: Connection, *, at: datetime) -> bool:
    try:
        refreshing.usable_token(connection, at=at)
    except NeedsReauthorization:
        return True
    return False
