"""What a mail about ends says: how many connections, when, and where to go. It contains no health data, and names
providers only if its reader chose that. Its links open nothing by themselves: both pages require a sign-in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from apps.accounts.models import User, WarningChoices
from apps.connections.models import Connection, LapseWarning


@dataclass(frozen=True)
class End:
    """One line. `name` is empty if providers are not to be named."""

    at: datetime
    name: str


@dataclass(frozen=True, repr=False)
class LapseMail:
    """One mail, ready to send, and the warnings and connections it is about."""

    user_id: UUID
    to: str
    template: str
    context: Mapping[str, Any]
    headers: Mapping[str, str]
    connections: Sequence[Connection]
    warning_ids: Sequence[int]


def write(user: User, warnings: Sequence[LapseWarning], choices: WarningChoices) -> LapseMail:
    """One mail about all of these warnings, soonest first. Either all are about coming ends, or all about past ones."""
    by_connection = {warning.connection_id: warning for warning in warnings}
    told = sorted(by_connection.values(), key=lambda one: (one.ends_at, one.pk))
    ends = [End(one.ends_at, one.connection.provider.name if choices.names_providers else "") for one in told]
    is_over = told[0].hours_before == LapseWarning.ENDED
    page = reverse("connection", args=[told[0].connection_id]) if len(told) == 1 else reverse("connections")
    choices_url = settings.SITE_ORIGIN + reverse("warnings")
    return LapseMail(
        user_id=user.pk,
        to=user.email,
        template=f"connections/email/{'ended' if is_over else 'ends_soon'}",
        context={
            "user": user,
            "ends": ends,
            "first": ends[0],
            "page_url": settings.SITE_ORIGIN + page,
            "choices_url": choices_url,
        },
        headers={"List-Unsubscribe": f"<{choices_url}>", "Auto-Submitted": "auto-generated"},
        connections=[one.connection for one in told],
        warning_ids=[warning.pk for warning in warnings],
    )
