"""Whether a server refuses our system account: recorded when that begins, and over with the next token.

This differs from the registration's trouble, which keeps patients away: they use another client id, and are not
affected if a system account is refused. The state is the last such event in the audit log.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import registering, registration_changes
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
    """All refusals, for standing registrations with a system account. One query, answered by an index."""
    rows = ClientRegistration.objects.exclude(status__in=registering.OVER).filter(system_account__isnull=False)
    by_id = {str(row.pk): row for row in rows}
    latest = _notes(by_id).order_by("subject_id", "-pk").distinct("subject_id") if by_id else ()
    return [
        SystemRefusal(by_id[note.subject_id], note.facts.get(Fact.CODE, ""), note.at)
        for note in latest
        if note.facts[Fact.ACTION] == _REFUSED
    ]


def refused(registration: ClientRegistration, error: ClientRejected, *, at: datetime) -> None:
    """The server did not accept our system account or its credentials. Staff are told once."""
    if _last(registration) == (_REFUSED, error.code.value):
        return
    registration_changes.note(registration, _REFUSED, actor=_ACTOR, at=at, code=error.code.value)
    _LOG.error(
        "Staff must look into system access of client registration %s: %s (%s)",
        registration.pk,
        error,
        error.code.value,
    )


def accepted(registration: ClientRegistration, *, at: datetime) -> None:
    """The server issued a token: an earlier refusal is over."""
    if _last(registration)[0] == _REFUSED:
        registration_changes.note(registration, _ACCEPTED, actor=_ACTOR, at=at)


def _last(registration: ClientRegistration) -> tuple[str, str]:
    """The last recorded event and its code; empty if there is none."""
    note = _notes([str(registration.pk)]).order_by("-pk").first()
    return (note.facts[Fact.ACTION], note.facts.get(Fact.CODE, "")) if note is not None else ("", "")


def _notes(subject_ids: Collection[str]) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(
        subject_id__in=list(subject_ids),
        event=EventType.REGISTRATION_CHANGED,
        facts__action__in=(_REFUSED, _ACCEPTED),
    )
