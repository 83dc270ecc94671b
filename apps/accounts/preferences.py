"""A person's preferences: when they want mail about connections that end, whether they want mail about news in their
record, and their time zone, which decides when a mail would wake them.

When preferences change, `apps.connections.lapse_warnings` plans the mail about ends again: it looks for choices not
taken up yet. `apps.records.announcing` looks for news.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from apps.accounts import account_events, time_zones
from apps.accounts.models import User, WarningChoices
from apps.audit.recording import EventType

HOURS_OFFERED = (24, 12, 3)


def choices_of(user: User) -> WarningChoices:
    """What this person chose, or the defaults, not saved, if they never chose."""
    found: WarningChoices | None = getattr(user, "warning_choices", None)
    return found or WarningChoices(user=user, changed_at=datetime.min.replace(tzinfo=UTC), is_taken_up=True)


def choose(
    user: User,
    *,
    hours_before: Collection[int],
    tells_of_ends: bool,
    names_providers: bool,
    tells_of_news: bool,
    time_zone: str,
    at: datetime,
) -> None:
    """Store the choices, and log that they changed. Raises ValueError for an hour that is not offered."""
    if not set(hours_before) <= set(HOURS_OFFERED):
        raise ValueError("Only the hours offered can be chosen.")
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(time_zone=time_zone)
        WarningChoices.objects.update_or_create(
            user=user,
            defaults={
                "hours_before": sorted(set(hours_before), reverse=True),
                "tells_of_ends": tells_of_ends,
                "names_providers": names_providers,
                "changed_at": at,
                "is_taken_up": False,
                **_about_news(user, tells=tells_of_news, at=at),
            },
        )
        account_events.record(EventType.USER_WARNINGS_CHOSEN, user, at=at)


def choose_time_zone(user: User, zone: str, *, at: datetime) -> None:
    """Store only the time zone, and log that choices changed, because it decides when mail is sent. Raises ValueError
    if the zone is unknown."""
    if not time_zones.is_known(zone):
        raise ValueError("No zone has this name.")
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(time_zone=zone)
        WarningChoices.objects.update_or_create(user=user, defaults={"changed_at": at, "is_taken_up": False})
        account_events.record(EventType.USER_WARNINGS_CHOSEN, user, at=at)


def _about_news(user: User, *, tells: bool, at: datetime) -> dict[str, Any]:
    """Somebody who turns this on is told what comes from then on; choosing it again changes nothing."""
    if not tells:
        return {"tells_of_news": False, "news_due_at": None, "news_told_until": None}
    if choices_of(user).tells_of_news:
        return {}
    return {"tells_of_news": True, "news_due_at": at, "news_told_until": at}
