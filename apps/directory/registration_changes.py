"""Change a client registration: under a lock on its row, so that two members of staff cannot both move it, and written
down in the same transaction."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory.models import ClientRegistration

LONGEST_FACT = 64  # `recording` takes no longer text


@contextmanager
def locked(registration: ClientRegistration) -> Iterator[ClientRegistration]:
    """The row under a lock; the object the caller holds follows it."""
    with transaction.atomic():
        row = ClientRegistration.objects.select_for_update().get(pk=registration.pk)
        yield row
    registration.refresh_from_db()


def note(
    row: ClientRegistration,
    action: str,
    *,
    actor: Actor,
    at: datetime,
    event: EventType = EventType.REGISTRATION_CHANGED,
    before: str = "",
    code: str = "",
    changed: str = "",
    endpoint_id: UUID | None = None,
) -> None:
    """Write one change down. `changed` names columns, never their values."""
    named = str(endpoint_id) if endpoint_id is not None else ""
    optional = {Fact.STATUS_BEFORE: before, Fact.CODE: code, Fact.CHANGED: changed, Fact.ENDPOINT_ID: named}
    facts: dict[str, str | int | bool] = {Fact.ACTION: action, Fact.STATUS: row.status}
    facts |= {name: value for name, value in optional.items() if value}
    recording.record(event, actor=actor, at=at, subject="client registration", subject_id=str(row.pk), facts=facts)


def note_columns(row: ClientRegistration, action: str, columns: Sequence[str], *, actor: Actor, at: datetime) -> None:
    """Write down which columns changed, in as many events as their names need."""
    for names in lines_of(columns):
        note(row, action, actor=actor, at=at, changed=names)


def lines_of(names: Sequence[str]) -> list[str]:
    """Names joined by spaces, in lines that a fact can hold: nothing is cut off. One empty line for no names."""
    lines = [""]
    for name in names:
        joined = f"{lines[-1]} {name}".strip()
        if len(joined) <= LONGEST_FACT:
            lines[-1] = joined
        else:
            lines.append(name[:LONGEST_FACT])
    return lines
