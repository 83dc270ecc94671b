"""Plan the mail about ends: one row for each end and each time the patient chose, as soon as the end is known.

Nobody has to report an end: a connection's own columns show that one is new (`models.connection`). A new sign-in means
a new end. Warnings about the previous one are deleted when the new one is planned, or when they would be sent.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from apps.accounts import preferences, time_zones
from apps.accounts.models import WarningChoices
from apps.connections.lapse_warnings import moments
from apps.connections.models import Connection, LapseWarning
from apps.connections.models.connection import END_IS_NEW, LAPSE_IS_NEW, NEVER
from apps.connections.reasons import Reason

AT_ONCE = 500
STALE = timedelta(days=1)  # an end longer ago is only shown on the page
_KEEP = timedelta(days=30)
_SECONDS = 20.0

# The patient was told so when linking, and the page says it.
_BY_NATURE = {Reason.SESSION_OVER, Reason.NOT_RENEWABLE}


def plan(*, at: datetime) -> int:
    """Plan for every new end, and again for everybody who changed their choices; returns for how many connections."""
    _take_up_choices()
    return _plan_all(LAPSE_IS_NEW, "lapses_at", _before, at=at) + _plan_all(END_IS_NEW, "reason_at", _after, at=at)


def prune(*, at: datetime) -> int:
    """Delete warnings about ends a month ago; returns how many rows."""
    deleted, _by_model = LapseWarning.objects.filter(ends_at__lte=at - _KEEP).delete()
    return deleted


def withdraw(connection: Connection) -> None:
    """Delete what is planned for this connection, and have it planned again, after its patient's own choice about
    it."""
    with transaction.atomic():
        Connection.objects.filter(pk=connection.pk).update(warnings_planned_for=NEVER)
        LapseWarning.objects.filter(connection=connection, sent_at__isnull=True).delete()


def _take_up_choices() -> None:
    """For everybody who changed their choices or time zone, have everything planned again."""
    with transaction.atomic():
        rows = WarningChoices.objects.select_for_update(skip_locked=True).filter(is_taken_up=False)
        users = list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
        if users:
            Connection.objects.living().filter(user__in=users).update(warnings_planned_for=NEVER)
            WarningChoices.objects.filter(pk__in=users).update(is_taken_up=True)


_Planner = Callable[[Connection, datetime], list[LapseWarning]]


def _plan_all(is_new: Q, end: str, planner: _Planner, *, at: datetime) -> int:
    stop_at, planned = time.monotonic() + _SECONDS, 0
    while time.monotonic() < stop_at:
        count = _plan_some(is_new, end, planner, at=at)
        planned += count
        if count < AT_ONCE:
            break
    return planned


def _plan_some(is_new: Q, end: str, planner: _Planner, *, at: datetime) -> int:
    """Several workers may do this at once: each connection is taken by one."""
    with transaction.atomic():
        rows = Connection.objects.select_for_update(skip_locked=True, of=("self",), no_key=True).filter(is_new)
        found = list(_with_choices(rows).order_by("pk")[:AT_ONCE])
        ids = [connection.pk for connection in found]
        LapseWarning.objects.filter(connection__in=ids, sent_at__isnull=True).delete()
        _add([warning for connection in found for warning in planner(connection, at)])
        Connection.objects.filter(pk__in=ids).update(warnings_planned_for=F(end))
    return len(found)


def _with_choices(rows: QuerySet[Connection]) -> QuerySet[Connection]:
    related = rows.select_related("user__warning_choices", "stored_token_set")
    return related.only(
        "user__time_zone", "user__warning_choices", "status", "reason", "reason_at", "lapses_at", "is_muted",
        "stored_token_set__refresh_issued_at",
    )  # fmt: skip


def _add(warnings: Sequence[LapseWarning]) -> None:
    """A warning that was sent before stays as it is."""
    LapseWarning.objects.bulk_create(warnings, ignore_conflicts=True)


def _before(connection: Connection, at: datetime) -> list[LapseWarning]:
    """Warnings of a known end."""
    ends_at = connection.lapses_at
    if ends_at is None or connection.is_muted:
        return []
    stored = getattr(connection, "stored_token_set", None)
    signed_in_at = (stored.refresh_issued_at if stored else None) or at
    zone = time_zones.of(connection.user)
    planned = {
        hours: moments.before_end(ends_at, hours_before=hours, signed_in_at=signed_in_at, zone=zone)
        for hours in preferences.choices_of(connection.user).hours_before
    }
    return [_warning(connection, ends_at, hours, due_at) for hours, due_at in planned.items() if due_at is not None]


def _after(connection: Connection, at: datetime) -> list[LapseWarning]:
    """The message about an end that was not known in advance."""
    ended_at = connection.reason_at
    if ended_at is None or connection.is_muted or at >= ended_at + STALE or _was_known(connection, ended_at):
        return []
    if not preferences.choices_of(connection.user).tells_of_ends:
        return []
    due_at = moments.after_end(ended_at, zone=time_zones.of(connection.user))
    return [_warning(connection, ended_at, LapseWarning.ENDED, due_at)]


def _was_known(connection: Connection, ended_at: datetime) -> bool:
    is_due = connection.lapses_at is not None and connection.lapses_at <= ended_at
    return connection.reason in _BY_NATURE or is_due


def _warning(connection: Connection, ends_at: datetime, hours_before: int, due_at: datetime) -> LapseWarning:
    return LapseWarning(
        user_id=connection.user_id, connection=connection, ends_at=ends_at, hours_before=hours_before, due_at=due_at
    )
