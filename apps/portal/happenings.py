"""The audit log as its own person reads it: what happened, who did it, and at which provider."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext

from apps.audit.models import ActorKind, AuditEvent, EventType
from apps.connections.models import Connection

_ROWS = 50
_WORDS = {event.value: event.label for event in EventType}


@dataclass(frozen=True)
class Happening:
    """One event. `provider` is empty where it concerns none, or one that is gone."""

    at: datetime
    what: str
    who: str
    provider: str


@dataclass(frozen=True)
class HappeningPage:
    """Newest first. `older_than` asks for the next page; None where this is the last."""

    happenings: tuple[Happening, ...]
    older_than: int | None


def page(user_id: UUID, *, before: str) -> HappeningPage:
    """The events about one user with a number below `before`, which comes from the address and may be anything."""
    events = AuditEvent.objects.filter(user_id=user_id).order_by("-pk")
    if before.isascii() and before.isdigit() and len(before) <= 18:
        events = events.filter(pk__lt=int(before))
    found = list(events[: _ROWS + 1])
    shown = found[:_ROWS]
    providers = _providers(user_id, shown)
    happenings = tuple(_happening(event, providers) for event in shown)
    return HappeningPage(happenings, older_than=shown[-1].pk if len(found) > _ROWS else None)


def _happening(event: AuditEvent, providers: dict[str, str]) -> Happening:
    return Happening(
        at=event.at,
        what=str(_WORDS.get(event.event, event.event)),
        who=_who(event),
        provider=providers.get(event.subject_id, ""),
    )


def _who(event: AuditEvent) -> str:
    if event.actor_kind == ActorKind.STAFF:
        return gettext("Holdfast staff")
    return gettext("You") if event.actor_kind == ActorKind.USER else gettext("Holdfast, by itself")


def _providers(user_id: UUID, events: list[AuditEvent]) -> dict[str, str]:
    """Names by connection id. The log has no foreign keys, so what is gone stays nameless."""
    ids = {event.subject_id for event in events if event.subject == "connection"}
    rows = Connection.objects.filter(user_id=user_id, pk__in=ids).values_list("pk", "provider__name")
    return {str(connection_id): name for connection_id, name in rows}
