"""What is added to a provider's name if one person has several connections to it: the way in which each is read. And
for an ended connection whose copy was kept beside another one read in the same way, until when it was copied."""

from collections import Counter
from collections.abc import Hashable, Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from apps.connections.models import Connection
from apps.connections.presenting import moments
from apps.directory import versions


def of_each(connections: Iterable[tuple[Hashable, Connection]]) -> dict[UUID, str]:
    """The mark of each connection, given with its group, such as one person at one provider; empty if it needs none."""
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
