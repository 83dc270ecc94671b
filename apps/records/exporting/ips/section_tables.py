"""The table of a section: a line for each thing, and one for procedures repeated in the same way.

Only lines are combined, and only if they differ in nothing but their date; all the dates are given. For programs, each
entry stays separate.
"""

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext as _

from apps.records import counts
from apps.records.exporting.ips import narrating
from apps.records.exporting.ips.gathering import SectionEntry

Line = tuple[str, str, str, str]


def heading() -> Line:
    """The column headings."""
    return _("What"), _("Details"), _("Date"), _("Provider")


def lines(found: Iterable[SectionEntry], *, at: datetime) -> list[Line]:
    """The lines in their order; a combined line has the place of its newest entry."""
    alike: dict[tuple[str, ...], list[SectionEntry]] = {}
    for number, one in enumerate(found):
        same = (one.item.title, one.item.detail, one.label, *(str(each.source.number) for each in one.all))
        alike.setdefault(same if one.again and one.date else (f"#{number}",), []).append(one)
    return [_line(several, at) for several in alike.values()]


def _line(several: list[SectionEntry], at: datetime) -> Line:
    first = several[0]
    dates = "; ".join(one.date for one in several)
    if len(several) > 1:
        dates = _("%(count)s times: %(dates)s") % {"count": counts.grouped(len(several)), "dates": dates}
    age = first.passing.remark(at) if first.passing is not None else ""
    dated = f"{first.label}: {dates}" if first.label else dates
    return first.item.title or _("Unnamed entry"), narrating.together(first.item.detail, age), dated, first.providers
