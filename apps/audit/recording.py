"""Record audit events: the only way to add one.

Call it inside the transaction of the change it describes, so that neither exists without the other. An event that
reports a deletion is also sent to the deletion ledger (`deletions`), so nobody can delete something and forget to.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from apps.audit import deletions
from apps.audit.models import ActorKind, AuditEvent, EventType

__all__ = ["Actor", "EventType", "Fact", "for_each", "record", "record_about_each"]

# Enough for ids, statuses, versions and host names; excludes e-mail addresses, query strings, JSON and quoted text.
_ALLOWED_TEXT = re.compile(r"[A-Za-z0-9 ._:/-]{0,64}")
_BY_ITSELF = "A deletion is recorded by itself."


class Fact(StrEnum):
    """The closed list of fact keys. No fact can contain a secret or say anything about anybody's health."""

    ACTION = "action"
    CHANGED = "changed"  # the name of a column, never its value
    CODE = "code"  # the closed vocabulary of wire errors
    COUNT = "count"
    DIRECTORY = "directory"  # the name of a list of providers
    ENDPOINT_ID = "endpoint_id"
    EXPORT_FORMAT = "export_format"
    GAPS = "gaps"
    GENERATION = "generation"
    HAS_REFRESH_TOKEN = "has_refresh_token"  # noqa: S105  the name of a fact
    IS_FIRST = "is_first"
    METHOD = "method"
    NOTICE_VERSION = "notice_version"
    OUTCOME = "outcome"
    PROVIDER_ID = "provider_id"
    REASON = "reason"
    REGISTRATION_ID = "registration_id"
    REVOKED_AT_PROVIDER = "revoked_at_provider"
    ROWS = "rows"
    STATUS = "status"
    STATUS_BEFORE = "status_before"
    SYNC_RUN_ID = "sync_run_id"


@dataclass(frozen=True, repr=False)
class Actor:
    """Who acted. Build it with `Actor.user`, `Actor.staff` or `Actor.system`."""

    kind: ActorKind
    id: UUID | None = None
    name: str = ""

    def __repr__(self) -> str:
        """Only the kind of actor, not who."""
        return f"<Actor {self.kind}>"

    @classmethod
    def user(cls, user_id: UUID) -> "Actor":
        """The patient, signed in."""
        return cls(ActorKind.USER, user_id)

    @classmethod
    def staff(cls, user_id: UUID) -> "Actor":
        """A member of staff, in the admin."""
        return cls(ActorKind.STAFF, user_id)

    @classmethod
    def system(cls, name: str) -> "Actor":
        """A part of the system that acts by itself: `beat`, or the name of a command."""
        return cls(ActorKind.SYSTEM, name=name)


def record(
    event: EventType,
    *,
    actor: Actor,
    at: datetime,
    user_id: UUID | None = None,
    subject: str = "",
    subject_id: str = "",
    facts: Mapping[str, str | int | bool] | None = None,
) -> None:
    """Add one event. `user_id` is the account that it concerns, `subject` the kind of thing, in the words of the
    glossary.

    Keys of `facts` come from `Fact`; texts are at most 64 characters of letters, digits, spaces and `._:/-`. Raises
    ValueError for anything else, without repeating it.
    """
    written = _event(event, actor, at, user_id, subject, subject_id, facts)
    written.save()
    if event in deletions.LASTING:
        deletions.note(written)


def record_about_each(
    event: EventType,
    *,
    actor: Actor,
    at: datetime,
    subject: str,
    subject_ids: Iterable[str],
    user_id: UUID | None = None,
) -> None:
    """Add the same event about several things of one kind, with one statement.

    Raises ValueError as `record` does, and for a deletion, which must be recorded by itself.
    """
    if event in deletions.LASTING:
        raise ValueError(_BY_ITSELF)
    about = [_event(event, actor, at, user_id, subject, each, None) for each in subject_ids]
    AuditEvent.objects.bulk_create(about)


def for_each(
    rows: str,
    event: EventType,
    *,
    actor: Actor,
    at: datetime,
    user_id: UUID | None = None,
    subject: str = "",
    subject_id: str = "",
    facts: Mapping[str, str | int | bool] | None = None,
) -> tuple[str, dict[str, Any]]:
    """An INSERT of the same event, with its parameters, for use in the WITH clause of the statement that makes the
    change: one event for each row of `rows`, the name of another part of that WITH.

    Raises ValueError as `record` does, and for a deletion, which must be recorded by itself.
    """
    if event in deletions.LASTING:
        raise ValueError(_BY_ITSELF)
    written = _event(event, actor, at, user_id, subject, subject_id, facts)
    values = {f"event_{name}": getattr(written, name) for name in _COLUMNS}
    return _FOR_EACH + rows, {**values, "event_facts": Jsonb(written.facts)}


def _event(
    event: EventType,
    actor: Actor,
    at: datetime,
    user_id: UUID | None,
    subject: str,
    subject_id: str,
    facts: Mapping[str, str | int | bool] | None,
) -> AuditEvent:
    return AuditEvent(
        at=at,
        event=EventType(event).value,
        actor_kind=actor.kind.value,
        actor_id=actor.id,
        actor_name=_checked_text(actor.name),
        user_id=user_id,
        subject=_checked_text(subject),
        subject_id=_checked_text(subject_id),
        facts=_checked_facts(facts or {}),
    )


_COLUMNS = tuple(field.attname for field in AuditEvent._meta.concrete_fields if not field.primary_key)  # noqa: SLF001 - public
_FOR_EACH = f"""
INSERT INTO audit_auditevent ({", ".join(_COLUMNS)})
SELECT {", ".join(f"%(event_{name})s" for name in _COLUMNS)} FROM """  # noqa: S608 # nosec B608 - of constants alone


def _checked_facts(facts: Mapping[str, str | int | bool]) -> dict[str, str | int | bool]:
    checked: dict[str, str | int | bool] = {}
    for key, value in facts.items():
        if key not in Fact.__members__.values():
            raise ValueError("A fact has a key that is not in the list of Fact.")
        checked[str(key)] = value if isinstance(value, int) else _checked_text(value)
    return checked


def _checked_text(text: str) -> str:
    if _ALLOWED_TEXT.fullmatch(text) is None:
        raise ValueError("A text of an audit event is too long or has characters that ids and statuses never have.")
    return str(text)
