"""What a chart and its table have many of, as markup: marks, the lines between them, and rows of values. Written here
they take a tenth of the time that a template for each takes. Numbers are ours; all that is told is escaped by `_said`,
and nothing else is marked as safe but what is put together of it here."""

from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import groupby
from operator import attrgetter

from django import template
from django.template.defaultfilters import linebreaksbr
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from apps.records.charts.marks import Shape
from apps.records.charts.over_time import Line, Mark, OverTime, Stroke
from apps.records.charts.series import Row
from apps.records.viewing import value_rows

register = template.Library()

_said = escape


@register.simple_tag
def plotted(chart: OverTime, chart_id: str) -> SafeString:
    """The values of a chart: first the lines and strokes, then the marks upon them."""
    written = (
        *map(_line, chart.lines),
        *map(_stroke, chart.strokes),
        *(_mark(mark, _said(chart_id)) for mark in chart.marks),
    )
    return _markup("".join(written))


@register.simple_tag
def values_by_year(rows: Iterable[Row]) -> SafeString:
    """The bodies of a table of values, one for each year."""
    told = _Told()
    return _markup("\n".join(_year(year, of_it, told) for year, of_it in groupby(rows, key=attrgetter("year"))))


def _markup(written: str) -> SafeString:
    """What is put together here, which nobody escapes a second time."""
    return SafeString(written)  # nosec B703 - constants and numbers, and between them what `_said` escaped


def _also(**how: int) -> str:
    """Further classes of an element: those that are so."""
    return "".join(f" is-{name}" for name, is_so in how.items() if is_so)


def _line(line: Line) -> str:
    how = _also(dotted=line.is_dotted, second=line.provider)
    return f'<line class="chart-line{how}" x1="{line.x1}%" y1="{line.y1}%" x2="{line.x2}%" y2="{line.y2}%" />'


def _stroke(stroke: Stroke) -> str:
    second, x = _also(second=stroke.provider), stroke.x
    how = _also(dotted=stroke.is_early, second=stroke.provider)
    drawn = f'<line class="chart-stroke{how}" x1="{x}%" y1="{stroke.y1}%" x2="{x}%" y2="{stroke.y2}%" />'
    if not stroke.has_ends:
        return drawn
    end = f'<path class="chart-stroke{second}" d="M-5,0 H5" />'
    ends = (f'<svg class="chart-plot" aria-hidden="true" x="{x}%" y="{y}%">{end}</svg>' for y in (stroke.y1, stroke.y2))
    return drawn + "".join(ends)


def _mark(mark: Mark, chart_id: str) -> str:
    how = _also(second=mark.provider, early=mark.is_early)
    drawn = f"{chart_id}-{mark.shape}{'-second' if mark.provider and mark.shape == Shape.WITHIN else ''}"
    ring = f'<circle class="chart-ring" cx="{mark.x}%" cy="{mark.y}%" r="11" />' if mark.is_last else ""
    return f'{ring}<use class="chart-mark is-{mark.shape}{how}" href="#{drawn}" x="{mark.x}%" y="{mark.y}%" />'


class _Told:
    """What a table says in many rows alike, in words once. What stands before each value of a row where a screen is too
    narrow for columns is of all."""

    def __init__(self) -> None:
        self.labels = tuple(f'data-label="{_said(name)}"' for name in value_rows.columns())
        self._known: dict[object, tuple[str, Row]] = {}  # with the row, for which its ranges stay where they are

    def place(self, row: Row) -> str:
        """Where it stands."""
        measured = row.measured
        mark = measured.place, measured.place_by, measured.place_words
        return self._once(mark, row, value_rows.place)

    def ranges(self, row: Row) -> str:
        """Its ranges, which a page reads once where many are alike."""
        return self._once(id(row.measured.ranges), row, value_rows.ranges)

    def _once(self, mark: object, row: Row, say: Callable[[Row], str]) -> str:
        if mark not in self._known:
            self._known[mark] = _said(say(row)), row
        return self._known[mark][0]


def _year(year: str, rows: Iterable[Row], told: _Told) -> str:
    heading = _said(year or gettext("Date not given"))
    return (
        '<tbody role="rowgroup">\n<tr role="row" class="values-year">'
        f'<th scope="rowgroup" colspan="6" role="rowheader">{heading}</th></tr>\n'
        f"{''.join(_row(row, told) for row in rows)}</tbody>"
    )


def _row(row: Row, told: _Told) -> str:
    date, *others = told.labels
    cells = (f'<td role="cell" {label}>{cell}</td>\n' for label, cell in zip(others, _cells(row, told), strict=True))
    heading = f'<th scope="row" role="rowheader" {date}>{_said(value_rows.date(row))}</th>'
    return f'<tr role="row">\n{heading}\n{"".join(cells)}</tr>\n'


def _cells(row: Row, told: _Told) -> Iterator[str]:
    """What follows the date: value, place, range, providers and notes."""
    drawn = gettext("drawn as %(value)s") % {"value": row.converted} if row.converted else ""
    yield f"<strong>{_said(value_rows.value(row))}</strong>" + (f'<p class="soft">{_said(drawn)}</p>' if drawn else "")
    yield told.place(row)
    yield told.ranges(row)
    yield _said(value_rows.providers(row))
    yield "".join(f"<p>{linebreaksbr(note)}</p>" for note in value_rows.notes(row))
