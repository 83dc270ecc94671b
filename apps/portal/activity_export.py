"""Activity as a file for a spreadsheet, to keep: every event by itself, in the words of the page, newest first.

It is written down, counted and broken off as a copy of the record is (`admitting`); that event is its first line, and
says when it was taken.
"""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from apps.accounts import time_zones
from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.portal import activity
from apps.portal.activity import ActivityLine
from apps.records.exporting import admitting, streaming
from apps.records.viewing import spreadsheets


def take(user: User, *, at: datetime) -> Iterator[bytes]:
    """The file of all that happened in this account, piece by piece, in the language and the time zone of now whenever
    it is read. Raises `admitting.TooMany`, and `DeletedMeanwhile` where the account is closed; in the middle
    `admitting.TookTooLong`."""
    with transaction.atomic():
        admitting.ensure_few(user, EventType.ACTIVITY_SAVED, at=at)
        recording.record(EventType.ACTIVITY_SAVED, actor=Actor.user(user.pk), at=at, user_id=user.pk)
    told = map(str.encode, streaming.as_asked(_pieces(activity.each(user.pk))))
    return admitting.in_time(told, now=time.monotonic)


def _pieces(batches: Iterable[list[ActivityLine]]) -> Iterator[str]:
    yield spreadsheets.MARK + spreadsheets.lines([_columns()])
    for batch in batches:
        yield spreadsheets.lines(map(_cells, batch))


def _columns() -> tuple[str, ...]:
    return (
        gettext("Date and time"),
        gettext("Time zone"),
        gettext("What happened"),
        gettext("More about it"),
        gettext("Who did it"),
        gettext("Provider"),
        gettext("Whose record"),
    )


def _cells(one: ActivityLine) -> tuple[str, ...]:
    """The moment by the clock of its reader, and so that it sorts; where a clock shows an hour twice, the zone tells
    which."""
    local = timezone.localtime(one.at)
    return (
        f"{local:%Y-%m-%d %H:%M:%S}",
        time_zones.short_name(local),
        one.what,
        one.why,
        one.who,
        one.provider,
        one.person,
    )
