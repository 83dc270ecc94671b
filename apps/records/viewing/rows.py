"""One row of a list: what an entry is called, what matters most about it, and where it comes from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from django.utils.translation import gettext, ngettext

from apps.records import counts, senders
from apps.records.presenters import absences, grave_entries, grave_news, illnesses, meanings, plain_names, results
from apps.records.presenters.care_plans import PLAIN_WORDS, CarePlanEntry
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.immunizations import ImmunizationEntry
from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.results import ResultEntry
from apps.records.presenters.values import Attachment
from apps.records.presenters.visits import VisitEntry
from apps.records.senders import Sender
from apps.records.shelving import arranging
from apps.records.shelving.reading import Shelved
from apps.records.viewing import (
    cautions,
    other_kinds,
    provider_codes,
    remarks,
    standing,
    values_in_words,
    whens,
    words,
)
from apps.records.viewing.facts import lines
from apps.records.viewing.whole import Source

_DEEPEST: Final = 2  # a report, its panels, and their results


@dataclass(frozen=True)
class Row:
    """`title` is our plain name, else the provider's; `theirs` the provider's, where ours stands first. `providers` has
    more than one where several sent the very same. `others` are further entries of the same thing, newest first, where
    a list has one row for it (`folding`)."""

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
    of_its_test: int = 0
    others: tuple["Row", ...] = ()
    person: str = ""  # whose it is, where the record is of several people

    @property
    def listed_by(self) -> int:
        """How many providers list it."""
        return len({provider for row in (self, *self.others) for provider in row.providers})


def of(
    shelved: Sequence[Shelved], sources: Mapping[UUID, Source], *, at: datetime | None = None, on_paper: bool = False
) -> tuple[Row, ...]:
    """The rows of a page, in its order. What two providers sent alike is one row: code, date and value are equal. So is
    what one provider sent alike in two ways, though it has no code or no date."""
    return tuple(row for _shelved, row in paired(shelved, sources, at=at, on_paper=on_paper))


def paired(
    shelved: Sequence[Shelved],
    sources: Mapping[UUID, Source],
    *,
    at: datetime | None = None,
    has_details: bool = True,
    on_paper: bool = False,
) -> list[tuple[Shelved, Row]]:
    """The same with what each row was made of. With `at`, rows say how they stand then, and what is odd about them
    (`remarks`), by the birth date of whom each is of. Without `has_details` they say name, date and status. Rows
    `on_paper` lead to no page of their own."""
    rows: list[tuple[Shelved, Row]] = []
    sent_by: list[set[UUID]] = []  # the connections of each row: what one of them sent twice is two things
    alike, page = _Alike(on_paper=on_paper), _AtHand(shelved, sources)
    for each in shelved:
        one = each if at is None else standing.of_shelved(each, at)
        source = sources[one.connection_id]
        provider, person = source.provider, source.person
        near = enumerate(rows[-5:], max(len(rows) - 5, 0)) if len(sources) > 1 else ()
        theirs = (
            (place, other)
            for place, (other, row) in near
            if row.person == person and one.connection_id not in sent_by[place]
        )
        may_be = ((place, other) for place, other in theirs if _may_be_one(other, one, page))
        same = next((place for place, other in may_be if _same(other, one, page)), None)
        if same is None:
            sent_by.append({one.connection_id})
            row = _row(one, source, alike, has_details=has_details)
            if at is not None and one.entry is not None:
                said = remarks.of(one.entry, provider=provider, born=source.born, at=at)
                row = replace(row, details=(*row.details, *said)) if said else row
            rows.append((one, row))
        else:
            sent_by[same].add(one.connection_id)
            other, row = rows[same]
            status = words.of_status(other.entry) if other.entry else row.status  # of no single one's list
            providers = _together((*row.providers, provider), sources)
            rows[same] = other, replace(row, providers=providers, status=status)
    return [(one, _without_its_clinic(row, one.entry, sources[one.connection_id])) for one, row in rows]


def _without_its_clinic(row: Row, entry: Entry | None, source: Source) -> Row:
    """Without where it was, if that is who tells of it: the row ends with that name. Where several tell of it, the row
    would not say at which of them it was; and the value of a result, an answer to a question, may be the name."""
    clinic = source.connection.provider.name
    if len(row.providers) > 1 or isinstance(entry, ResultEntry) or clinic not in row.details:
        return row
    return replace(row, details=tuple(detail for detail in row.details if detail != clinic))


def _together(providers: Sequence[str], sources: Mapping[UUID, Source]) -> tuple[str, ...]:
    """A provider that sent the same in two ways by its name alone, once."""
    names = {source.provider: source.name for source in sources.values()}
    return senders.together([Sender(names.get(provider, provider), provider) for provider in providers])


def names(entry: Entry) -> tuple[str, str]:
    """What to call it: plainly, and as the provider does where that is something else."""
    if entry.is_withheld:
        return gettext("Entry without details"), ""
    ours = _plainly(entry)
    if not ours:
        return provider_codes.told(entry.title) or _by_kind(entry) or gettext("Unnamed entry"), ""
    return ours, entry.title if entry.title.casefold() != ours.casefold() else ""


def _plainly(entry: Entry) -> str:
    """In words of ours, where we know its code: a vaccine by all that it is against, that there is none, which relative
    it is about."""
    plain = plain_names.of(entry.codes)
    if plain is not None:
        return str(plain.words)
    if isinstance(entry, CarePlanEntry):
        return str(next((PLAIN_WORDS[code.code] for code in entry.codes if code.code in PLAIN_WORDS), ""))
    absence = absences.known_absence(entry.codes, entry.title) if entry.is_known_absence else None
    if absence is not None:
        return str(absences.WORDS[absence])
    if entry.says_no_information:
        return words.of_no_information(entry)
    if isinstance(entry, ImmunizationEntry):
        return ", ".join(map(illnesses.name_of, entry.illnesses))
    if isinstance(entry, QuestionnaireEntry) and not entry.has_own_title:
        return gettext("Questionnaire")
    return words.of_key(entry.relative) if isinstance(entry, FamilyEntry) else ""


def _by_kind(entry: Entry) -> str:
    """What sort of visit, or of entry, it was: many providers send nothing else to call it by."""
    if isinstance(entry, VisitEntry):
        return entry.class_said or words.of_key(entry.kind)
    return words.of_kind(entry) or other_kinds.named(entry)


class _Alike:
    """What rows of one page mostly have alike, and is worked out once: labels of dates, words of statuses, and whether
    a test of that name may carry grave news, for which a long list of words is looked for."""

    def __init__(self, *, on_paper: bool) -> None:
        self._on_paper = on_paper
        self._labels: dict[str, str] = {}
        self._statuses: dict[tuple[type[Entry], str, str, str], str] = {}
        self._grave: dict[tuple[str, tuple[Code, ...]], bool] = {}

    def label(self, entry: Entry) -> str:
        means = meanings.of(entry)
        if means not in self._labels:
            self._labels[means] = whens.of_meaning(means)
        return self._labels[means]

    def status(self, entry: Entry, provider: str) -> str:
        said = type(entry), entry.status, entry.group, provider
        if said not in self._statuses:
            self._statuses[said] = words.of_status(entry, provider=provider)
        return self._statuses[said]

    def unsaid(self, entry: Entry) -> str:
        """In place of what may carry grave news. A report's own row leads to a page, and needs no words for it."""
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
    entry, provider, person = shelved.entry, source.provider, source.person
    if entry is None:
        unread = gettext("We cannot show this entry just now. This is ours to fix.")
        return Row(shelved.record, shelved.subject, unread, "", "", "", "", "", "", (), (provider,), person=person)
    title, theirs = names(entry)
    status = alike.status(entry, provider)
    details = _said_beside((title, status), shelved, entry, provider, alike) if has_details else (cautions.of(entry),)
    return Row(
        record=shelved.record,
        subject=shelved.subject,
        title=title,
        theirs=theirs,
        when_label="" if whens.says_itself(entry.when) else alike.label(entry),
        when=whens.in_words(entry.when),
        year=arranging.year(entry),
        group=entry.group,
        status=status,
        details=tuple(filter(None, details)),
        providers=(provider,),
        of_its_test=shelved.of_its_test,
        person=person,
    )


def _said_beside(
    elsewhere: Iterable[str], shelved: Shelved, entry: Entry, provider: str, alike: _Alike
) -> tuple[str, ...]:
    if entry.is_withheld:
        return _withheld(provider)
    details = _details(entry, alike, is_of_grave=shelved.is_of_grave)
    # A value is told whatever it is.
    return _told_once(() if isinstance(entry, ResultEntry) else elsewhere, details)


def _withheld(provider: str) -> tuple[str, ...]:
    return (gettext("%(provider)s hides the details of this entry.") % {"provider": provider},)


def _told_once(elsewhere: Iterable[str], details: Iterable[str]) -> tuple[str, ...]:
    """Without what the row says elsewhere: a visit can be called by its type, a goal says by its status that it was
    reached."""
    return tuple(detail for detail in dict.fromkeys(details) if detail and detail not in elsewhere)


def _details(entry: Entry, alike: _Alike, *, is_of_grave: bool) -> Iterable[str]:
    """What the row says beside name, date and status (patient experience 3). Of what may carry grave news, by its own
    name or by a report that it belongs to, its page says it, which asks first. A mark without a value tells it, too."""
    has_more = not isinstance(entry, ResultEntry) or not entry.says_nothing or bool(entry.place or entry.place_words)
    if getattr(entry, "may_be_grave", False) or (has_more and (is_of_grave or alike.is_grave(entry))):
        yield alike.unsaid(entry)
    else:
        yield from _told(entry)


def _told(entry: Entry) -> Iterable[str]:
    yield cautions.of(entry)
    if isinstance(entry, ResultEntry):
        yield values_in_words.of_result(entry)
        yield values_in_words.of_place(entry)
        if entry.at_home:
            yield gettext("Measured at home")
        return
    yield "" if not entry.title and other_kinds.named(entry) else other_kinds.said(entry)  # else it is called by that
    said = lines.of_row(entry)
    yield from said
    if isinstance(entry, ReportEntry) and entry.results:
        yield _counted(len(entry.results))
    if isinstance(entry, QuestionnaireEntry) and entry.lines:
        yield ngettext("%(n)s question", "%(n)s questions", entry.questions) % {"n": counts.grouped(entry.questions)}
    named = "".join(f", {line.replace(' · ', ', ')}, " for line in said)  # a visit names who took part, and as what
    yield ", ".join(one for one in entry.people[:2] if f", {one}, " not in named and one != entry.title)


def _counted(count: int) -> str:
    if count >= results.MOST_RESULTS:
        return gettext("%(count)s results or more") % {"count": counts.grouped(count)}
    return ngettext("%(count)s result", "%(count)s results", count) % {"count": counts.grouped(count)}


class _AtHand:
    """The entries of one page by what refers to them. Put in order only where two reports may be the very same."""

    def __init__(self, shelved: Sequence[Shelved], sources: Mapping[UUID, Source]) -> None:
        self._shelved = shelved
        self._sources = sources

    def are_of_one_provider(self, *several: Shelved) -> bool:
        """Whether it sent all of them, in whichever ways."""
        return len({self._sources[each.connection_id].connection.provider_id for each in several}) == 1

    def find(self, holder: Shelved, path: str) -> Shelved | None:
        """What a report or a panel refers to so, if it stands on this page."""
        return self._by_path.get((holder.connection_id, path))

    @cached_property
    def _by_path(self) -> dict[tuple[UUID, str], Shelved]:
        told = ((one, one.entry) for one in self._shelved)
        return {
            (one.connection_id, f"{entry.resource_type}/{entry.logical_id}"): one
            for one, entry in told
            if entry is not None
        }


def _same(one: Shelved, other: Shelved, at_hand: _AtHand, *, deepest: int = _DEEPEST) -> bool:
    """Whether two providers mean the very same: code, date, value, all that the row says, and what belongs to it are
    equal. A plan or a device often has no code or no date; only of one provider, read in two ways, can two of them be
    the same, where nothing that we know of them differs."""
    if one.connection_id == other.connection_id or one.subject != other.subject:
        return False
    first, second = one.entry, other.entry
    if first is None or second is None or type(first) is not type(second):
        return False
    if first.is_withheld:
        return False
    is_told_apart = bool(first.codes and first.when.starts)
    if not is_told_apart and not (first.title and at_hand.are_of_one_provider(one, other)):
        return False
    compared = _compared(first) if is_told_apart else _known(first)
    if any(getattr(first, name) != getattr(second, name) for name in compared):
        return False
    # All that is told of them, though the row keeps it for its page: a dose or a conclusion that differs must not
    # vanish behind another provider's.
    if _forms(first) != _forms(second) or tuple(_told(first)) != tuple(_told(second)):
        return False
    return _have_same_parts(one, other, at_hand, deepest=deepest)


def _may_be_one(one: Shelved, other: Shelved, at_hand: _AtHand) -> bool:
    """Whether two entries may stand in one row at all. What is in files is not compared, and two clinics write a
    note on the same day: only of one provider, read in two ways, can they be the same."""
    return one.entry is None or not _forms(one.entry) or at_hand.are_of_one_provider(one, other)


def _compared(entry: Entry) -> tuple[str, ...]:
    names = {field.name for field in fields(entry)}
    wanted = (
        "title", "codes", "when", "status", "group", "said", "value", "components", "place", "reactions", "inside",
        "conclusion_names",
    )  # fmt: skip
    return tuple(name for name in wanted if name in names)


def _known(entry: Entry) -> tuple[str, ...]:
    """All but where it is kept: each way has an address of its own, and a care team may be a plan there."""
    return tuple(field.name for field in fields(entry) if field.name not in {"resource_type", "logical_id"})


def _forms(entry: Entry) -> tuple[Attachment, ...]:
    """The report or the document as files, whatever address each provider has them at."""
    files = tuple(file.described for file in entry.files) if isinstance(entry, DocumentEntry) else ()
    forms = entry.forms if isinstance(entry, ReportEntry) else files
    return tuple(replace(form, url="") for form in forms)


def _have_same_parts(one: Shelved, other: Shelved, at_hand: _AtHand, *, deepest: int) -> bool:
    """Whether each result of two reports, or of two panels, is the very same as the one in its place. One that does not
    stand on this page may say something else, and of so many some may not be named: they are two rows rather than one
    that hides the other."""
    first, second = _parts(one.entry), _parts(other.entry)
    if len(first) != len(second) or len(first) >= results.MOST_MEMBERS or (first and not deepest):
        return False
    for path, its_path in zip(first, second, strict=True):
        if path.startswith("#") and path == its_path and path in _contained(one.entry):
            continue  # the reports were compared with what they contain
        part, its_part = at_hand.find(one, path), at_hand.find(other, its_path)
        if part is None or its_part is None or not _same(part, its_part, at_hand, deepest=deepest - 1):
            return False
    return True


def _parts(entry: Entry | None) -> tuple[str, ...]:
    """The results that belong to it, as references into its own provider's records."""
    if isinstance(entry, ReportEntry):
        return entry.results
    return entry.members if isinstance(entry, ResultEntry) else ()


def _contained(entry: Entry | None) -> set[str]:
    """What it holds itself, without what refers on to others."""
    return {one.logical_id for one in entry.inside if not one.members} if isinstance(entry, ReportEntry) else set()
