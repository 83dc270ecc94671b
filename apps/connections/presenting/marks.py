"""What stands behind a provider's name, where one person has several connections to it: in which way each is read.

Of one that was ended, and whose copy was kept beside another one of the same way, until when it was.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from apps.connections.models import Connection
from apps.connections.presenting import moments
from apps.directory import versions


def of_each(connections: Iterable[tuple[Hashable, Connection]]) -> dict[UUID, str]:
    """Of each connection with its group, such as one person's at one provider: empty where nothing tells it apart."""
    rows = list(connections)
    ways = versions.marks({one.pk: (group, one.endpoint) for group, one in rows})
    alike = Counter((group, ways[one.pk]) for group, one in rows)
    return {
        one.pk: ", ".join(filter(None, (ways[one.pk], _kept(one) if alike[group, ways[one.pk]] > 1 else "")))
        for group, one in rows
    }


def _kept(connection: Connection) -> str:
    if connection.status != Connection.Status.DISCONNECTED or connection.ended_at is None:
        return ""
    return _("earlier copy, until {date}").format(date=moments.date(connection.ended_at))
