"""The parts of record pages that occur many times, as markup: rows of entries, and links. Fifty rows are most of the
work for a page; written here, they take a tenth of the time that a template for each takes. All text is escaped by
`_said` or `dates_whole`, and only what is assembled from that is marked as safe."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from html import escape

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from apps.records import counts
from apps.records.presenters.entry import Entry
from apps.records.presenters.persons.contact_points import ContactPoint
from apps.records.subjects import CONDITIONS, Subject
from apps.records.templatetags import telephones
from apps.records.templatetags.record_words import in_a_row, subject_name
from apps.records.templatetags.spoken_pressures import pressures_spoken
from apps.records.templatetags.whole_dates import dates_whole
from apps.records.viewing.listing.entry_list import Section
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.subject_summaries import Summary
from apps.records.viewing.wording import languages, long_names

register = template.Library()

_said = escape
_FEW = 2  # further entries of the same thing that are not collapsed
_LONGEST_NAME = 90  # for a page on which such names are a small part


@register.simple_tag
def sections_of_rows(sections: Iterable[Section], of_one: str = "", *, show_subject: bool = False) -> SafeString:
    """The sections of a list, each with its heading. `show_subject`: each row names its subject. Here and below,
    `of_one` is the end of addresses that keeps them to one person's record (`queries.kept`)."""
    found = tuple(sections)
    written = []
    alike = _Alike(of_one)
    for section in found:
        listed = _list(section.rows, alike, show_subject=show_subject)
        if section.closed:
            written.append(_closed(section, listed))
            continue
        if section.heading or len(found) > 1:
            written.append(f'<h2 class="group">{_said(section.heading or gettext("Without a date"))}</h2>')
        written.append(listed)
    return _markup("\n".join(written))


@register.simple_tag
def rows_under_a_heading(rows: Iterable[Row], of_one: str = "", *, show_subject: bool = False) -> SafeString:
    """The same for rows whose heading is on the page already."""
    return _markup(_list(rows, _Alike(of_one), show_subject=show_subject))


@register.simple_tag
def entry_row(row: Row, of_one: str = "") -> SafeString:
    """One row, for a list with its own heading."""
    return _markup(_row(row, _Alike(of_one)))


@register.simple_tag
def names_of_rows(rows: Iterable[Row], of_one: str = "", *, is_dated: bool = False) -> SafeString:
    """The names of a few rows, each on a line in a list of facts; with `is_dated`, also their dates."""
    alike = _Alike(of_one)
    return _markup("\n".join(_name(row, alike, is_dated=is_dated) for row in rows))


@register.simple_tag
def own_words(entry: Entry) -> frozenset[str]:
    """The provider's words in an entry, if they are in another language than the page: for `said_by_them`."""
    return languages.theirs(entry) if languages.of(entry.language) else frozenset()


@register.simple_tag
def fact_line(line: str, language: str, words: frozenset[str], entry: Entry) -> SafeString:
    """A line of a fact as from `said_by_them`, with its entry's telephone numbers as links that call them."""
    return telephones.to_call(said_by_them(line, language, words), telephones.of(entry))


@register.simple_tag
def reached_line(reached: ContactPoint) -> SafeString:
    """How to reach a person or a place, on one line."""
    number = telephones.link(reached.number) if reached.number else ""
    return _markup(" · ".join(filter(None, (_said(reached.name), _said(reached.address), number))))


@register.simple_tag
def said_by_them(line: str, language: str, words: frozenset[str]) -> SafeString:
    """A line with the provider's words marked, if `language` says that they are in another language than the page."""
    if not language:
        return pressures_spoken(dates_whole(line))
    parts = languages.parted(line, words)
    told = (_in_language(language, part) if own else pressures_spoken(dates_whole(part)) for part, own in parts)
    return _markup("".join(told))


@register.simple_tag
def subject_links(subjects: Iterable[Subject], shown: Subject | str | None, of_one: str = "") -> SafeString:
    """Links to the lists of a record; `shown` may be one of them."""
    around = _around_subject(of_one)
    written = []
    for subject in subjects:
        current = ' aria-current="page"' if subject == shown else ""
        address = _said(subject.key.join(around))
        written.append(f'<li><a href="{address}"{current}>{_said(str(subject.name))}</a></li>')
    return _markup("\n".join(written))


@register.simple_tag
def summary_rows(summaries: Iterable[Summary], of_one: str = "") -> SafeString:
    """The lists of a record as rows, each with a summary of its entries."""
    around = _around_subject(of_one)
    return _markup(
        "\n".join(
            f'<li><a class="row-link" href="{_said(summary.subject.key.join(around))}"><div>'
            f'<span class="row-title">{_said(str(summary.subject.name))}</span>\n{_summary(summary)}</div></a></li>'
            for summary in summaries
        )
    )


def _markup(written: str) -> SafeString:
    """Markup assembled here, which must not be escaped again."""
    return SafeString(written)  # nosec B703 - constants, with text that `_said` escaped


def _around_subject(of_one: str) -> tuple[str, str]:
    """The parts of a list's address before and after the key of its subject, in which alone lists differ."""
    before, _mark, after = reverse("subject", args=["-"]).rpartition("-")
    return before, after + of_one


class _Alike:
    """What the rows of a page share, written once: the addresses of entries, which differ only in one number, the names
    of their subjects, and texts that several rows have, such as a provider's name."""

    def __init__(self, of_one: str = "") -> None:
        self._around: dict[str, tuple[str, str]] = {}
        self._of_one = of_one
        self._parts: dict[str, str] = {}
        self._details: dict[str, str] = {}
        self._subjects: dict[str, str] = {}

    @cached_property
    def dated(self) -> str:
        """The pattern for a label with a date."""
        return gettext("%(label)s %(date)s")

    def subject(self, row: Row) -> str:
        if row.subject not in self._subjects:
            self._subjects[row.subject] = subject_name(row.subject)
        return self._subjects[row.subject]

    def address(self, row: Row) -> str:
        around = self._around.get(row.subject)
        if around is None:
            before, _number, after = reverse("entry", args=[row.subject, 0]).rpartition("0")
            around = self._around[row.subject] = _said(before), _said(after + self._of_one)
        return f"{around[0]}{row.record}{around[1]}"

    def detail(self, row: Row, said: str) -> str:
        """One detail in its own element."""
        if row.language:  # other words on the row are the provider's
            return _detail(said_by_them(said, row.language, row.own_words))
        detail = self._details.get(said)
        if detail is None:
            detail = self._details[said] = _detail(said_by_them(said, "", frozenset()))
        return detail

    def in_parts(self, parts: Iterable[str]) -> str:
        """The parts of one line, each in its own element: if there is no room for all of them, the line breaks between
        two, and not within a date or a provider's name. The dot before a part is invisible at the start of a line."""
        return f"<span>{'</span> <span><span>· </span>'.join(map(self._part, parts))}</span>"

    def _part(self, said: str) -> str:
        part = self._parts.get(said)
        if part is None:
            part = self._parts[said] = dates_whole(said)
        return part


def _list(rows: Iterable[Row], alike: _Alike, *, show_subject: bool) -> str:
    return f'<ul class="rows">{"".join(_row(row, alike, show_subject=show_subject) for row in rows)}</ul>'


def _closed(section: Section, listed: str) -> str:
    count = ngettext("%(n)s entry", "%(n)s entries", section.closed) % _number(section.closed)
    heading = f'<h2>{_said(section.heading)} <span class="row-detail">{_said(count)}</span></h2>'
    return f'<details class="group"><summary>{heading}</summary>{listed}</details>'


def _row(row: Row, alike: _Alike, *, show_subject: bool = False) -> str:
    theirs = f' <span class="theirs">({_in_its_language(row.theirs, row)})</span>' if _has_its_own_words(row) else ""
    title = _in_its_language(row.title, row) if row.is_called_by_them else _said(row.title)
    return (
        f'<li><a class="row-link" href="{alike.address(row)}"><div>'
        f'<span class="row-title name">{title}{theirs}</span>\n{_said_of(row, alike, show_subject=show_subject)}'
        f"{_listed_by(row)}</div></a>{_others(row, alike)}</li>\n"
    )


def _said_of(row: Row, alike: _Alike, *, show_subject: bool) -> str:
    """What the row says below its name. Who and where have their own lines if they stand after the date."""
    behind = [detail for detail in row.details if detail in row.behind]
    dated = list(_dated(row, alike, show_subject=show_subject)) if behind else []
    if not dated:
        return f"{_details(row, row.details, alike)}\n{_line(_beneath(row, alike, show_subject=show_subject), alike)}"
    first = _details(row, [detail for detail in row.details if detail not in row.behind], alike)
    return f"{first}\n{_line(dated, alike)}{_details(row, behind, alike)}\n{_line(_sent(row), alike)}"


def _details(row: Row, details: Iterable[str], alike: _Alike) -> str:
    return "".join([alike.detail(row, detail) for detail in details])


def _detail(said: str) -> str:
    return f'<span class="row-said">{said}</span>'


def _line(parts: Iterable[str], alike: _Alike) -> str:
    return f'<span class="row-detail parts">{alike.in_parts(parts)}</span>'


def _in_its_language(words: str, row: Row) -> str:
    """A provider's words, marked if they are in another language than the page (WCAG 3.1.2)."""
    return _in_language(row.language, words) if row.language else _said(words)


def _in_language(language: str, words: str) -> str:
    return f'<span lang="{_said(language)}" dir="auto">{_said(words)}</span>'


def _has_its_own_words(row: Row) -> bool:
    """Whether the provider's name adds something to ours: not if ours ends with the whole of it in brackets, as in
    "Irregular heartbeat (atrial fibrillation)". Containing a word of it is not enough: "stroke" in "passing signs of a
    stroke" means something else."""
    return bool(row.theirs) and not row.title.casefold().endswith(f"({row.theirs.casefold()})")


def _name(row: Row, alike: _Alike, *, is_dated: bool) -> str:
    title = long_names.cut(row.title, _LONGEST_NAME)
    person = f' <span class="soft">({_said(row.person)})</span>' if row.person else ""
    when = f' <span class="row-detail">{dates_whole(row.when)}</span>' if is_dated else ""
    details = "".join(f" <strong>{_said(detail)}</strong>" for detail in row.details)
    theirs = long_names.cut("; ".join(_own_words(row)), _LONGEST_NAME)
    beside = f' <span class="theirs">({_in_its_language(theirs, row)})</span>' if theirs else ""
    said = _in_its_language(title, row) if row.is_called_by_them else _said(title)
    return f'<dd><a href="{alike.address(row)}">{said}{beside}</a>{person}{when}{details}</dd>'


def _own_words(row: Row) -> tuple[str, ...]:
    """All names that providers use for a condition in this row: its code may be wrong, and then our name is wrong as
    well."""
    told = (row, *row.others) if row.subject == CONDITIONS.key else ()
    return tuple(dict.fromkeys(one.theirs for one in told if _has_its_own_words(one)))


def _summary(summary: Summary) -> str:
    if summary.count is None:
        return ""
    return f'<span class="row-detail parts">{_Alike().in_parts(_summed_up(summary, summary.count))}</span>'


def _summed_up(summary: Summary, count: int) -> Iterator[str]:
    if not count:
        yield gettext("Nothing yet") if summary.is_arriving else gettext("No entries here. See why.")
        return
    if summary.is_arriving:
        yield ngettext("%(n)s entry so far", "%(n)s entries so far", count) % _number(count)
    else:
        yield ngettext("%(n)s entry", "%(n)s entries", count) % _number(count)
    if summary.newest:
        yield gettext("newest %(date)s") % {"date": summary.newest}


def _beneath(row: Row, alike: _Alike, *, show_subject: bool) -> Iterator[str]:
    """The parts of a row's last line."""
    yield from _dated(row, alike, show_subject=show_subject)
    yield from _sent(row)


def _dated(row: Row, alike: _Alike, *, show_subject: bool) -> Iterator[str]:
    """Its subject if wanted, its status and its date."""
    if show_subject:
        yield alike.subject(row)
    if row.status and row.status != row.when_label:
        yield row.status
    if row.when_label:
        yield alike.dated % {"label": row.when_label, "date": row.when}
    elif row.when:  # an entry that cannot be read has no known date
        yield row.when


def _sent(row: Row) -> Iterator[str]:
    """Who sent it, and how many values there are."""
    if len(row.providers) > 1:
        yield gettext("From %(providers)s") % {"providers": in_a_row(row.providers)}
    else:
        yield row.providers[0]
    if row.of_its_test > 1:
        yield ngettext("%(n)s value", "%(n)s values", row.of_its_test) % _number(row.of_its_test)


def _listed_by(row: Row) -> str:
    if not row.others or row.listed_by <= len(row.providers):
        return ""
    said = gettext("%(n)s providers list this") % _number(row.listed_by)
    return f'<span class="row-detail">{_said(said)}</span>'


def _others(row: Row, alike: _Alike) -> str:
    """Further entries of the same thing, collapsed if there are several."""
    if not row.others:
        return ""
    listed = f"<ul>{''.join(_other(other, row, alike) for other in row.others)}</ul>"
    if len(row.others) <= _FEW:
        return f'<div class="under">{listed}</div>'
    more = len(row.others)
    count = ngettext("%(n)s more entry of this", "%(n)s more entries of this", more) % _number(more)
    whose = f'<span class="visually-hidden">: {_said(row.title)}</span>'
    return f'<details class="under"><summary>{_said(count)}{whose}</summary>{listed}</details>'


@register.filter
def name_beside(other: Row, row: Row) -> str:
    """The name of a further entry of the same thing, if its row does not have it."""
    if other.theirs and other.theirs != row.theirs:
        return other.theirs
    return other.title if other.title != row.title else ""


@register.filter
def details_beside(other: Row, row: Row) -> tuple[str, ...]:
    """The details of such an entry, if its row does not have the same."""
    return other.details if other.details != row.details else ()


def _other(other: Row, row: Row, alike: _Alike) -> str:
    named, said = name_beside(other, row), details_beside(other, row)
    is_theirs = named == other.theirs or other.is_called_by_them
    own = _in_its_language(named, other) if is_theirs else _said(named)
    theirs = (said_by_them(each, other.language, other.own_words) for each in said)
    told = (*((own,) if named else ()), *theirs)
    spans = "\n".join(f"<span>{one}</span>" for one in told)
    parts = f'<span class="parts">{alike.in_parts(_beneath(other, alike, show_subject=False))}</span>'
    return f'<li><a href="{alike.address(other)}">{parts}</a>\n{spans}</li>'


def _number(number: int) -> dict[str, str]:
    return {"n": counts.grouped(number)}
