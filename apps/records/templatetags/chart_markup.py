"""The parts of a chart and its table that occur many times, as markup: marks, the lines between them, and rows of
values. Written here, they take a tenth of the time that a template for each takes. Numbers are ours; all other text is
escaped by `_said` or `dates_whole`, and only what is assembled from these is marked as safe."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter

from django import template
from django.template.defaultfilters import linebreaksbr
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from apps.records.charts.axes import Tick, TimeTick
from apps.records.charts.marks import Shape, drawing_of
from apps.records.charts.over_time import Band, Key, Line, Mark, OverTime, Stroke, WordTick
from apps.records.charts.rows import Row
from apps.records.templatetags import chart_words
from apps.records.templatetags.spoken_pressures import pressures_spoken
from apps.records.templatetags.whole_dates import dates_whole
from apps.records.viewing import value_rows

register = template.Library()

_said = escape


@register.simple_tag
def labels(chart: OverTime) -> SafeString:
    """The numbers at the left of a chart."""
    return _markup("".join(map(_label, chart.ticks)))


@register.simple_tag
def plotted(chart: OverTime, chart_id: str) -> SafeString:
    """A plot: the bands, the grid over them and their edges, the lines and strokes of values, and the marks on top."""
    begun = _Marks(_said(chart_id))
    written = (
        *map(_band, chart.bands),
        *map(_grid, chart.ticks),
        *map(_edges, chart.bands),
        *map(_line, chart.lines),
        *map(_stroke, chart.strokes),
        *(_mark(mark, begun) for mark in chart.marks),
    )
    return _markup("".join(written))


@register.simple_tag
def strip(chart: OverTime) -> SafeString:
    """What stands below a plot: values in words, and the dates of the axis."""
    return _markup("".join((*map(_word, chart.words), *map(_time, chart.times))))


@register.simple_tag
def shape_key(shape: str, chart_id: str) -> SafeString:
    """A mark of that shape, for a legend."""
    return _markup(_key(Key("", Shape(shape), 0), chart_id))


@register.simple_tag
def provider_key(key: Key, chart_id: str) -> SafeString:
    """How the values of a provider are drawn, for a legend."""
    return _markup(_key(key, chart_id))


@register.simple_tag
def values_table(rows: Sequence[Row], caption: str) -> SafeString:
    """A table of values: its caption, its head, and a body for each year. Empty columns are left out, and so is the
    column of providers if all rows have the same: the caption names them."""
    said, names = _Said(), value_rows.columns()
    dated = zip(rows, value_rows.dates(rows), strict=True)
    told = [(row.year, _cells(row, date, said)) for row, date in dated]
    sender = _sender_of_all([cells for _, cells in told])
    left_out = {at for at in range(_ALWAYS, len(names)) if not any(cells[at] for _, cells in told)}
    left_out |= {_PROVIDERS} if sender else set()
    columns = [(at, _said(name)) for at, name in enumerate(names) if at not in left_out]
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>\n' for _, name in columns)
    years = (_year(year, [cells for _, cells in of_it], columns) for year, of_it in groupby(told, itemgetter(0)))
    parts = (
        f'<table class="values{" is-wide" if len(columns) > _ALWAYS else ""}" role="table">',
        f"<caption>{_said(caption)}{sender}</caption>",
        f'<thead role="rowgroup">\n<tr role="row">\n{head}</tr>\n</thead>',
        *years,
        "</table>",
    )
    return _markup("\n".join(parts))


def _markup(written: str) -> SafeString:
    """Markup assembled here, which must not be escaped again."""
    return SafeString(written)  # nosec B703 - constants and numbers, with text that `_said` escaped


def _label(tick: Tick) -> str:
    placed = f'x="100%" dx="-0.6em" y="{tick.y}%" dy="0.33em" text-anchor="end"'
    return f'<text class="chart-label" {placed}>{_said(tick.label)}</text>'


def _grid(tick: Tick) -> str:
    return f'<line class="chart-grid" x1="0%" y1="{tick.y}%" x2="100%" y2="{tick.y}%" />'


def _band(band: Band) -> str:
    size = f'width="{band.width}%" height="{band.height}%"'
    return f'<rect class="chart-band" x="{band.x}%" y="{band.y}%" {size} />'


def _edges(band: Band) -> str:
    """The edges of a band, on the sides where it has a bound."""
    heights = (y for y, is_drawn in ((band.y, band.has_top), (band.bottom, band.has_bottom)) if is_drawn)
    return "".join(
        f'<line class="chart-edge" x1="{band.x}%" y1="{y}%" x2="{band.right}%" y2="{y}%" />' for y in heights
    )


def _word(word: WordTick) -> str:
    return f'<line class="chart-word" x1="{word.x}%" y1="8%" x2="{word.x}%" y2="34%" />'


def _time(time: TimeTick) -> str:
    date = _said(chart_words.tick_date(time.date))
    return (
        f'<line class="chart-grid" x1="{time.x}%" y1="0%" x2="{time.x}%" y2="14%" />'
        f'<text class="chart-label" x="{time.x}%" y="72%" text-anchor="{time.anchor}">{date}</text>'
    )


def _line(line: Line) -> str:
    how = f"{' is-dotted' if line.is_dotted else ''}{' is-second' if line.provider else ''}"
    return f'<line class="chart-line{how}" x1="{line.x1}%" y1="{line.y1}%" x2="{line.x2}%" y2="{line.y2}%" />'


def _stroke(stroke: Stroke) -> str:
    x, how = stroke.x, f"{' is-dotted' if stroke.is_early else ''}{' is-second' if stroke.provider else ''}"
    drawn = f'<line class="chart-stroke{how}" x1="{x}%" y1="{stroke.y1}%" x2="{x}%" y2="{stroke.y2}%" />'
    if stroke.is_modified:
        drawn += _placed(x, stroke.y1, _DOUBTED)
    if not stroke.has_ends:
        return drawn
    end = '<circle class="chart-end" r="4" />' if stroke.provider else '<path class="chart-stroke" d="M-5,0 H5" />'
    return drawn + "".join(_placed(x, y, end) for y in (stroke.y1, stroke.y2))


# Like the mark of that name in `charts/marks.html`, for pages where there is none to refer to.
_DOUBTED = f'<path class="chart-mark is-{Shape.DOUBTED}" d="M-6,-6 L6,6 M-6,6 L6,-6" />'


def _placed(x: float, y: float, drawn: str) -> str:
    return f'<svg class="chart-plot" aria-hidden="true" x="{x}%" y="{y}%">{drawn}</svg>'


class _Marks(dict[tuple[str, int, bool], str]):
    """The opening markup of a chart's marks, by their appearance: three hundred marks have two or three kinds."""

    def __init__(self, chart_id: str) -> None:
        super().__init__()
        self._chart_id = chart_id

    def __missing__(self, sort: tuple[str, int, bool]) -> str:
        shape, provider, is_early = sort
        how = f"{' is-second' if provider else ''}{' is-early' if is_early else ''}"
        drawing = drawing_of(Shape(shape), is_second=bool(provider))
        self[sort] = begun = f'<use class="chart-mark is-{shape}{how}" href="#{self._chart_id}-{drawing}"'
        return begun


def _mark(mark: Mark, begun: _Marks) -> str:
    x, y = mark.x, mark.y
    ring = f'<circle class="chart-ring" cx="{x}%" cy="{y}%" r="11" />' if mark.is_last else ""
    return f'{ring}{begun[mark.shape, mark.provider, mark.is_early]} x="{x}%" y="{y}%" />'


# The position of a mark with an arrow, in a key that is taller than others.
_TALL = {Shape.LESS: 35.0, Shape.MORE: 65.0}


def _key(key: Key, chart_id: str) -> str:
    if key.shape is None:
        drawn = _stroke(Stroke(50.0, 15.0, 85.0, has_ends=True, provider=key.number))
    else:
        drawn = _mark(Mark(50.0, _TALL.get(key.shape, 50.0), key.shape, key.number), _Marks(_said(chart_id)))
    return f'<svg class="chart-key{" is-tall" if key.shape in _TALL else ""}" aria-hidden="true">{drawn}</svg>'


_ALWAYS = 2  # the columns that are never left out: date and value
_PROVIDERS = 4  # the column of providers
_Column = tuple[int, str]  # the index of a cell in a row, and the column's name


class _Said:
    """Texts that many rows of a table share, put into words once."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[str, Row]] = {}  # the row keeps its ranges' id in use

    def place(self, row: Row) -> str:
        """Where its value stands in the range."""
        measured = row.measured
        mark = measured.place, measured.place_by, measured.place_words
        return self._once(mark, row, value_rows.place)

    def ranges(self, row: Row) -> str:
        """Its ranges, of which many rows share one object."""
        return self._once(id(row.measured.ranges), row, value_rows.ranges)

    def providers(self, row: Row) -> str:
        """Who sent it: five hundred values have one, two or three senders."""
        return self._once((id(row.senders),), row, value_rows.providers)

    def _once(self, mark: object, row: Row, say: Callable[[Row], str]) -> str:
        if mark not in self._known:
            self._known[mark] = _said(say(row)), row
        return self._known[mark][0]


def _cells(row: Row, date: str, said: _Said) -> tuple[str, ...]:
    """Date, value, place, range, providers and notes."""
    value = f"<strong>{pressures_spoken(_markup(_said(value_rows.value(row))))}</strong>"
    if row.is_modified:  # its notes say so in words
        value += f' <svg class="chart-key" aria-hidden="true">{_placed(50.0, 50.0, _DOUBTED)}</svg>'
    if row.converted:
        drawn = gettext("drawn as %(value)s") % {"value": row.converted}
        value += f'<p class="soft">{_said(drawn)}</p>'
    notes = "".join(f"<p>{linebreaksbr(note)}</p>" for note in value_rows.notes(row))
    return dates_whole(date), value, said.place(row), said.ranges(row), said.providers(row), notes


def _sender_of_all(told: Sequence[Sequence[str]]) -> str:
    """A line for the caption if all rows have the same providers, so that they need not be repeated in each."""
    names = {cells[_PROVIDERS] for cells in told}
    if len(names) != 1 or names == {""}:
        return ""
    said = gettext("From %(provider)s") % {"provider": names.pop()}
    return f'<span class="values-sender">{said}</span>'


def _year(year: str, rows: Iterable[Sequence[str]], columns: Sequence[_Column]) -> str:
    heading = _said(year or gettext("Date not given"))
    return (
        '<tbody role="rowgroup">\n<tr role="row" class="values-year">'
        f'<th scope="rowgroup" colspan="{len(columns)}" role="rowheader">{heading}</th></tr>\n'
        f"{''.join(_row(cells, columns) for cells in rows)}</tbody>"
    )


def _row(cells: Sequence[str], columns: Sequence[_Column]) -> str:
    """Each cell carries its column's name, for screens that are too narrow for columns."""
    (first, date), *others = columns
    heading = f'<th scope="row" role="rowheader" data-label="{date}">{cells[first]}</th>'
    rest = "".join(f'<td role="cell" data-label="{name}">{cells[at]}</td>\n' for at, name in others)
    return f'<tr role="row">\n{heading}\n{rest}</tr>\n'
