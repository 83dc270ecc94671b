"""How moments of a connection are told, in the reader's language and time zone."""

from datetime import datetime, timedelta

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from apps.accounts import time_zones

_BY_WEEKDAY = timedelta(days=6)  # a week ahead, the same weekday would be two


def date(moment: datetime | None) -> str:
    """The day: May 3, 2026."""
    return formats.date_format(timezone.localtime(moment), "DATE_FORMAT") if moment else _("an unknown date")


def moment(moment: datetime) -> str:
    """Day and clock time with its zone: May 3, 2026, 9:40 a.m. UTC."""
    return f"{date(moment)}, {time_zones.clock(timezone.localtime(moment))}"


def until(moment: datetime, *, at: datetime) -> str:
    """An end that is to come, after "by": 2 p.m. UTC today; Tuesday, 2 p.m. UTC; May 3, 2026, 9:40 a.m. UTC."""
    local = timezone.localtime(moment)
    clock = time_zones.clock(local)
    if local.date() == timezone.localtime(at).date():
        return _("{time} today").format(time=clock)
    if moment - at < _BY_WEEKDAY:
        return _("{weekday}, {time}").format(weekday=formats.date_format(local, "l"), time=clock)
    return f"{date(moment)}, {clock}"
