"""What a search within the record shows: the newest entries found, by subject."""

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from apps.records.presenters import absences, plain_names, visits
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.persons import relatives
from apps.records.presenters.plain_names import illnesses
from apps.records.presenting import KINDS
from apps.records.shelving import search_terms, searching, word_leaves
from apps.records.shelving.search_terms import Word
from apps.records.shelving.searching import Hit
from apps.records.subjects import LISTED, Subject
from apps.records.viewing import current_status
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.entry_list import Section
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Owner, Source, Whole
from apps.records.viewing.wording import cautions, dates_in_words, languages, provider_codes
from apps.records.viewing.wording import words as wording

LONGEST_WORDS: Final = 100
_MOST_PARTS: Final = 5
_MOST_INSTEAD: Final = 3
_PLAIN = {name.key: name for name in plain_names.NAMES}
_NO_INFORMATION: Final = "no-information"
# By keys that are not those of our names.
_BY_KIND = {kind.value: words for kind, words in (*visits.KIND_WORDS.items(), *relatives.RELATIVE_WORDS.items())}


@dataclass(frozen=True)
class InPart:
    """How many entries match these words, if none matches all; `lacking` are the others."""

    words: str
    lacking: str
    count: int


@dataclass(frozen=True)
class Found:
    """What was found, a section for each subject, newest first. `words` are as typed, and `in_part` is for when no
    entry matches all of them, apart from `months`: a search knows only the year of a date. `meant` are medical terms
    for the words, and `instead` what may have been meant if some words occur nowhere; `lists`, `years` and `sources`
    are pages to which the words may refer; `searched` is how many entries were looked through, and `passed_over` names
    the providers with entries that could not be."""

    words: str
    count: int
    searched: int
    sections: tuple[Section, ...]
    in_part: tuple[InPart, ...] = ()
    months: str = ""
    meant: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    lists: tuple[Subject, ...] = ()
    years: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more was found than is shown."""
        return self.count > searching.MOST

    @property
    def whole_lists(self) -> int:
        """The number of pages to which the words may refer."""
        return len(self.lists) + len(self.years) + len(self.sources)


def of(whole: Whole, words: str, *, owner: Owner | None = None) -> Found:
    """Search for all these words. `owner` is the person to whose record it is restricted, if there are several. Raises
    as `searching.find` does."""
    words = " ".join(words[:LONGEST_WORDS].split())
    asked = search_terms.read(words)
    if not asked:  # it would find everything
        return Found("", 0, 0, ())
    providers = {pk: search_terms.parts(normalized(_of(source, owner))) for pk, source in whole.sources.items()}
    found = searching.find(whole.shelves, asked, whole.ring, providers=providers)
    by_subject: dict[str, list[Hit]] = defaultdict(list)
    for hit in found.newest:
        by_subject[hit.shelf.subject].append(hit)
    sections = (
        Section(str(subject.name), _rows(whole, by_subject[subject.key]))
        for subject in LISTED
        if subject.key in by_subject
    )
    months = [word for word in asked if word.is_month and not any(word in true for true in found.counts)]
    in_part = tuple(_in_part(found.counts, [word for word in asked if word not in months]))
    passed_over = dict.fromkeys(whole.sources[shelf.connection_id].provider for shelf in found.passed_over)
    named = [pk for pk, parts in providers.items() if any(search_terms.names_provider(word, parts) for word in asked)]
    return Found(
        words=words,
        count=found.count,
        searched=found.searched,
        sections=tuple(sections),
        in_part=in_part,
        months=_typed(months),
        meant=_meant(asked, {hit.plain for hit in found.newest}) if found.count and not in_part else (),
        instead=_instead(asked, found.near),
        passed_over=tuple(passed_over),
        lists=tuple(subject for subject in LISTED if any(search_terms.names_list(word, subject.key) for word in asked)),
        years=_years(whole, asked) if in_part or months or not found.count else (),
        sources=tuple(whole.sources[pk] for pk in named) if not found.count else (),
    )


def _of(source: Source, owner: Owner | None) -> str:
    """The provider and, if a reader has records of several people, whose record it has."""
    return f"{source.clinic} {owner.name if owner else source.person}"


def _in_part(counts: Mapping[tuple[Word, ...], int], asked: Sequence[Word]) -> Iterator[InPart]:
    """The largest number first; nothing for entries that match every word."""
    for true, count in sorted(counts.items(), key=itemgetter(1), reverse=True)[:_MOST_PARTS]:
        if lacking := [word for word in asked if word not in true]:
            yield InPart(_typed(true), _typed(lacking), count)


def _typed(words: Iterable[Word]) -> str:
    return " ".join(word.typed for word in words)


def _meant(asked: Iterable[Word], shown: Collection[str]) -> tuple[str, ...]:
    """The terms of our names that contain all these words, among the names shown; words that are in none of our names
    are ignored. A word also matches inside a longer one, as flu does in reflux: so names that are not shown are left
    out."""
    words = [word for word in asked if word.keys]
    called = [name for name in plain_names.NAMES if name.key in shown] if words else []
    names = [name for name in called if all(word.means(name.key) for word in words)][:3]
    terms = dict.fromkeys(term for name in names for term in name.terms)
    return tuple(term for term in terms if not all(word.is_in(normalized(term).encode()) for word in words))[:5]


def _instead(asked: Iterable[Word], near: Mapping[Word, Sequence[str]]) -> tuple[str, ...]:
    """The whole search, with the nearest words in place of those that occur nowhere."""
    told = map(" ".join, itertools.product(*(near.get(word, (word.typed,)) for word in asked))) if near else ()
    return tuple(itertools.islice((words for words in told if len(words) <= LONGEST_WORDS), _MOST_INSTEAD))


def _years(whole: Whole, asked: Iterable[Word]) -> tuple[str, ...]:
    held = {year for shelf in whole.shelves if shelf.index is not None for year in shelf.index.years}
    return tuple(word.text for word in asked if word.year and word.text in held)


def _rows(whole: Whole, hits: Iterable[Hit]) -> tuple[Row, ...]:
    """In their order, each thing of a person once; several entries from one connection are several things. The others
    were not opened: each keeps a link to its own page, under the first."""
    told: dict[tuple[str, ...], list[dict[UUID, Row]]] = defaultdict(list)
    heads: list[dict[UUID, Row]] = []
    for hit in hits:
        row, connection_id = _row(whole, hit), hit.shelf.connection_id
        called = row.title.casefold(), row.theirs.casefold()
        of_it = (row.person, *called, row.when, hit.standing.status, hit.standing.group)
        is_named = hit.title or hit.plain in _PLAIN or illnesses.read_key(hit.plain)
        alike = told[of_it] if hit.when and is_named else []  # without a date or a name, others may be something else
        head = next((rows for rows in alike if connection_id not in rows), None)
        if head is None:
            head = {}
            heads.append(head)
            alike.append(head)
        head[connection_id] = row
    return tuple(replace(first, others=tuple(others)) for first, *others in (rows.values() for rows in heads))


def _row(whole: Whole, hit: Hit) -> Row:
    """What its list would say about it, except what is only in its leaf there."""
    source = whole.sources[hit.shelf.connection_id]
    title, theirs = _names(hit)
    return Row(
        record=hit.record,
        subject=hit.shelf.subject,
        title=title,
        theirs=theirs,
        when_label="" if dates_in_words.says_itself(hit.when) else dates_in_words.of_meaning(hit.standing.means),
        when="" if dates_in_words.is_of_no_day(hit.standing.kind, hit.when) else dates_in_words.in_words(hit.when),
        year="",
        group=hit.standing.group,
        status=_status(hit, at=whole.at),
        details=tuple(filter(None, (cautions.in_short(is_modified=hit.standing.is_modified),))),
        providers=(source.provider,),
        clinics=(source.name,),
        person=source.person,
        language=languages.of(hit.standing.language),
        is_called_by_them=rows.is_in_their_words(title, hit.title),
    )


def _status(hit: Hit, *, at: datetime) -> str:
    if not hit.standing.kind:  # an earlier release did not store the status
        return ""
    return wording.of_status(current_status.of(_entry(hit), at))


def _entry(hit: Hit) -> Entry:
    """The entry, as far as a search knows it."""
    kind = KINDS.get(hit.standing.kind)
    if kind is None:
        return Entry(title=hit.title, when=hit.when)
    resource_type, code = word_leaves.read_kind(hit.plain) or ("", "")
    return kind(
        resource_type=resource_type,
        title=hit.title,
        codes=(Code(code=code),) if code else (),
        when=hit.when,
        status=hit.standing.status,
        group=hit.standing.group,
        says_no_information=hit.standing.group == _NO_INFORMATION,
    )


def _names(hit: Hit) -> tuple[str, str]:
    """What to call it: our plain name, and the provider's if that differs. Never empty."""
    plain = _PLAIN.get(hit.plain)
    absence = absences.read_key(hit.plain)
    ours = str(plain.words) if plain else ", ".join(map(illnesses.name_of, illnesses.read_key(hit.plain)))
    ours, theirs = str(absences.WORDS[absence]) if absence else ours, hit.title
    if ours and theirs:
        return ours, theirs if theirs.casefold() != ours.casefold() else ""
    called = ours or str(_BY_KIND.get(hit.plain, ""))
    if not called:
        return rows.names(_entry(hit))
    return provider_codes.told(theirs) or called, ""
