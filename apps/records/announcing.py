"""Send people an email when something new came into their record: only those who chose that, at most once a day, in the
morning.

The mail is the same whatever came, and no row is opened for it. New is what was not here before, or a result that
became final or was corrected; it must have come in a check after the first copy, and nobody has looked at the record
since. Other changes are only shown on pages, since some providers stamp every answer anew (decision 0026).

One worker at a time handles a person. The mail is marked as sent before it is sent, and stays so unless the mail server
certainly did not accept it: if a worker dies in between, or the connection is lost after that, the pages still show the
news, and nobody gets two mails.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.urls import reverse

from apps.accounts import mailing, time_zones
from apps.accounts.models import User, WarningChoices
from apps.audit import recording
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType
from apps.connections.lapse_warnings import moments
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.subjects import PATIENT, shelved_for
from apps.records.syncing import resent_after_version_change, version_changes

_LOG = logging.getLogger(__name__)

AT_ONCE: Final = 5000
_WAIT: Final = timedelta(hours=1)  # if a mail server does not answer


@dataclass(frozen=True, repr=False)
class _Letter:
    """A mail to send. `told_until` is restored if it cannot be sent."""

    user: User
    told_until: datetime | None


@dataclass
class _Checked:
    """The types of which checks changed something, when the first of them began, and whether one concluded a result
    (`syncing.received_rows.final_results`)."""

    began_at: datetime
    types: set[str] = field(default_factory=set)
    has_concluded: bool = False


def tell(*, at: datetime) -> int:
    """Send the mails that are due; returns how many. It talks to the mail server: call it outside transactions."""
    return mailing.send_in_turn(_users_due(at), partial(_claim, at=at), partial(_tell, at=at))


def _tell(letter: _Letter, *, at: datetime) -> bool | None:
    try:
        _send(letter.user)
    except OSError as error:  # all errors of smtplib are subclasses
        _LOG.error("A mail about something new was not sent: user %s, %s.", letter.user.pk, mailing.kind(error))
        if not isinstance(error, mailing.PerhapsSent):
            _put_off(letter, at=at)
        return mailing.not_sent(error)
    _note(letter.user, at=at)
    return True


def _users_due(at: datetime) -> list[UUID]:
    due = WarningChoices.objects.filter(tells_of_news=True, news_due_at__lte=at)
    return list(due.order_by("news_due_at", "pk").values_list("pk", flat=True)[:AT_ONCE])


def _claim(user_id: UUID, *, at: datetime) -> _Letter | None:
    """Decide whether to mail this person now, and if so, mark them as told; in either case, look again next morning.
    The account is skipped if it is locked because it is being closed."""
    with transaction.atomic():
        user = User.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=user_id).first()
        due = WarningChoices.objects.filter(pk=user_id, tells_of_news=True, news_due_at__lte=at)
        # queried after the lock: another worker may have told them before it released it
        choices = due.first() if user is not None else None
        if user is None or choices is None:
            return None
        zone, told_until = time_zones.of(user), choices.news_told_until
        is_told = not moments.is_quiet(at, zone) and user.is_active and _has_news(user, told_until or at, at=at)
        is_told = is_told and mailing.is_confirmed(user)
        due.update(
            news_due_at=moments.next_morning(at, zone),
            news_told_until=at if is_told else told_until,
        )
        return _Letter(user, told_until) if is_told else None


def _has_news(user: User, told_until: datetime, *, at: datetime) -> bool:
    """Whether, since this person was told or looked, a check brought something that was not here before, or concluded a
    result."""
    looked_at = _looked_at(user)
    since = told_until if looked_at is None else max(told_until, looked_at)
    return any(
        checked.has_concluded or _has_new_rows(user, connection_id, checked.types, since=max(since, checked.began_at))
        for connection_id, checked in _checked_since(user, since, at=at).items()
    )


def _looked_at(user: User) -> datetime | None:
    looks = AuditEvent.objects.filter(user_id=user.pk, event=EventType.RECORD_VIEWED)
    return looks.order_by("-id").values_list("at", flat=True).first()


def _checked_since(user: User, since: datetime, *, at: datetime) -> Mapping[UUID, _Checked]:
    """By connection, what checks changed since then among listed types. First copies are left out, and connections for
    which the patient wants no mail, and what a server sends again in another version of FHIR. Times in the future, from
    a wrong clock, are ignored until they have come."""
    changed_over = SyncStep.objects.filter(version_changes.IS_MARK, run=OuterRef("run"))
    steps = SyncStep.objects.filter(
        ~Exists(changed_over),
        run__connection__user=user,
        run__connection__is_muted=False,
        finished_at__gt=since,
        finished_at__lte=at,
        rows_changed__gt=0,
    ).exclude(run__cause=SyncRun.Cause.CONFIRMED)
    rows = list(steps.values_list("run__connection", "run__created_at", "resource_type", "run", "rows_concluded"))
    anew = {
        (one.run_id, one.resource_type) for one in resent_after_version_change.since({row[0] for row in rows}, since)
    }
    found: dict[UUID, _Checked] = {}
    for connection_id, began_at, name, run_id, concluded in rows:
        if set(shelved_for(name)) - {PATIENT} and (run_id, name) not in anew:
            checked = found.setdefault(connection_id, _Checked(began_at))
            checked.began_at = min(checked.began_at, began_at)
            checked.types.add(name)
            checked.has_concluded = checked.has_concluded or concluded > 0
    return found


def _has_new_rows(user: User, connection_id: UUID, types: set[str], *, since: datetime) -> bool:
    mine = Record.objects.filter(user=user, connection=connection_id, resource_type__in=sorted(types))
    return mine.filter(first_received_at__gt=since, removed_at__isnull=True).exists()


def _send(user: User) -> None:
    choices_url = settings.SITE_ORIGIN + reverse("warnings")
    context = {"user": user, "page_url": settings.SITE_ORIGIN + reverse("what_is_new"), "choices_url": choices_url}
    headers = {"List-Unsubscribe": f"<{choices_url}>", "Auto-Submitted": "auto-generated"}
    mailing.send("records/email/something_new", to=user.email, context=context, headers=headers)


def _put_off(letter: _Letter, *, at: datetime) -> None:
    """They were not told: restore the mark, and try again later; unless they have changed their choice meanwhile."""
    told = WarningChoices.objects.filter(pk=letter.user.pk, tells_of_news=True, news_told_until=at)
    told.update(news_due_at=at + _WAIT, news_told_until=letter.told_until)


def _note(user: User, *, at: datetime) -> None:
    """Record in the audit log that they were told."""
    recording.record(
        EventType.USER_TOLD_OF_NEWS,
        actor=Actor.system("announcing"),
        at=at,
        user_id=user.pk,
        subject="user",
        subject_id=str(user.pk),
    )
