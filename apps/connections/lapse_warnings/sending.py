"""Send the mail about ends: one per person, however many of their connections end.

Each person is handled by one worker at a time. A warning's due time is moved on before it is sent, and it is marked as
sent afterwards. So if a worker dies in between, somebody gets the mail twice at most, but never not at all, which could
cost them the link. If the mail server does not answer, it is tried again at growing intervals. What has ended meanwhile
is no longer announced.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from apps.accounts import mailing, preferences, time_zones
from apps.accounts.models import User
from apps.audit.recording import Actor, EventType
from apps.connections import connection_events
from apps.connections.lapse_warnings import lapse_mail, moments
from apps.connections.lapse_warnings.lapse_mail import LapseMail
from apps.connections.models import Connection, LapseWarning
from apps.connections.refreshing import doubting
from apps.directory import switching

_LOG = logging.getLogger(__name__)

AT_ONCE = 500
_ROWS = 5000  # postponed by one statement
DAY = timedelta(days=1)  # between two mails of a kind; ends within that time go into the same mail
_WAIT = timedelta(minutes=5)
_LONGEST_WAIT = timedelta(hours=1)


def send_due(*, at: datetime) -> int:
    """Send what is due; returns how many mails. Speaks to the mail server: call it outside transactions."""
    while _put_off_doubted(at):
        pass
    return mailing.send_in_turn(_users_due(at), partial(_claim, at=at), partial(_send_and_note, at=at))


def _send_and_note(mail: LapseMail, *, at: datetime) -> bool | None:
    is_sent = _send(mail)
    if is_sent:
        _note(mail, at=at)
    return is_sent


def _put_off_doubted(at: datetime) -> bool:
    """Postpone the messages about ends that may be a mistake of the server: there may be a hundred thousand, and other
    mail must not wait behind them. One batch; False if there are no more."""
    with transaction.atomic():
        rows = LapseWarning.objects.filter(sent_at__isnull=True, due_at__lte=at, hours_before=LapseWarning.ENDED)
        doubted = rows.filter(connection__stored_token_set__in=doubting.of_many())
        ids = list(doubted.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:_ROWS])
        LapseWarning.objects.filter(pk__in=ids).update(due_at=at + _LONGEST_WAIT)
    return bool(ids)


def _users_due(at: datetime) -> list[UUID]:
    rows = LapseWarning.objects.filter(sent_at__isnull=True, due_at__lte=at).order_by("due_at", "pk")
    return list(dict.fromkeys(rows.values_list("user_id", flat=True)[:AT_ONCE]))


def _claim(user_id: UUID, *, at: datetime) -> LapseMail | None:
    """The mail that this person is to get now, postponed until it is sent. None if there is nothing to send, or not
    yet."""
    with transaction.atomic():
        rows = User.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
        user = rows.select_related("warning_choices").filter(pk=user_id).first()
        if user is None:
            return None
        chosen = _choose(_holding(user, at=at), user, at=at)
        if not chosen:
            return None
        for warning in chosen:
            warning.due_at, warning.tries = at + _wait(warning.tries), warning.tries + 1
        LapseWarning.objects.bulk_update(chosen, ["due_at", "tries"])
        return lapse_mail.write(user, chosen, preferences.choices_of(user))


def _holding(user: User, *, at: datetime) -> list[LapseWarning]:
    """This person's warnings until tomorrow that still apply. Those that no longer do are deleted. Not included are
    those of connections where nobody can sign in now, and of those whose server may have refused by mistake. Messages
    about past ends that were postponed are not sent at night."""
    rows = LapseWarning.objects.filter(user=user, sent_at__isnull=True, due_at__lte=at + DAY)
    found = list(rows.select_related("connection__provider", "connection__endpoint", "connection__registration"))
    over = [warning.pk for warning in found if not (user.is_active and _holds(warning, at=at))]
    LapseWarning.objects.filter(pk__in=over).delete()
    holding = [warning for warning in found if warning.pk not in over]
    ended = [one for one in holding if one.hours_before == LapseWarning.ENDED]
    refused = _doubted([one.connection_id for one in ended])
    closed = [one.pk for one in holding if one.connection_id in refused or not _is_open(one.connection)]
    LapseWarning.objects.filter(pk__in=closed, due_at__lte=at).update(due_at=at + _WAIT)
    zone = time_zones.of(user)
    if moments.is_quiet(at, zone):
        asleep = [one.pk for one in ended if one.pk not in closed]
        LapseWarning.objects.filter(pk__in=asleep, due_at__lte=at).update(due_at=moments.end_of_quiet(at, zone))
        closed += asleep
    return sorted((one for one in holding if one.pk not in closed), key=lambda one: (one.due_at, one.ends_at))


def _doubted(connections: Collection[UUID]) -> set[UUID]:
    """Those of these connections whose server refused several, perhaps by mistake. Loads no token."""
    if not connections:
        return set()
    return set(doubting.of_many().filter(pk__in=connections).values_list("pk", flat=True))


def _holds(warning: LapseWarning, *, at: datetime) -> bool:
    connection = warning.connection
    if warning.hours_before == LapseWarning.ENDED:  # only such links have `reason_at`
        return connection.reason_at == warning.ends_at and at < warning.ends_at + 2 * DAY
    is_so = connection.status == Connection.Status.ACTIVE and connection.lapses_at == warning.ends_at
    return is_so and at < warning.ends_at


def _is_open(connection: Connection) -> bool:
    registration = connection.registration
    return switching.is_on(connection.endpoint, registration) and not registration.trouble


def _choose(holding: Sequence[LapseWarning], user: User, *, at: datetime) -> list[LapseWarning]:
    """The warnings for one mail: those that are due, and all others of the kind that would be due before the next mail
    of the kind may be sent."""
    due = [warning for warning in holding if warning.due_at <= at]
    if not due:
        return []
    is_about_ends = due[0].hours_before == LapseWarning.ENDED
    due = [warning for warning in due if (warning.hours_before == LapseWarning.ENDED) is is_about_ends]
    hours = {warning.hours_before for warning in due}
    free_at = _free_at(user, hours, at=at)
    if free_at > at and not any(_cannot_wait(warning, free_at) for warning in due):
        LapseWarning.objects.filter(pk__in=[warning.pk for warning in due]).update(due_at=free_at)
        return []
    return [warning for warning in holding if warning.hours_before in hours]


def _free_at(user: User, hours: set[int], *, at: datetime) -> datetime:
    """When this person may get the next mail of these kinds."""
    rows = LapseWarning.objects.filter(user=user, hours_before__in=hours, sent_at__gt=at - DAY)
    latest = rows.aggregate(latest=Max("sent_at"))["latest"]
    return latest + DAY if latest else at


def _cannot_wait(warning: LapseWarning, free_at: datetime) -> bool:
    """Whether the connection would end first."""
    return warning.hours_before != LapseWarning.ENDED and warning.ends_at < free_at + moments.LEAST_LEFT


def _wait(tries: int) -> timedelta:
    factor: int = 2 ** min(tries, 6)
    return min(_WAIT * factor, _LONGEST_WAIT)


def _send(mail: LapseMail) -> bool | None:
    try:
        mailing.send(mail.template, to=mail.to, context=mail.context, headers=mail.headers)
    except OSError as error:  # smtplib's errors are all of this kind
        _LOG.error("A mail about an end was not sent: user %s, %s.", mail.user_id, mailing.kind(error))
        return mailing.not_sent(error)
    return True


def _note(mail: LapseMail, *, at: datetime) -> None:
    """Mark the warnings as sent, so that they are never sent again for this end, and record it in the person's log."""
    with transaction.atomic():
        told = LapseWarning.objects.filter(pk__in=mail.warning_ids)
        told.update(sent_at=at)
        for connection in mail.connections:
            connection_events.note_connection(
                EventType.CONNECTION_WARNED, connection, at=at, actor=Actor.system("warning")
            )
