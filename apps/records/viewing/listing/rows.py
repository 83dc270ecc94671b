"""One row of a list: what an entry is called, what matters most about it, and where it comes from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

import msgspec
from django.utils.translation import gettext
from msgspec.structs import replace

from apps.records import senders
from apps.records.presenters import absences, date_meanings, grave_news, plain_names
from apps.records.presenters.care_plans import PLAIN_WORDS, CarePlanEntry
from apps.records.presenters.datatypes.dates import Calendar
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.immunizations import ImmunizationEntry
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.presenters.sensitivity import grave_entries
from apps.records.presenters.visits import VisitEntry
from apps.records.senders import Sender
from apps.records.shelving import arranging
from apps.records.shelving.reading import Shelved
from apps.records.viewing import current_status
from apps.records.viewing.facts.in_rows import Known
from apps.records.viewing.listing import duplicates, row_details
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import (
    cautions,
    dates_in_words,
    languages,
    other_kinds,
    provider_codes,
    remarks,
    words,
)


class RowFile(msgspec.Struct, frozen=True, gc=False):
    """A file that a row leads to. `kind` tells it from the others of this row, with its size if that was sent; empty if
    there are no others."""

    address: str
    title: str
    kind: str


class Row(msgspec.Struct, frozen=True, gc=False):
    """`title` is our plain name, else the provider's; `theirs` is the provider's if ours comes first. `providers` has
    more than one if several sent the same entry. `others` are further entries of the same thing, newest first, if a
    list has one row for it (`folding`)."""

    record: int
    subject: str
    title: str
    theirs: str
    when_label: str
    when: str
    year: str
    group: str
    status: str
    details: tuple[str, ...]
    providers: tuple[str, ...]
    clinics: tuple[str, ...] = ()  # the same, regardless of how they were read
    sent: int = 1  # how many entries it represents
    of_its_test: int = 0
    others: tuple["Row", ...] = ()
    person: str = ""  # whose it is, if the record is of several people
    language: str = ""  # of the provider's words, if it differs from the page's
    own_words: frozenset[str] = frozenset()  # those words, if so
    is_called_by_them: bool = False  # the title is in the provider's words
    behind: frozenset[str] = frozenset()  # the details that stand after the date
    files: tuple[RowFile, ...] = ()  # on pages that link them beside their entry

    @property
    def listed_by(self) -> int:
        """How many providers list it."""
        return len({clinic for row in (self, *self.others) for clinic in row.clinics or row.providers})


def of(shelved: Sequence[Shelved], sources: Mapping[UUID, Source], *, at: datetime | None = None) -> tuple[Row, ...]:
    """The rows of a page, in its order. What two providers sent alike is one row if code, date and value are equal. So
    is what one provider sent alike in two ways, even without code or date."""
    return tuple(row for _shelved, row in paired(shelved, sources, at=at))


def paired(
    shelved: Sequence[Shelved],
    sources: Mapping[UUID, Source],
    *,
    at: datetime | None = None,
    has_details: bool = True,
    on_paper: bool = False,
    for_others: bool = False,
) -> list[tuple[Shelved, Row]]:
    """The same, each row with the entry it was made from. With `at`, rows show their status at that time, and what is
    odd about them (`remarks`), given the birth date of their person. Without `has_details`, they have only name, date
    and status. Rows `on_paper` link to no page of their own, and rows `for_others` to none that only the owner may
    open."""
    told = partial(_remarked, alike=_Alike(on_paper=on_paper, for_others=for_others), at=at, has_details=has_details)
    now = [each if at is None else current_status.of_shelved(each, at) for each in shelved]
    if len(sources) > 1:
        rows = _each_once(now, sources, told, duplicates.AtHand(shelved, sources))
    else:  # nobody repeats another
        rows = [(one, told(one, sources[one.connection_id])) for one in now]
    return [(one, _without_its_clinic(row, one.entry, sources[one.connection_id])) for one, row in rows]


def _each_once(
    shelved: Iterable[Shelved],
    sources: Mapping[UUID, Source],
    told: Callable[[Shelved, Source], Row],
    page: duplicates.AtHand,
) -> list[tuple[Shelved, Row]]:
    """Entries that were sent more than once, as one row."""
    rows: list[tuple[Shelved, Row]] = []
    sent_by: list[set[UUID]] = []  # the connections of each row: two entries from one of them are two things
    for one in shelved:
        source = sources[one.connection_id]
        near = range(max(len(rows) - 5, 0), len(rows))
        theirs = (
            place
            for place in near
            if rows[place][1].person == source.person and one.connection_id not in sent_by[place]
        )
        known = ((place, duplicates.standing_for_both(rows[place][0], one, page)) for place in theirs)
        place, stands = next(((place, stands) for place, stands in known if stands is not None), (-1, None))
        if stands is None:
            sent_by.append({one.connection_id})
            rows.append((one, told(one, source)))
            continue
        sent_by[place].add(one.connection_id)
        other, row = rows[place]
        standing_row = row if stands is other else told(one, source)
        rows[place] = stands, _of_both(standing_row, row, source, sources, sent=len(sent_by[place]))
    return rows


def _of_both(stands: Row, row: Row, source: Source, sources: Mapping[UUID, Source], *, sent: int) -> Row:
    """The remaining row of two, with the providers of both."""
    return replace(
        stands,
        providers=_together((*row.providers, source.provider), sources),
        clinics=(*row.clinics, source.name),
        sent=sent,
    )


def _remarked(one: Shelved, source: Source, *, alike: "_Alike", at: datetime | None, has_details: bool) -> Row:
    row = _row(one, source, alike, has_details=has_details)
    if at is None or one.entry is None:
        return row
    said = remarks.of(one.entry, provider=source.clinic, born=source.born, at=at)
    return replace(row, details=(*row.details, *said)) if said else row


def _without_its_clinic(row: Row, entry: Entry | None, source: Source) -> Row:
    """Leave out where it was, if that is the provider: the row ends with that name. Not if several sent it, as the row
    would not say at which of them it was; nor if it is a result, whose value may be the name, as an answer to a
    question."""
    if len(row.providers) > 1 or isinstance(entry, ResultEntry) or source.clinic not in row.details:
        return row
    return replace(row, details=tuple(detail for detail in row.details if detail != source.clinic))


def _together(providers: Sequence[str], sources: Mapping[UUID, Source]) -> tuple[str, ...]:
    """The providers. If one sent the same in two ways, it is named once, by its name alone."""
    names = {source.provider: source.name for source in sources.values()}
    return senders.together([Sender(names.get(provider, provider), provider) for provider in providers])


def names(entry: Entry, language: str = "") -> tuple[str, str]:
    """What to call it: our plain name, and the provider's if that differs. `language` is the reader's, for callers that
    look it up once for many entries."""
    if entry.is_withheld:
        return gettext("Entry without details"), ""
    ours = _plainly(entry, language)
    if not ours:
        return _otherwise(entry) or gettext("Unnamed entry"), ""
    return ours, entry.title if entry.title.casefold() != ours.casefold() else ""


def is_unnamed(entry: Entry) -> bool:
    """Whether there is nothing to call it by."""
    return not (entry.is_withheld or _plainly(entry) or _otherwise(entry))


def _otherwise(entry: Entry) -> str:
    """In the provider's words, else by its kind or its code."""
    return provider_codes.told(entry.title) or _by_kind(entry) or _by_code(entry)


def _plainly(entry: Entry, language: str = "") -> str:
    """In our words, if we know its code: a vaccine by all illnesses it protects against, a known absence as such, a
    relative by the kinship."""
    plain = plain_names.of_resource(entry.resource_type, entry.codes)
    if plain is not None:
        return plain_names.in_words(plain, language)
    if isinstance(entry, CarePlanEntry):
        return str(next((PLAIN_WORDS[code.code] for code in entry.codes if code.code in PLAIN_WORDS), ""))
    absence = absences.known_absence(entry.codes, entry.title) if entry.is_known_absence else None
    if absence is not None:
        return str(absences.WORDS[absence])
    if entry.says_no_information:
        return words.of_no_information(entry)
    if isinstance(entry, ImmunizationEntry):
        return ", ".join(illnesses.names_of(entry.illnesses, language))
    if isinstance(entry, QuestionnaireEntry) and not entry.has_own_title:
        return gettext("Questionnaire")
    return words.of_key(entry.relative) if isinstance(entry, FamilyEntry) else ""


def _by_kind(entry: Entry) -> str:
    """What kind of visit, or of entry, it was: many providers send nothing else to call it by."""
    if isinstance(entry, VisitEntry):
        return entry.class_said or words.of_key(entry.kind)
    return words.of_kind(entry) or other_kinds.named(entry)


def _by_code(entry: Entry) -> str:
    """A code without any name: with it, one can ask the provider."""
    code = next((one.code for one in entry.codes if one.code), "")
    return provider_codes.in_words(code) if code else ""


class _Alike:
    """What is computed once for all rows of one page: dates in words and their labels, words for statuses, texts
    in `known`, and whether a test of a given name may carry grave news, which means searching for a long list of
    words."""

    def __init__(self, *, on_paper: bool, for_others: bool) -> None:
        self.calendar = Calendar()
        self.known = Known()
        self._on_paper, self._for_others = on_paper, for_others
        self._labels: dict[str, str] = {}
        self._statuses: dict[tuple[object, ...], str] = {}
        self._grave: dict[tuple[str, tuple[Code, ...]], bool] = {}

    def label(self, entry: Entry) -> str:
        means = date_meanings.of(entry)
        if means not in self._labels:
            self._labels[means] = dates_in_words.of_meaning(means)
        return self._labels[means]

    def status(self, entry: Entry) -> str:
        alike = words.hangs_on(entry)
        if alike not in self._statuses:
            self._statuses[alike] = words.of_status(entry)
        return self._statuses[alike]

    def unsaid(self, entry: Entry) -> str:
        """What to say instead of possible grave news. The row of a report links to its page, and needs no words for
        that."""
        if self._for_others:
            return gettext("Not shown here, as it may be sensitive news")
        if self._on_paper:
            return gettext("Not printed, as it may be sensitive news: it is in your record")
        return gettext("Open it to see the result") if isinstance(entry, ResultEntry) else ""

    def is_grave(self, entry: Entry) -> bool:
        return any(map(self._is_grave_name, grave_entries.names_of(entry)))

    def _is_grave_name(self, named: tuple[str, tuple[Code, ...]]) -> bool:
        if named not in self._grave:
            self._grave[named] = grave_news.is_named_by(*named)
        return self._grave[named]


def _row(shelved: Shelved, source: Source, alike: _Alike, *, has_details: bool) -> Row:
    entry, provider = shelved.entry, source.provider
    if entry is None:
        return _unread(shelved, source)
    title, theirs = names(entry, alike.known.language)
    status = alike.status(entry)
    language = languages.of(entry.language)
    details, behind = (
        _said_beside((title, status), shelved, entry, provider, alike) if has_details else (_cautions(entry), ())
    )
    return Row(
        record=shelved.record,
        subject=shelved.subject,
        title=title,
        theirs=theirs,
        when_label="" if dates_in_words.says_itself(entry.when) else alike.label(entry),
        when=""
        if _has_no_day(entry)
        else dates_in_words.in_words(dates_in_words.as_meant(entry), alike.calendar.sent_date),
        year=arranging.year(entry),
        group=entry.group,
        status=status,
        details=details,
        providers=(provider,),
        clinics=(source.name,),
        of_its_test=shelved.of_its_test,
        person=source.person,
        language=language,
        own_words=languages.theirs(entry) if language else frozenset(),
        is_called_by_them=is_in_their_words(title, entry.title),
        behind=frozenset(behind),
    )


def _has_no_day(entry: Entry) -> bool:
    """Whether an absent date is no gap: its kind has none, or the provider hides what was given."""
    return dates_in_words.is_of_no_day(type(entry).__name__, entry.when) or (entry.is_withheld and not entry.when)


def is_in_their_words(title: str, theirs: str) -> bool:
    """Whether a row's title is the provider's, or that without its kind."""
    return bool(title) and theirs.startswith(title)


def _unread(shelved: Shelved, source: Source) -> Row:
    """A row for an entry that does not open."""
    return Row(
        record=shelved.record,
        subject=shelved.subject,
        title=gettext("We cannot show this entry right now. This is ours to fix."),
        theirs="",
        when_label="",
        when="",
        year="",
        group="",
        status="",
        details=(),
        providers=(source.provider,),
        clinics=(source.name,),
        person=source.person,
    )


def _said_beside(
    elsewhere: Iterable[str], shelved: Shelved, entry: Entry, provider: str, alike: _Alike
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All details, and those of them that stand after the date."""
    if entry.is_withheld:
        return _withheld(provider), ()
    first, behind = _details(entry, alike, is_of_grave=shelved.is_of_grave)
    details = (*_code_beside(elsewhere, entry), *first)
    # The value of a result is always shown.
    told = _not_said_elsewhere(() if isinstance(entry, ResultEntry) else elsewhere, (*details, *behind))
    return told, tuple(said for said in behind if said not in details)


def _code_beside(called: Iterable[str], entry: Entry) -> Iterable[str]:
    """The code of an entry that is called by its kind, as nothing else may distinguish it from the next one."""
    kind = "" if entry.title else words.of_kind(entry)
    return (_by_code(entry),) if kind and kind in called else ()


def _cautions(entry: Entry) -> tuple[str, ...]:
    caution = cautions.of(entry)
    return (caution,) if caution else ()


def _withheld(provider: str) -> tuple[str, ...]:
    return (gettext("%(provider)s hides the details of this entry.") % {"provider": provider},)


def _not_said_elsewhere(elsewhere: Iterable[str], details: Iterable[str]) -> tuple[str, ...]:
    """Leave out what the row says elsewhere: a visit may be called by its type, and a goal's status may say that it was
    reached."""
    told = dict.fromkeys(details)
    for said in ("", *elsewhere):
        told.pop(said, None)
    return tuple(told)


def _details(entry: Entry, alike: _Alike, *, is_of_grave: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the row says besides name, date and status (patient experience 3), before the date and after it. If it may
    carry grave news, by its own name or by a report it belongs to, only its page shows that, after asking. A flag
    without a value would reveal it, too."""
    has_more = not isinstance(entry, ResultEntry) or not entry.says_nothing or bool(entry.place or entry.place_words)
    if getattr(entry, "may_be_grave", False) or (has_more and (is_of_grave or alike.is_grave(entry))):
        return (alike.unsaid(entry),), ()
    return row_details.parted(entry, alike.known)
