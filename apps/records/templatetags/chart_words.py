"""The words of a chart: the sentence that is its name, its caption, its legend, and its table."""

from collections.abc import Iterator
from datetime import date
from typing import TypeAlias

from django import template
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.records.charts import points
from apps.records.charts.marks import Shape
from apps.records.charts.over_time import OverTime
from apps.records.charts.rows import Row
from apps.records.charts.series import Series
from apps.records.charts.stretches import Each
from apps.records.presenters.datatypes import dates
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Category, Comparable, Judge, Measured, ResultEntry
from apps.records.presenters.observations.vitals import vital_of
from apps.records.shelving.indexing import Aim
from apps.records.viewing import value_rows
from apps.records.viewing.wording import dates_in_words, values_in_words, words

register = template.Library()

_SHAPES: dict[str, str | Promise] = {
    Shape.WITHIN: _("In the usual range"),
    Shape.ABOVE: _("Above the usual range"),
    Shape.BELOW: _("Below the usual range"),
    Shape.OUTSIDE: _("Outside what the lab expects"),
    Shape.UNPLACED: _("Nothing to compare with"),
    Shape.LESS: _("Less than this number"),
    Shape.MORE: _("More than this number"),
    Shape.DOUBTED: _("With a note that may change its meaning"),
}
_EACH: dict[str, str | Promise] = {
    Each.WEEK: _("Each mark is one week, from its lowest to its highest value."),
    Each.MONTH: _("Each mark is one month, from its lowest to its highest value."),
    Each.QUARTER: _("Each mark is three months, from their lowest to their highest value."),
    Each.YEAR: _("Each mark is one year, from its lowest to its highest value."),
    Each.STRETCH: _("Each mark stands for several years, from their lowest to their highest value."),
}
# on a day; in a month or a year; and for a period, which has words of its own: "March 4 to 9, 2019", "Since March 2019"
_Sentences: TypeAlias = tuple[str | Promise, str | Promise, str | Promise]
_COMPARED: dict[str, _Sentences] = {
    "higher": (_("Higher than on %(date)s."), _("Higher than in %(date)s."), _("Higher than before (%(date)s).")),
    "lower": (_("Lower than on %(date)s."), _("Lower than in %(date)s."), _("Lower than before (%(date)s).")),
    "same": (_("The same as on %(date)s."), _("The same as in %(date)s."), _("The same as before (%(date)s).")),
}
_LATEST: _Sentences = (
    _("Latest: %(value)s on %(date)s."),
    _("Latest: %(value)s in %(date)s."),
    _("Latest: %(value)s (%(date)s)."),
)
_DAY = len("2019-03-04")
_OF_A_LAB = frozenset({Category.LABORATORY, Category.OTHER})
_UNJUDGED = frozenset({Place.TOO_LOW, Place.TOO_HIGH})


@register.simple_tag
def headline(series: Series) -> str:
    """The sentence above a chart: Latest: 6.1 % on September 1, 2026. Above the usual range (4.0 to 5.6 %). Higher than
    on March 1, 2026."""
    latest = series.latest
    if latest is None:
        return gettext("No value with a date.")
    before = series.before if series.compared in _COMPARED else None
    date, earlier = (dates_in_words.in_words(row.when) if row is not None else "" for row in (latest, before))
    if before is not None and earlier == date:
        date, earlier = dates_in_words.in_full(latest.when), dates_in_words.in_full(before.when)
    said = [_dated(_LATEST, latest, date), standing(latest.measured)]
    if before is not None and earlier != date:  # with equal dates, nobody knows which was first
        said.append(_dated(_COMPARED[series.compared], before, earlier))
    return " ".join(filter(None, (*said, *_doubted(series, latest))))


def _doubted(series: Series, latest: Row) -> Iterator[str]:
    """That some values may mean something else than they seem to: nobody must miss that."""
    if latest.is_modified:
        yield gettext("This value carries a note that may change its meaning; see the table.")
    if any(each.is_modified and each.at != points.moment(latest.when) for each in series.readings):
        yield gettext("Other values carry notes that may change their meaning; see the table.")


def _dated(sentences: _Sentences, row: Row, date: str) -> str:
    on_a_day, in_a_month, over_a_time = sentences
    starts = row.when.starts
    if date == dates.sent_date(starts) or date == dates.sent_moment(starts):
        sentence = on_a_day if dates.is_a_day(starts) else in_a_month
    else:
        sentence = over_a_time
    date = date if sentence is over_a_time else date.removesuffix(".")  # of "p.m." before a full stop
    return str(sentence) % {"value": value_rows.value(row), "date": date}


@register.simple_tag
def standing(measured: Measured) -> str:
    """Where a value stands, with the range: Above the usual range (4.0 to 5.6 %). It says if the judgment is ours, and
    if there is no range to judge by."""
    wanted = measured.usual_range
    place = words.of_key(measured.place)
    if measured.place in _UNJUDGED or (place and wanted is None):
        return f"{place}."
    if not place:
        quoted = values_in_words.of_place(measured)
        return f"{quoted}." if quoted else _only_the_range(measured)
    bounds = wanted_in_words(wanted) if wanted is not None else ""
    ours = gettext("This is our comparison with the lab's range.") if measured.place_by == Judge.OURS else ""
    return f"{place} ({bounds}). {ours}".strip()


def _only_the_range(measured: Measured) -> str:
    if not measured.ranges:
        if isinstance(measured, Comparable) and not _is_of_a_lab(measured):
            return ""  # nobody expects a range for a weight, or an answer
        return gettext("The lab sent no usual range.")
    return _ranges(measured)


def _is_of_a_lab(measured: Comparable) -> bool:
    return measured.category in _OF_A_LAB and vital_of(measured) is None


@register.simple_tag
def goal_in_words(aim: Aim) -> str:
    """The value that a goal sets for a result: < 7 %."""
    return values_in_words.of_value(aim.value)


@register.filter
def unjudged_ranges(entry: object) -> str:
    """The ranges of a result if none of them is the one to judge by, such as follicular and luteal; for a number that
    its laboratory compared with nothing, a sentence that there is no range; else empty."""
    if not isinstance(entry, ResultEntry) or entry.usual_range is not None:
        return ""
    is_compared = bool(entry.place or entry.place_words)
    if not entry.ranges and (is_compared or not (entry.value.measured and _is_of_a_lab(entry))):
        return ""
    return _only_the_range(entry)


def _ranges(measured: Measured) -> str:
    return gettext("Range from the lab: %(range)s.") % {
        "range": "; ".join(map(values_in_words.of_range, measured.ranges))
    }


def wanted_in_words(wanted: ReferenceRange) -> str:
    """Only the bounds of a range."""
    return values_in_words.of_usual_range(wanted)


@register.filter
def band_in_words(series: Series) -> str:
    """The usual ranges that are shaded, the latest first."""
    return "; ".join(dict.fromkeys(map(values_in_words.of_usual_range, series.usual_ranges)))


def tick_date(sent: str) -> str:
    """A date below a chart: 2019; March 2019; March 4. For a day, the year is in the sentence and in the table."""
    if len(sent) < _DAY:
        return dates.sent_date(sent)
    return formats.date_format(date.fromisoformat(sent), "MONTH_DAY_FORMAT")


@register.filter
def each_in_words(chart: OverTime) -> str:
    """What one mark represents, if that is not one value."""
    return str(_EACH.get(chart.each, ""))


@register.filter
def shape_in_words(shape: str) -> str:
    """What a mark means."""
    return str(_SHAPES[shape])
