"""The page of one entry, made from the record itself and not from a shelf: what it says now and what it said before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.records import bodies, presenting, subjects
from apps.records.binary_cursors import binary_cursor
from apps.records.charts import number_line
from apps.records.charts.number_line import NumberLine
from apps.records.models import Record, RecordVersion
from apps.records.presenters import attachments, elements, goals, grave_news, long_lists, narratives
from apps.records.presenters.attachments import File
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.persons import contact_points
from apps.records.presenters.persons.contact_points import ContactPoint
from apps.records.presenters.prose.blocks import Reading
from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.shelving import reading, result_context, values_over_time
from apps.records.shelving.contexts import ContextReader
from apps.records.shelving.indexing import Aim
from apps.records.shelving.result_context import ResultContext
from apps.records.subjects import Subject
from apps.records.viewing import charges, current_status, facts, missing_details, questions, signed_notes
from apps.records.viewing.charges import Charges
from apps.records.viewing.facts import Fact
from apps.records.viewing.listing import fills as filling
from apps.records.viewing.listing import panel_rows, rows
from apps.records.viewing.listing import related as relating
from apps.records.viewing.listing.fills import Fills
from apps.records.viewing.listing.panel_rows import PanelShown
from apps.records.viewing.listing.related import Related
from apps.records.viewing.opening import connected, telling_apart
from apps.records.viewing.questions import Group
from apps.records.viewing.signed_notes import Note
from apps.records.viewing.wording import cautions, languages, other_kinds, remarks, snomed_kinds
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing

_VERSION: Final = ("id", "user_id", "record_id", "sealed_body", "digest", "received_at", "superseded_at")
# Written out: the page of every entry runs it, most have no earlier version, and building it takes longer than running
# it.
_EARLIER: Final = """
SELECT id, user_id, record_id, sealed_body, digest, received_at, superseded_at FROM records_recordversion
WHERE record_id = %(record_id)s ORDER BY superseded_at DESC, id DESC LIMIT %(most)s
"""
_MOST_VERSIONS = 20


@dataclass(frozen=True)
class Version:
    """One body of a record: the current one (`superseded_at` is None), or an earlier one."""

    pk: int | None
    received_at: datetime
    superseded_at: datetime | None
    title: str
    theirs: str
    entry: Entry
    facts: tuple[Fact, ...]
    remarks: tuple[str, ...] = ()  # what is odd about it
    caution: str = ""  # that its meaning may be changed
    notes: tuple[Note, ...] = ()  # only of the current one
    charges: Charges = field(default_factory=Charges)  # of a bill
    reached: tuple[ContactPoint, ...] = ()  # how to reach those it names, as of now

    @property
    def questions(self) -> tuple[Group, ...]:
        """The questions and answers of a filled-in questionnaire."""
        return questions.of(self.entry)


@dataclass(frozen=True)
class EntryPage:
    """`current` first, then earlier versions, newest first. `subject` is where it is listed, or None if nowhere.
    `files` are what can be downloaded with it now (`attachments`). `unopened` are earlier versions that do not open."""

    record: Record
    subject: Subject | None
    current: Version
    earlier: tuple[Version, ...]
    files: tuple[File, ...]
    panel: PanelShown | None = None
    people: tuple[Candidate, ...] = ()  # the patient, as named by providers
    fills: Fills = field(default_factory=Fills)
    unopened: tuple[RecordVersion, ...] = ()
    older: int = 0  # number of versions left out
    may_be_grave: bool = False  # in the current version, or in another one here
    person: str = ""  # whose it is, if this reader has records of several people
    aim: Aim | None = None  # the goal for its test
    may_be_cut: bool = False  # it has so many of something that some may be left out
    related: Related = field(default_factory=Related)
    is_only_value: bool = False  # of its test, in this reader's record
    narrative: Reading = field(default_factory=Reading)  # the provider's own text about it, in the current version
    written_in: str = ""  # the language in which the provider says it is written

    @property
    def language(self) -> str:
        """The language of the provider's own words, if it is stated and differs from the page's."""
        return languages.of(self.written_in)

    @property
    def was_changed(self) -> bool:
        """Whether it said something else before."""
        return bool(self.earlier or self.unopened)

    @property
    def kind(self) -> str:
        """What kind of entry it is, if its subject does not make that clear."""
        return other_kinds.said(self.current.entry)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What to say instead if no details were sent."""
        now = self.current
        more = (
            self.files,
            self.panel,
            self.fills.rows,
            self.related.parts,
            self.narrative.says_any,
            now.questions,
            now.charges,
            now.remarks,
        )
        return missing_details.of(now.entry, now.facts, provider=self.provider, has_more=any(more))

    @property
    def number_line(self) -> NumberLine | None:
        """The number line of a result that has a number and a range to place it in."""
        entry = self.current.entry
        if not isinstance(entry, ResultEntry):
            return None
        return number_line.draw(entry.value.measured, entry.usual_range, entry.place, entry.ranges)

    @property
    def goal_line(self) -> NumberLine | None:
        """The same with the goal for its test instead of the range (patient experience 4.1)."""
        entry = self.current.entry
        if self.aim is None or not isinstance(entry, ResultEntry):
            return None
        return number_line.draw(entry.value.measured, goals.bounds(self.aim.value), place="")

    @property
    def has_others(self) -> bool:
        """Whether the values of its test can be shown together."""
        return isinstance(self.current.entry, ResultEntry) and bool(self.current.entry.test)

    @property
    def provider(self) -> str:
        """Who sent it."""
        return self.record.connection.provider.name


def find(user: User, pk: int) -> Record:
    """A record of this user's confirmed connections. Raises Record.DoesNotExist for anybody else's."""
    return _mine(user).get(pk=pk)


def of(record: Record, *, at: datetime, has_all_versions: bool = False) -> EntryPage:
    """The page of a record as it is now, with its latest earlier versions or with all. For a version that does not
    open, it says when that came.

    Raises `apps.vault.errors.VaultError` if the record itself does not open, or a key is missing.
    """
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        body = bodies.of(record, ring)
        opened, unopened = _versions(record, ring, most=None if has_all_versions else _MOST_VERSIONS)
        versions, earlier_bodies = [version for version, _body in opened], [body for _version, body in opened]
        contexts = ContextReader(record.connection, ring, today=at.date())
        context = contexts.of([body, *earlier_bodies])
        told = [
            presenting.present(each, resource_type=record.resource_type, logical_id=record.logical_id, context=context)
            for each in (body, *earlier_bodies)
        ]
        subject = subjects.subject_of(told[0][0], resource_type=record.resource_type)
        asked = relating.asked(record, *told[0], context)
        shelves = _shelves(record, subject, asked, ring)
        of_results = result_context.of(record.connection, shelves) if _is_result(record) else ResultContext()
        panel = panel_rows.of(record, *told[0], contexts, ring, of_grave=of_results.of_grave)
        fills, belonging = filling.of(record, told[0][1], ring), relating.of(record, asked, shelves, ring)
        connections = connected.confirmed(record.user_id)
        everybody = candidates.find_people_with(ring, connections)
        named = telling_apart.told_apart([one.pk for one in connections], everybody)
        is_only_value = _is_only_value(record, told[0][1], subject, named, shelves, ring)
    current = _as_it_stands(record, *told[0], context, at)
    before = tuple(_version(version, record, *each) for version, each in zip(versions, told[1:], strict=True))
    files = tuple(file for file in attachments.files(told[0][0]) if file.described)
    older = _older(record, shown=len(versions) + len(unopened))
    people = tuple(one for pk, one in everybody.items() if pk == record.connection_id)
    person = named.get(record.connection_id, "")
    grave = _may_be_grave(record, [sent for sent, _entry in told], of_results)
    aim = _aim(current.entry, of_results.aims)
    page = EntryPage(record, subject, current, before, files, panel, people, fills, unopened, older, grave, person, aim)
    said_in = elements.text(told[0][0], "language")
    page = replace(page, written_in=said_in, is_only_value=is_only_value, related=belonging)
    if current.entry.is_withheld or current.entry.is_withdrawn:
        return page
    return replace(page, may_be_cut=long_lists.has_any(told[0][0]), narrative=narratives.reading(told[0][0]))


def _may_be_grave(record: Record, sent: Iterable[Element], of_results: ResultContext) -> bool:
    """Whether it, or an earlier version, may carry grave news, or belongs to something that may."""
    is_of_grave = f"{record.resource_type}/{record.logical_id}" in of_results.of_grave
    return is_of_grave or any(grave_news.may_be_in(each, resource_type=record.resource_type) for each in sent)


def _older(record: Record, *, shown: int) -> int:
    """How many versions are left out."""
    return record.versions.count() - shown if shown == _MOST_VERSIONS else 0


def _shelves(
    record: Record, subject: Subject | None, asked: relating.RelatedQuery, ring: KeyRing
) -> tuple[reading.OpenShelf, ...]:
    """The shelves that the page needs, for all people whose record it may be in: one query. For a result, they show
    whether it is the only one of its test, and which goals and grave reports concern it or, if it is a panel, its
    members."""
    wanted = {each.key for each in asked.subjects}
    if _is_result(record):
        wanted.update(each.key for each in result_context.KNOWN_BY)
        wanted.update({subject.key} if subject is not None else ())
    return reading.shelves(record.user_id, ring, subjects=sorted(wanted)) if wanted else ()


def known(record: Record, ring: KeyRing) -> ResultContext:
    """What the shelves of its connection know of results, when there is no page: the record may be a result, or refer
    to some. One query; none for a record of another type. Raises VaultError if a key is missing."""
    if not _is_result(record):
        return ResultContext()
    shelves = reading.shelves(record.user_id, ring, subjects=[subject.key for subject in result_context.KNOWN_BY])
    return result_context.of(record.connection, shelves)


def _is_result(record: Record) -> bool:
    return record.resource_type in subjects.RESULTS.resource_types


def _is_only_value(
    record: Record,
    entry: Entry,
    subject: Subject | None,
    named: Mapping[UUID, str],
    shelves: Iterable[reading.OpenShelf],
    ring: KeyRing,
) -> bool:
    """Whether no other value of its test by the same person is here to be shown with it. One query. Raises VaultError
    if a key is missing."""
    if subject is None or not isinstance(entry, ResultEntry) or not entry.test:
        return False
    whose = named.get(record.connection_id)
    alike = (shelf for shelf in shelves if shelf.subject == subject.key)
    theirs = [shelf for shelf in alike if named.get(shelf.connection_id) == whose]
    try:
        return values_over_time.has_only(record.pk, theirs, entry.test, ring)
    except (reading.Outdated, CannotOpen):  # then others are unknown: the page over time will show them
        return False


def _aim(entry: Entry, aims: Iterable[Aim]) -> Aim | None:
    """The one goal for its test; None if several goals want different values, since none represents the others."""
    wanted = [aim for aim in aims if isinstance(entry, ResultEntry) and entry.test and aim.test == entry.test]
    return wanted[0] if len({aim.value for aim in wanted}) == 1 else None


def by_itself(record: Record, ring: KeyRing) -> Entry:
    """What a record says now, without what it refers to and its earlier versions: enough to know its test.

    Raises `apps.vault.errors.VaultError` if it does not open.
    """
    body = bodies.of(record, ring)
    context = Context(root=record.connection.endpoint.fhir_base_url)
    named = {"resource_type": record.resource_type, "logical_id": record.logical_id}
    return presenting.present(body, **named, context=context)[1]


def subject_of(record: Record) -> Subject | None:
    """Where it is listed, or None. The record is opened only if its type does not decide that. Raises VaultError."""
    possible = subjects.shelved_for(record.resource_type)
    if len(possible) < 2:
        return next(iter(possible), None)
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        resource = elements.parse(bodies.of(record, ring))
    return subjects.subject_of(resource, resource_type=record.resource_type)


def earlier(record: Record, ring: KeyRing) -> Iterator[tuple[RecordVersion, bytes]]:
    """All earlier versions, newest first. Those that do not open are logged and left out."""
    yield from _versions(record, ring, most=None)[0]


def _versions(
    record: Record, ring: KeyRing, *, most: int | None
) -> tuple[list[tuple[RecordVersion, bytes]], tuple[RecordVersion, ...]]:
    """The earlier versions with their bodies, and those that do not open, newest first."""
    opened: list[tuple[RecordVersion, bytes]] = []
    unopened: list[RecordVersion] = []
    with binary_cursor() as cursor:
        cursor.execute(_EARLIER, {"record_id": record.pk, "most": most})
        rows = cursor.fetchall()
    for row in rows:
        version = RecordVersion.from_db(DEFAULT_DB_ALIAS, _VERSION, row)
        version.record = record
        body = bodies.find_of(version, ring)
        if body is None:
            unopened.append(version)
        else:
            opened.append((version, body))
    return opened, tuple(unopened)


def _mine(user: User) -> QuerySet[Record]:
    rows_of_theirs = Record.objects.filter(user=user, connection__confirmed_at__isnull=False)
    return rows_of_theirs.select_related("user", "connection__provider", "connection__endpoint")


def _as_it_stands(record: Record, resource: Element, entry: Entry, context: Context, at: datetime) -> Version:
    """What it says now, with what is odd about that, and what may change its meaning."""
    current = _version(None, record, resource, current_status.of(entry, at))
    said = remarks.of(current.entry, provider=record.connection.provider.name, born=context.birth_date, at=at)
    by_rules = "" if entry.is_withdrawn or entry.is_withheld else cautions.of_rules(resource)
    caution = " ".join(filter(None, (current.caution, by_rules)))
    notes, reached = signed_notes.of(current.entry, resource, context), _reached(current, resource, context)
    return replace(current, remarks=said, caution=caution, notes=notes, reached=reached)


def _reached(current: Version, resource: Element, context: Context) -> tuple[ContactPoint, ...]:
    """How those whom it names can be reached, except by numbers that a fact already shows."""
    if current.entry.is_withdrawn or current.entry.is_withheld:
        return ()
    said = " ".join(line for fact in current.facts for line in fact.lines)
    return tuple(one for one in contact_points.of(resource, context) if not one.number or one.number not in said)


def _version(version: RecordVersion | None, record: Record, resource: Element, entry: Entry) -> Version:
    title, theirs = rows.names(entry)
    charged, besides = charges.of(entry, resource)
    if isinstance(entry, QuestionnaireEntry):  # its first question is shown below, in its place
        theirs = ""
    return Version(
        pk=version.pk if version else None,
        received_at=version.received_at if version else record.received_at,
        superseded_at=version.superseded_at if version else None,
        title=title,
        theirs=theirs or ("" if entry.is_withheld else snomed_kinds.full(entry.title)),
        entry=entry,
        facts=facts.of(besides, provider=record.connection.provider.name),
        charges=charged,
        caution=cautions.of(entry),
    )
