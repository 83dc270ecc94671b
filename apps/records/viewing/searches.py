"""What a search within the record shows: the newest entries found, by subject."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from apps.records.presenters import dates, family, plain_names, visits
from apps.records.shelving import searching
from apps.records.shelving.searching import Hit
from apps.records.subjects import LISTED, Subject
from apps.records.viewing.whole import Whole

LONGEST_WORDS: Final = 100
_PLAIN = {name.key: name for name in plain_names.NAMES}
# By keys that no name of ours has.
_BY_KIND = {kind.value: words for kind, words in (*visits.KIND_WORDS.items(), *family.RELATIVE_WORDS.items())}


@dataclass(frozen=True)
class Line:
    """One entry that was found. `others` are entries of the same name and date that came by other connections: nothing
    of them was opened, so that each keeps a way to its own page."""

    record: int
    title: str
    when: str
    provider: str
    others: tuple["Line", ...] = ()


@dataclass(frozen=True)
class Group:
    """What was found of one subject, newest first."""

    subject: Subject
    hits: tuple[Line, ...]


@dataclass(frozen=True)
class Found:
    """`words` as asked; `meant` what they also mean to a laboratory; `searched` how many entries were looked
    through, and `passed_over` the providers of whose entries some could not be, by name."""

    words: str
    count: int
    searched: int
    groups: tuple[Group, ...]
    meant: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more was found than is shown."""
        return self.count > searching.MOST


def of(whole: Whole, words: str) -> Found:
    """Look for all these words. Raises as `searching.find` does."""
    words = " ".join(words[:LONGEST_WORDS].split())
    if not searching.words_of(words):  # it would find everything
        return Found("", 0, 0, ())
    found = searching.find(whole.shelves, words, whole.ring)
    by_subject: dict[str, list[Hit]] = defaultdict(list)
    for hit in found.newest:
        by_subject[hit.shelf.subject].append(hit)
    groups = (Group(subject, _lines(whole, by_subject[subject.key])) for subject in LISTED if subject.key in by_subject)
    meant = _meant(words) if found.count else ()
    passed_over = dict.fromkeys(whole.sources[shelf.connection_id].provider for shelf in found.passed_over)
    return Found(words, found.count, found.searched, tuple(groups), meant, tuple(passed_over))


def _meant(words: str) -> tuple[str, ...]:
    names = plain_names.meant_by(words)[:3]
    terms = dict.fromkeys(term for name in names for term in name.terms if words.casefold() not in term.casefold())
    return tuple(terms)[:5]


def _lines(whole: Whole, hits: Iterable[Hit]) -> tuple[Line, ...]:
    """In their order, each thing of a person once; what one connection sent several times is several things."""
    told: dict[tuple[str, str, str], list[dict[UUID, Line]]] = defaultdict(list)
    heads: list[dict[UUID, Line]] = []
    for hit in hits:
        line, connection_id = _line(whole, hit), hit.shelf.connection_id
        of_it = whole.sources[connection_id].person, line.title.casefold(), line.when
        is_named = hit.title or hit.plain in _PLAIN
        alike = told[of_it] if line.when and is_named else []  # others may be something else
        head = next((lines for lines in alike if connection_id not in lines), None)
        if head is None:
            head = {}
            heads.append(head)
            alike.append(head)
        head[connection_id] = line
    return tuple(replace(first, others=tuple(others)) for first, *others in (lines.values() for lines in heads))


def _line(whole: Whole, hit: Hit) -> Line:
    source = whole.sources[hit.shelf.connection_id]
    return Line(hit.record, _title(hit), dates.sent_date(hit.when), source.provider)


def _title(hit: Hit) -> str:
    """What to call it: plainly, with what the provider calls it where that is something else. Never nothing."""
    plain = _PLAIN.get(hit.plain)
    ours, theirs = str(plain.words) if plain else "", hit.title
    if ours and theirs and ours.casefold() != theirs.casefold():
        return f"{ours} ({theirs})"
    return theirs or ours or str(_BY_KIND.get(hit.plain, "")) or gettext("Unnamed entry")
