"""What was so once, and may be so no more: that somebody is pregnant. It stays listed, with its age."""

from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from apps.records.presenters.moments import When
from apps.wire import datetimes
from apps.wire.datetimes import Precision

_LASTS: Final = timedelta(days=305)  # ten months: a pregnancy, and some weeks for whoever wrote it down later
_AS_LONG_AS: Final = {Precision.YEAR: timedelta(days=366), Precision.MONTH: timedelta(days=31)}


def remark(when: When, *, at: datetime) -> str:
    """That it is old, or that nobody knows how old; empty for what is new enough."""
    written = datetimes.parse(when.ends or when.starts)
    if written is None:
        return _("It is not known when this was recorded: it may no longer be so.")
    until = written.first_day + _AS_LONG_AS.get(written.precision, timedelta())
    return _("Recorded more than 10 months ago: it may no longer be so.") if until + _LASTS < at.date() else ""
