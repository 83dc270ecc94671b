"""For pages of connections, which know nothing of what syncing found: whose provider refuses everything."""

from collections.abc import Iterable
from uuid import UUID

from django import template

from apps.connections.models import Connection
from apps.connections.presenting.standing import Standing
from apps.records.viewing.opening import refusing

register = template.Library()


@register.simple_tag
def refused_everything(standings: Iterable[Standing]) -> frozenset[UUID]:
    """The ids of those connections that hold and bring nothing. Where the patient can do something, that goes first."""
    holding = (one.connection for one in standings if not one.needs_you)
    return refusing.of(connection for connection in holding if connection.status == Connection.Status.ACTIVE)
