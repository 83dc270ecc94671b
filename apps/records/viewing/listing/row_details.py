"""What a row says besides name, date and status, for entries whose page does not ask first."""

from collections.abc import Iterable, Iterator
from functools import partial

from django.utils.translation import gettext, ngettext

from apps.records import counts
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations import results
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.viewing.facts import in_rows, labels
from apps.records.viewing.facts.in_rows import Known
from apps.records.viewing.wording import cautions, file_kinds, other_kinds, values_in_words


def of(entry: Entry) -> tuple[str, ...]:
    """The details in their order; some may be empty."""
    first, behind = parted(entry, Known())
    return (*first, *behind)


def parted(entry: Entry, known: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The details in two parts, with `known` as in `in_rows.of`: those before the date, and who and where after it, for
    entries that people recognize by date rather than by those."""
    first = tuple(_first(entry, known))
    return first, tuple(_behind(entry, first, known))


def _first(entry: Entry, known: Known) -> Iterator[str]:
    yield cautions.of(entry)
    if isinstance(entry, ResultEntry):
        yield values_in_words.of_result(entry)
        yield values_in_words.of_place(entry)
        if entry.at_home:
            yield gettext("Measured at home")
        return
    yield "" if not entry.title and other_kinds.named(entry) else other_kinds.said(entry)  # else its name
    said = in_rows.of(entry, known)
    yield from said
    if isinstance(entry, ReportEntry) and entry.results:
        count = len(entry.results)
        yield known.once((_counted, count), partial(_counted, count))
    if isinstance(entry, QuestionnaireEntry) and entry.lines:
        yield ngettext("%(n)s question", "%(n)s questions", entry.questions) % {"n": counts.grouped(entry.questions)}
    if "people" not in labels.behind_in_rows(type(entry).__name__):
        yield _people(entry, said)


def _behind(entry: Entry, first: Iterable[str], known: Known) -> Iterator[str]:
    said = list(first)
    for name in labels.behind_in_rows(type(entry).__name__):
        if not getattr(entry, name, None):  # as most are
            continue
        if name == "people":
            told: tuple[str, ...] = (_people(entry, said),)
        elif isinstance(entry, DocumentEntry) and name == "files":
            told = (file_kinds.of_files(entry.files, known.language),)
        else:
            told = in_rows.of_fields(entry, [name], known)
        said += told
        yield from told


def _people(entry: Entry, said: Iterable[str]) -> str:
    """The first two people, except those whom it names anyway: a visit says who took part, and as what."""
    if not entry.people:
        return ""
    named = f", {', , '.join(said).replace(' · ', ', ')}, "
    return ", ".join([one for one in entry.people[:2] if f", {one}, " not in named and one != entry.title])


def _counted(count: int) -> str:
    if count >= results.MOST_RESULTS:
        return gettext("%(count)s results or more") % {"count": counts.grouped(count)}
    return ngettext("%(count)s result", "%(count)s results", count) % {"count": counts.grouped(count)}
