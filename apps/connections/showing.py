"""One connection, as its own user sees it: all that its page says, from one question."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.accounts.models import User
from apps.connections import asking, sharing, standing
from apps.connections.sharing import Sharing
from apps.connections.standing import Standing


@dataclass(frozen=True)
class Shown:
    """Ready to show; `lasts` is a sentence."""

    standing: Standing
    sharing: Sharing
    lasts: str


def show(user: User, connection_id: UUID, *, at: datetime) -> Shown:
    """A confirmed connection of this user. Raises Connection.DoesNotExist where there is none, or none any more."""
    confirmed = user.connections.confirmed()
    servers = ("provider", "endpoint__authorization_server", "registration__authorization_server")
    connection = confirmed.select_related(*servers).get(pk=connection_id)
    found = standing.of_connection(connection, at=at)
    return Shown(found, sharing.of_connection(connection), asking.lasts_for(found.connection))
