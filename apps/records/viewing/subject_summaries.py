"""The summaries on Home: for every subject, how many entries there are, and how recent they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from apps.records.presenters.datatypes import dates
from apps.records.shelving import arranging, reading
from apps.records.shelving.indexing import MOST_ROWS
from apps.records.subjects import ALLERGIES, CONDITIONS, DOCUMENTS, HISTORY, LISTED, MEDICINES, RESULTS, VITALS, Subject
from apps.records.viewing.opening.whole import Whole
from apps.vault.errors import VaultError
from apps.wire import datetimes

# What must have happened already: a date in the future is a mistake, and does not make an entry the newest.
_BEHIND_US: Final = frozenset(
    one.key for one in (ALLERGIES, CONDITIONS, DOCUMENTS, HISTORY, MEDICINES, RESULTS, VITALS)
)


@dataclass(frozen=True)
class Summary:
    """One subject. `newest` is in words, and empty if nothing has a date, or only impossible ones. `count` is None if
    it is not known because some of it does not open, and for a subject that a first page must not mention, as somebody
    may look over a shoulder there. `is_arriving`: a first copy is under way, and may bring more."""

    subject: Subject
    count: int | None
    newest: str
    is_arriving: bool = False


def of(whole: Whole) -> tuple[Summary, ...]:
    """Every subject in its order, including those without entries: it is worth knowing that nothing came."""
    unread = {shelf.subject for shelf in whole.shelves if shelf.index is None}
    counts = _counts(whole)
    return tuple(
        Summary(subject, None, "")
        if subject is HISTORY or subject.key in unread
        else Summary(subject, counts.get(subject.key, 0), _newest(whole, subject), _is_arriving(whole, subject))
        for subject in LISTED
    )


def _is_arriving(whole: Whole, subject: Subject) -> bool:
    return any(source.is_arriving for source in whole.sources_of([subject]).values())


def _counts(whole: Whole) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for shelf in whole.shelves:
        counts[shelf.subject] = counts.get(shelf.subject, 0) + (shelf.index.count if shelf.index else 0)
    return counts


def _newest(whole: Whole, subject: Subject) -> str:
    indexes = [shelf.index for shelf in whole.of(subject) if shelf.index]
    sent = max((index.newest for index in indexes), default="")
    parsed = datetimes.parse(sent) if sent else None
    latest = (whole.at + timedelta(days=1)).date()
    if subject.key not in _BEHIND_US or parsed is None or parsed.first_day <= latest:
        return dates.sent_date(sent)
    return dates.sent_date(_possible(whole, subject, latest))


def _possible(whole: Whole, subject: Subject, latest: date) -> str:
    """The newest possible date, as sent, if impossible ones stand before it. It is on the first leaf, unless all dates
    of that leaf are mistaken."""
    found = [shelf for shelf in whole.of(subject) if shelf.index]
    try:
        rows = reading.window(found, {subject.key: arranging.dated_arrangement(subject)}, 0, MOST_ROWS, whole.ring)
    except (reading.Outdated, VaultError):  # the rest of the page says so
        return ""
    for entry in (row.entry for row in rows if row.entry is not None):
        sent = entry.when.starts or entry.when.ends
        parsed = datetimes.parse(sent)
        if parsed is not None and parsed.first_day <= latest:
            return sent
    return ""
