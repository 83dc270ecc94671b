"""The ledger of one connection: for each subject exactly one line that says what came, or why it did not.

The sentences are those of patient experience 2.3. None is ever shortened to "no data": that a provider sent nothing,
offers nothing, was not allowed to share, or did not answer are four different things. If several resource types belong
to a subject and only some of them came, the line says which did not.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext

from apps.connections.models import Connection
from apps.records import gap_words, parts
from apps.records.counts import grouped
from apps.records.gap_words import Kind
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.presenters.datatypes import dates
from apps.records.subjects import ALLERGIES, OTHER, SUBJECTS, Subject, is_asked_for, shelved_for
from apps.records.syncing import version_changes

Status = SyncStep.Status
Gap = SyncStep.Gap


@dataclass(frozen=True)
class Line:
    """One subject. `word` is its state in a word or two, `sentence` says the rest; `entries` is the number we hold.

    `is_done`: nothing more is coming, whether or not all of it came. `is_not_shared`: all or some of it was not
    allowed. `is_none_sent`: it was asked for, and nothing came, which may be all there is.
    """

    subject: str | Promise
    kind: Kind
    word: str
    sentence: str
    entries: int
    is_done: bool
    is_not_shared: bool = False
    is_none_sent: bool = False


@dataclass(frozen=True)
class ShelfCounts:
    """How many entries of a subject came, as its shelf counts them. Among these, `fills` are listed with their
    prescriptions, and `drafts`, which are not final, apart from the others. `none_known` state that there is none, and
    `no_information` that nothing is known."""

    entries: int
    fills: int = 0
    drafts: int = 0
    none_known: int = 0
    no_information: int = 0


@dataclass(frozen=True)
class _Facts:
    """What a sentence is made from. `counted_with` is the subject with which the rows of a shared type are counted. If
    there are several types, `missing` are those that did not come, and `stale` those of them that came before.
    `is_of_kinds`: the statement that none are known may be about medicines or foods alone."""

    provider: str
    entries: int
    step: SyncStep | None
    complete_at: datetime | None
    missing: tuple[SyncStep, ...] = ()
    stale: tuple[SyncStep, ...] = ()
    counted_with: Subject | None = None
    is_planned: bool = True
    is_stopped: bool = False
    tries_again: bool = False
    replaced: int = 0
    fills: int = 0
    drafts: int = 0
    none_known: int = 0
    no_information: int = 0
    is_of_kinds: bool = False


@dataclass(frozen=True)
class Holdings:
    """What we hold for one connection, by type: how many rows that are, as far as we know, still at the provider, when
    they last came completely, and how many were marked as gone because their server changed its FHIR version."""

    entries: Mapping[str, int]
    complete: Mapping[str, datetime]
    replaced: Mapping[str, int]


def kept_of(connections: Collection[Connection]) -> dict[UUID, Holdings]:
    """The holdings of each connection. Four queries."""
    entries: dict[UUID, dict[str, int]] = {one.pk: {} for one in connections}
    complete: dict[UUID, dict[str, datetime]] = {one.pk: {} for one in connections}
    rows = Record.objects.filter(user_id__in={one.user_id for one in connections}, connection__in=connections)
    here = rows.filter(removed_at__isnull=True).values_list("connection_id", "resource_type")
    for pk, name, count in here.annotate(Count("pk")):
        entries[pk][name] = count
    steps = SyncStep.objects.filter(run__connection__in=connections, status=Status.COMPLETE)
    newest = steps.order_by("run__connection", "resource_type", "-finished_at")
    newest = newest.distinct("run__connection", "resource_type")
    for pk, name, at in newest.values_list("run__connection_id", "resource_type", "finished_at"):
        if at:
            complete[pk][name] = at
    replaced = version_changes.gone(connections)
    return {one.pk: Holdings(entries[one.pk], complete[one.pk], replaced[one.pk]) for one in connections}


def lines(
    connection: Connection,
    run: SyncRun | None,
    *,
    provider: str,
    is_stopped: bool = False,
    tries_again: bool = False,
    counts: Mapping[str, ShelfCounts] | None = None,
    kept: Holdings | None = None,
) -> tuple[Line, ...]:
    """A line for each subject, derived from the steps of the connection's latest run. `is_stopped`: nothing is copied
    at present; `tries_again`: what was not answered is asked for again each day.

    `counts` is what came for each subject, by its key, if the caller has opened the shelves: a subject without entries
    has none. Without `counts`, or if we hold something that no shelf counts, rows are counted by type, and a type that
    several subjects share is counted with the first of them. `kept` is what we hold for the connection, if the caller
    has looked that up for several (`kept_of`).
    """
    here = kept or kept_of([connection])[connection.pk]
    steps = {step.resource_type: step for step in run.steps.all()} if run else {}
    entries = here.entries
    is_planned = run is None or run.finished_at is not None or bool(steps)
    is_over = run is not None and run.finished_at is not None
    if counts is not None and not _has_all(counts, entries):
        counts = None
    told = []
    for subject in SUBJECTS:
        types = _types(subject, {*steps, *entries})
        if subject is OTHER and not types:
            continue
        facts = _facts(subject, types, entries, steps, here.complete)
        if facts.step is None and is_over and types and not is_asked_for(subject, connection.endpoint.fhir_version):
            facts = replace(facts, step=_not_offered(types[0]))  # it will not be requested later, either
        facts = replace(facts, provider=provider, is_stopped=is_stopped, tries_again=tries_again, is_planned=is_planned)
        facts = replace(facts, replaced=sum(here.replaced.get(name, 0) for name in types if _counts(subject, name)))
        if counts is not None:
            came = counts.get(subject.key, ShelfCounts(0))
            facts = replace(facts, **asdict(came), counted_with=None, is_of_kinds=subject is ALLERGIES)
        told.append(_line(subject, facts))
    return (*told, *_beside(steps.values(), provider=provider, tries_again=tries_again))


def _beside(steps: Iterable[SyncStep], *, provider: str, tries_again: bool) -> Iterator[Line]:
    """A line for the types that only accompany entries, such as names, if some of them did not come: no other line is
    about them. Each reason is shown with the types to which it applies."""
    lacking = [
        step
        for step in steps
        if step.status == Status.GAP and step.gap not in SyncStep.SETTLED and not shelved_for(step.resource_type)
    ]
    told = {step: gap_words.of(step, provider=provider, tries_again=tries_again) for step in lacking}
    by_reason: dict[str, list[SyncStep]] = {}
    for step, reason in told.items():
        by_reason.setdefault(reason.sentence, []).append(step)
    if told:
        gravest = max(told.values(), key=lambda reason: reason.kind is Kind.FAULT)
        sentence = " ".join(f"{reason} {_named(of_reason)}" for reason, of_reason in by_reason.items())
        yield Line(gettext("People, places and names"), gravest.kind, gravest.word, sentence, entries=0, is_done=True)


def _types(subject: Subject, known: Iterable[str]) -> tuple[str, ...]:
    """The types behind a subject; for Other entries, all types that belong to no other subject."""
    if subject is not OTHER:
        return subject.resource_types
    return tuple(sorted(name for name in known if OTHER in shelved_for(name)))


def _facts(
    subject: Subject,
    types: Sequence[str],
    entries: Mapping[str, int],
    steps: Mapping[str, SyncStep],
    complete: Mapping[str, datetime],
) -> _Facts:
    asked = _asked([steps[name] for name in types if name in steps])
    proven = [complete.get(step.resource_type) for step in asked]
    own = [name for name in types if _counts(subject, name)]
    shared = [name for name in types if name not in own and entries.get(name)]
    own_entries = sum(entries.get(name, 0) for name in own)
    missing = _missing(asked)
    return _Facts(
        provider="",
        entries=own_entries,
        step=max(asked, key=_urgency, default=None),
        complete_at=min((at for at in proven if at), default=None) if all(proven) else None,
        missing=tuple(step for step in missing if not entries.get(step.resource_type)),
        stale=tuple(step for step in missing if entries.get(step.resource_type)),
        counted_with=shelved_for(shared[0])[0] if shared and not own_entries else None,
    )


def _asked(steps: list[SyncStep]) -> list[SyncStep]:
    """Without the types that a provider does not offer, if it offers others of the subject."""
    return [step for step in steps if step.gap != Gap.NOT_OFFERED] or steps


def _not_offered(resource_type: str) -> SyncStep:
    """In place of a step that does not exist, because neither do we know a route nor does the provider declare one."""
    return SyncStep(resource_type=resource_type, status=Status.GAP, gap=Gap.NOT_OFFERED)


def _counts(subject: Subject, resource_type: str) -> bool:
    """Whether rows of this type are counted with this subject: the first of those they may belong to."""
    return shelved_for(resource_type)[:1] == (subject,)


def _has_all(counts: Mapping[str, ShelfCounts], entries: Iterable[str]) -> bool:
    """Whether there are counts for every subject of which we hold anything."""
    return all(subject.key in counts for name in entries for subject in shelved_for(name)[:1])


def _missing(steps: Sequence[SyncStep]) -> tuple[SyncStep, ...]:
    """The types that did not come, if others of the subject did."""
    gone = tuple(step for step in steps if step.status == Status.GAP and not step.came_in_part)
    return gone if len(gone) < len(steps) else ()


def _urgency(step: SyncStep) -> int:
    """Which of a subject's types the line is about: first one that is under way; then one that is missing, preferably
    for a reason that is not settled."""
    order = (Status.COMPLETE, Status.GAP, Status.WAITING, Status.GETTING)
    return 2 * order.index(Status(step.status)) + (step.gap not in {"", *SyncStep.SETTLED})


def _line(subject: Subject, facts: _Facts) -> Line:
    kind, word, sentence = _said(facts)
    sentence = " ".join(filter(None, (sentence, *_apart_said(facts), _replaced_said(facts))))
    is_done = facts.step is not None and facts.step.status in {Status.COMPLETE, Status.GAP}
    is_not_shared = facts.step is not None and facts.step.gap == Gap.NOT_SHARED
    is_none_sent = facts.step is not None and facts.step.status == Status.COMPLETE and kind is Kind.INFO
    return Line(subject.name, kind, word, sentence, facts.entries, is_done, is_not_shared, is_none_sent)


def _said(facts: _Facts) -> tuple[Kind, str, str]:
    step = facts.step
    if step is None and not facts.is_planned:
        return Kind.OFF, gettext("Waiting"), _kept(facts)
    if step is None:
        return Kind.OFF, gettext("Not started"), gettext("Not fetched yet.")
    if step.status == Status.WAITING or (step.status == Status.GETTING and facts.is_stopped):
        return Kind.OFF, gettext("Waiting"), _kept(facts)
    if step.status == Status.GETTING:
        return Kind.WORKING, gettext("Getting"), _kept(facts)
    if step.status == Status.GAP:
        return _gap_said(step.known_gap, step, facts)
    return _complete_said(facts)


def _none_known(facts: _Facts) -> str:
    """The sentence if nothing else came: a statement that none are known is not an allergy. It may be about medicines
    alone, as the list shows."""
    if facts.none_known < facts.entries:
        return ""
    sentence = gettext("%(provider)s recorded: none known, or none of a kind. Complete as of %(date)s.")
    if not facts.is_of_kinds:
        sentence = gettext("%(provider)s recorded: none known. Complete as of %(date)s.")
    return sentence % {"provider": facts.provider, "date": _proven(facts)}


def _complete_said(facts: _Facts) -> tuple[Kind, str, str]:
    if facts.counted_with is not None:
        return Kind.DONE, gettext("Complete"), _counted_elsewhere(facts.counted_with)
    if facts.entries == 0:
        sentence = gettext("%(provider)s sent no entries. This does not mean there are none.")
        return Kind.INFO, gettext("Nothing sent"), sentence % {"provider": facts.provider}
    if facts.no_information == facts.entries:
        sentence = gettext("%(provider)s says it has no information about this.")
        return Kind.DONE, gettext("Complete"), sentence % {"provider": facts.provider}
    return Kind.DONE, gettext("Complete"), _none_known(facts) or _complete(facts)


def _counted_elsewhere(subject: Subject) -> str:
    return gettext("Counted with %(subject)s.") % {"subject": subject.name}


def _complete(facts: _Facts) -> str:
    sentence = ngettext(
        "%(count)s entry. Complete as of %(date)s.", "%(count)s entries. Complete as of %(date)s.", facts.entries
    )
    return sentence % {
        "count": grouped(facts.entries),
        "date": _proven(facts),
    }


def _proven(facts: _Facts) -> str:
    return dates.day(facts.complete_at) if facts.complete_at else ""


def _kept(facts: _Facts) -> str:
    """What is here already, while more is on its way or missing; or with what it is counted. Empty if there is
    nothing."""
    if facts.counted_with is not None:
        return _counted_elsewhere(facts.counted_with)
    if facts.entries == 0:
        return ""
    sentence = ngettext("%(count)s entry is here.", "%(count)s entries are here.", facts.entries)
    return sentence % {"count": grouped(facts.entries)}


def _apart_said(facts: _Facts) -> Iterator[str]:
    """Why a list counts fewer entries."""
    if facts.fills:
        sentence = ngettext(
            "Of these, %(count)s pharmacy fill is listed under its prescription.",
            "Of these, %(count)s pharmacy fills are listed under their prescription.",
            facts.fills,
        )
        yield sentence % {"count": grouped(facts.fills)}
    if facts.drafts:
        sentence = ngettext(
            "Of these, %(count)s entry is not final, and not counted in lists.",
            "Of these, %(count)s entries are not final, and not counted in lists.",
            facts.drafts,
        )
        yield sentence % {"count": grouped(facts.drafts)}


def _replaced_said(facts: _Facts) -> str:
    """Why entries disappeared that were here before."""
    if not facts.replaced:
        return ""
    sentence = ngettext(
        "%(provider)s changed its system: %(count)s earlier entry is no longer listed.",
        "%(provider)s changed its system: %(count)s earlier entries are no longer listed.",
        facts.replaced,
    )
    return sentence % {"provider": facts.provider, "count": grouped(facts.replaced)}


def _gap_said(gap: SyncStep.Gap, step: SyncStep, facts: _Facts) -> tuple[Kind, str, str]:
    told = gap_words.of(step, provider=facts.provider, tries_again=facts.tries_again)
    is_counted = gap == Gap.STOPPED_SHORT and step.since_at is None and not (facts.missing or facts.stale)
    is_counted = is_counted and facts.entries == step.rows_kept  # else more is here, or less
    kept = "" if is_counted else _kept(facts)
    sentences = (told.sentence, kept, _named(facts.missing), _aged(facts.stale))
    return told.kind, told.word, " ".join(filter(None, sentences))


def _named(missing: Sequence[SyncStep]) -> str:
    """Which of several types did not come."""
    return gettext("Missing: %(parts)s.") % {"parts": _parts(missing)} if missing else ""


def _aged(stale: Sequence[SyncStep]) -> str:
    """Which of several types are not up to date, having come before."""
    return gettext("Not up to date: %(parts)s.") % {"parts": _parts(stale)} if stale else ""


def _parts(steps: Sequence[SyncStep]) -> str:
    return ", ".join(dict.fromkeys(str(parts.name(step.resource_type)) for step in steps))
