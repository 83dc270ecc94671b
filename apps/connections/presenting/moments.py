"""How times of a connection are written, in the reader's language and time zone."""

from datetime import datetime, timedelta

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from apps.accounts import time_zones

_BY_WEEKDAY = timedelta(days=6)  # from a week on, a weekday would be ambiguous


def date(moment: datetime | None) -> str:
    """The date: May 3, 2026."""
    return formats.date_format(timezone.localtime(moment), "DATE_FORMAT") if moment else _("an unknown date")


def moment(moment: datetime) -> str:
    """Date and time with the time zone: May 3, 2026, 9:40 a.m. UTC."""
    return f"{date(moment)}, {time_zones.clock(timezone.localtime(moment))}"


def until(moment: datetime, *, at: datetime) -> str:
    """A future end, to follow "by": 2 p.m. UTC today; Tuesday, 2 p.m. UTC; May 3, 2026, 9:40 a.m. UTC."""
    local = timezone.localtime(moment)
    clock = time_zones.clock(local)
    if local.date() == timezone.localtime(at).date():
        return _("{time} today").format(time=clock)
    if moment - at < _BY_WEEKDAY:
        return _("{weekday}, {time}").format(weekday=formats.date_format(local, "l"), time=clock)
    return f"{date(moment)}, {clock}"
