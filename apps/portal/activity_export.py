"""Activity as a file for a spreadsheet: every event on its own line, in the words of the page, newest first.

It is logged, rate-limited and broken off as a copy of the record is (`admitting`). The event of its own export is its
first line.
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
    """The file with everything that happened in this account, in pieces. Language and time zone are those of now,
    whenever it is read. Raises `admitting.TooMany`, `DeletedMeanwhile` if the account is closed, and, while it is read,
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
        gettext("Details"),
        gettext("Who did it"),
        gettext("Provider"),
        gettext("Whose record"),
    )


def _cells(one: ActivityLine) -> tuple[str, ...]:
    """The moment in the reader's time zone, in a form that sorts; the zone distinguishes the hour that occurs twice."""
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
