"""When something was, in words, and what the date is of (patient experience 3.0, Dates)."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import dates
from apps.records.presenters.moments import When

_LABELS: Final[dict[str, str | Promise]] = {
    "collected": _("Collected"),
    "reported": _("Reported"),
    "given": _("Given"),
    "prescribed": _("Prescribed"),
    "started": _("Started"),
    "ended": _("Ended"),
    "written-down": _("Written down"),
    "seen": _("Seen"),
    "planned": _("Planned for"),
    "due": _("Due"),
    "born": _("Born"),
    "recorded": _("Recorded"),
    "noticed": _("First noticed"),
    "done": _("Done"),
    "filled": _("Filled"),
    "valid": _("Valid"),
}


def label(when: When) -> str:
    """What the date is of. "Date" alone is no label."""
    return str(_LABELS.get(when.means, _LABELS["recorded"]))


def in_words(when: When) -> str:
    """The date as a person reads it, never more exact than it was sent; that none was given, where none was."""
    if when.text:
        return gettext("“%(sent)s”") % {"sent": when.text}
    if when.starts or when.ends:
        return _period(when)
    if when.age_from is not None or when.age_to is not None:
        return _age(when)
    return gettext("Date not known") if when.unknown else gettext("Date not given")


def _period(when: When) -> str:
    starts, ends = dates.sent_date(when.starts), dates.sent_date(when.ends)
    if not starts:
        return gettext("Until %(date)s") % {"date": ends}
    if when.is_open:
        return gettext("Since %(date)s") % {"date": starts}
    return gettext("%(start)s to %(end)s") % {"start": starts, "end": ends} if ends and ends != starts else starts


def _age(when: When) -> str:
    ages = [_years(age) for age in (when.age_from, when.age_to) if age is not None]
    if len(ages) == 1:
        return gettext("At age %(age)s") % {"age": ages[0]}
    return gettext("Between ages %(from)s and %(to)s") % {"from": ages[0], "to": ages[1]}


def _years(age: float) -> str:
    return f"{age:.1f}".removesuffix(".0")
