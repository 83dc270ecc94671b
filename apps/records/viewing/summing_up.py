"""The first page of the whole record: every subject with how much there is and how new it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.records.presenters import dates
from apps.records.subjects import LISTED, Subject
from apps.records.viewing.whole import Whole


@dataclass(frozen=True)
class Summary:
    """One subject. `newest` is in words, and empty where nothing has a date."""

    subject: Subject
    count: int
    newest: str


def of(whole: Whole) -> tuple[Summary, ...]:
    """Every subject in its order, those without entries as well: that nothing came is worth knowing."""
    counts = _counts(whole)
    return tuple(Summary(subject, counts.get(subject.key, 0), _newest(whole, subject)) for subject in LISTED)


def _counts(whole: Whole) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for shelf in whole.shelves:
        counts[shelf.subject] = counts.get(shelf.subject, 0) + (shelf.index.count if shelf.index else 0)
    return counts


def _newest(whole: Whole, subject: Subject) -> str:
    sent = max((shelf.index.newest for shelf in whole.of(subject) if shelf.index), default="")
    return dates.sent_date(sent)
