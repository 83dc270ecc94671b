"""For pages about connections, which do not know what syncing found: which connections are refused everything."""

from collections.abc import Iterable
from uuid import UUID

from django import template

from apps.connections.models import Connection
from apps.connections.presenting.standing import ShownConnection
from apps.records.viewing.opening import last_checks

register = template.Library()


@register.simple_tag
def refused_everything(standings: Iterable[ShownConnection]) -> frozenset[UUID]:
    """The ids of those connections that are active but get nothing, judging by the last finished run. If the patient
    has to do something, that takes precedence. One query; none if there is no connection."""
    holding = (one.connection for one in standings if not one.needs_you)
    active = (connection.pk for connection in holding if connection.status == Connection.Status.ACTIVE)
    return frozenset(pk for pk, check in last_checks.of(active).items() if check.is_refused)
