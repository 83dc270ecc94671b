"""Admission of a copy: requests are limited, so that a stolen session cannot go on for ever, and each is written to the
audit log.

The limit counts the events of the audit log: how often somebody asked is recorded nowhere else.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.records.exporting.stored import DeletedMeanwhile

MOST_AN_HOUR = 20
_WINDOW = timedelta(hours=1)
LONGEST_SECONDS = 900.0  # a thread is occupied as long as somebody reads


class TooMany(Exception):
    """This person requested too many of this kind in the last hour. Wait."""


class TookTooLong(Exception):
    """The copy was not downloaded within LONGEST_SECONDS; the archive that was sent is incomplete."""


class Format(StrEnum):
    """The formats that a person can take, as audit events name them."""

    PDF = "pdf"
    SUMMARY = "summary"
    IPS = "ips"
    BUNDLE = "bundle"
    LINES = "ndjson"


@transaction.atomic
def admit(user: User, connection_ids: Iterable[UUID], export_format: Format, *, at: datetime) -> None:
    """Record that this person takes a copy of these connections, in one event each. Raises TooMany, and
    DeletedMeanwhile if the account is closed."""
    ensure_few(user, EventType.RECORD_EXPORTED, at=at)
    for connection_id in connection_ids:
        recording.record(
            EventType.RECORD_EXPORTED,
            actor=Actor.user(user.pk),
            at=at,
            user_id=user.pk,
            subject="connection",
            subject_id=str(connection_id),
            facts={Fact.EXPORT_FORMAT: export_format.value},
        )


def ensure_few(user: User, event: EventType, *, at: datetime) -> None:
    """Raise TooMany if this person made as many requests of one kind in the last hour as they may, and DeletedMeanwhile
    if the account is closed. Call it in the transaction that records such an event: concurrent requests are then
    counted one after the other."""
    if User.objects.select_for_update().only("pk").filter(pk=user.pk).first() is None:
        raise DeletedMeanwhile
    events = AuditEvent.objects.filter(user_id=user.pk, event=event, at__gt=at - _WINDOW)
    if events.values("at").distinct().count() >= MOST_AN_HOUR:
        raise TooMany


def in_time(pieces: Iterator[bytes], *, now: Callable[[], float]) -> Iterator[bytes]:
    """The same pieces, until LONGEST_SECONDS have passed by this clock; then it raises TookTooLong, which breaks the
    download off."""
    ends_at = now() + LONGEST_SECONDS
    for piece in pieces:
        yield piece
        if now() > ends_at:
            raise TookTooLong
