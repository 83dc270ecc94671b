"""Whether a server refuses us as a system: noted when it begins to, over with the next token.

It is not the registration's trouble, which keeps patients away: they come with another client id, and a system account
that is refused costs none of them anything. What is known of it is the last such note in the audit log.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import amending, registering
from apps.directory.models import ClientRegistration
from apps.wire.errors import ClientRejected

_LOG = logging.getLogger(__name__)
_ACTOR = Actor.system("system access")
_REFUSED, _ACCEPTED = "system access refused", "system access accepted"


@dataclass(frozen=True)
class SystemRefusal:
    """A registration whose system account is refused; `code` is of `wire.errors.Code`."""

    registration: ClientRegistration
    code: str
    since_at: datetime


def standing() -> Sequence[SystemRefusal]:
    """All of them, of registrations that have a system account and count. One question, answered by an index."""
    rows = ClientRegistration.objects.exclude(status__in=registering.OVER).filter(system_account__isnull=False)
    by_id = {str(row.pk): row for row in rows}
    latest = _notes(by_id).order_by("subject_id", "-pk").distinct("subject_id") if by_id else ()
    return [
        SystemRefusal(by_id[note.subject_id], note.facts.get(Fact.CODE, ""), note.at)
        for note in latest
        if note.facts[Fact.ACTION] == _REFUSED
    ]


def refused(registration: ClientRegistration, error: ClientRejected, *, at: datetime) -> None:
    """Their server did not accept our system account, or its proof. Staff hear of it once."""
    if _last(registration) == (_REFUSED, error.code.value):
        return
    amending.note(registration, _REFUSED, actor=_ACTOR, at=at, code=error.code.value)
    _LOG.error(
        "Staff must look into system access of client registration %s: %s (%s)",
        registration.pk,
        error,
        error.code.value,
    )


def accepted(registration: ClientRegistration, *, at: datetime) -> None:
    """Their server gave a token: what it refused before is over."""
    if _last(registration)[0] == _REFUSED:
        amending.note(registration, _ACCEPTED, actor=_ACTOR, at=at)


def _last(registration: ClientRegistration) -> tuple[str, str]:
    """What was noted last, and the code of it; empty where nothing was."""
    note = _notes([str(registration.pk)]).order_by("-pk").first()
    return (note.facts[Fact.ACTION], note.facts.get(Fact.CODE, "")) if note is not None else ("", "")


def _notes(subject_ids: Collection[str]) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(
        subject_id__in=list(subject_ids),
        event=EventType.REGISTRATION_CHANGED,
        facts__action__in=(_REFUSED, _ACCEPTED),
    )
