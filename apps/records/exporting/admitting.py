"""Admission of a copy: requests are limited, so that a stolen session cannot go on for ever, and each is written to the
audit log.

What is counted are the events of the audit log: there is no second truth about how often somebody asked.
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
LONGEST_SECONDS = 900.0  # a thread is held as long as somebody reads


class TooMany(Exception):
    """So many of its kind were taken in the last hour that this one is refused. Wait."""


class TookTooLong(Exception):
    """The copy was not fetched within LONGEST_SECONDS; what was sent is no whole archive."""


class Format(StrEnum):
    """What a person can take, as audit events name it."""

    PDF = "pdf"
    SUMMARY = "summary"
    IPS = "ips"
    BUNDLE = "bundle"
    LINES = "ndjson"


@transaction.atomic
def admit(user: User, connection_ids: Iterable[UUID], export_format: Format, *, at: datetime) -> None:
    """Write down that this person takes a copy of these, one event each. Raises TooMany, and DeletedMeanwhile where the
    account is closed."""
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
    """Raise TooMany where this person took as many of one kind in the last hour as they may, and DeletedMeanwhile where
    the account is closed. Call it in the transaction that writes such an event down: two at once are counted one after
    the other."""
    if User.objects.select_for_update().only("pk").filter(pk=user.pk).first() is None:
        raise DeletedMeanwhile
    events = AuditEvent.objects.filter(user_id=user.pk, event=event, at__gt=at - _WINDOW)
    if events.values("at").distinct().count() >= MOST_AN_HOUR:
        raise TooMany


def in_time(pieces: Iterator[bytes], *, now: Callable[[], float]) -> Iterator[bytes]:
    """The same pieces, for LONGEST_SECONDS by this clock; then raises TookTooLong, which breaks the download off."""
    ends_at = now() + LONGEST_SECONDS
    for piece in pieces:
        yield piece
        if now() > ends_at:
            raise TookTooLong
