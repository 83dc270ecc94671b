"""Why a list has nothing, or not everything, from a provider: one sentence for each case (patient experience 2.3).

Two queries for all connections: the latest step of each type, in any run.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS
from django.utils.translation import gettext

from apps.connections.grants import granted_access
from apps.connections.models import Connection
from apps.connections.presenting import standing
from apps.records import gap_words, parts
from apps.records.binary_cursors import binary_cursor
from apps.records.models import SyncStep
from apps.records.subjects import ALLERGIES, LISTED, Subject, is_asked_for
from apps.records.viewing.opening.whole import Source, Whole

Status = SyncStep.Status
Gap = SyncStep.Gap

_OPEN = (Status.WAITING, Status.GETTING)
_BELIEVED: Final = timedelta(minutes=5)  # clocks of ours may differ by less


class Weight(IntEnum):
    """The order in which they are shown."""

    MENDABLE = 0  # it may still come: by itself, or when somebody acts
    NOT_SHARED = 1  # the patient can change that
    NONE_SENT = 2
    ON_ITS_WAY = 3
    NOT_OFFERED = 4


_OF_SETTLED: Final = {Gap.NOT_SHARED: Weight.NOT_SHARED, Gap.NOT_OFFERED: Weight.NOT_OFFERED}


@dataclass(frozen=True)
class Notice:
    """What one provider's part of a list lacks. `is_absence`: it has no entry here at all."""

    connection_id: UUID
    text: str
    is_absence: bool
    weight: Weight
    is_none_sent: bool = False  # as far as shelves know
    may_share: bool = False  # the provider lets the patient choose again


_COLUMNS: Final = (  # in the model's own order, as `from_db` takes them
    "id", "resource_type", "status", "gap", "since_at", "watermark_at", "rows_kept", "rows_refused", "rows_unreadable",
    "rows_counted", "finished_at",
)  # fmt: skip
# Written out, since every list runs it: building it in Python costs more than running it. Steps of a check under way
# that have not ended say nothing yet; until then, the earlier ones count. A run that ended in the future was written by
# a clock that was ahead: anything started since counts more.
_LATEST_STEPS: Final = f"""
SELECT DISTINCT ON (run.connection_id, step.resource_type)
run.connection_id, {", ".join(f"step.{name}" for name in _COLUMNS)}
FROM records_syncstep AS step JOIN records_syncrun AS run ON run.id = step.run_id
WHERE step.user_id = %(user_id)s AND run.connection_id = ANY(%(connections)b::uuid[])
AND step.resource_type = ANY(%(types)b::text[])
ORDER BY run.connection_id, step.resource_type, step.status = ANY(%(open)b::text[]),
run.finished_at IS NOT NULL AND run.created_at > %(believed)b::timestamptz, run.created_at DESC
"""  # noqa: S608  # nosec B608 -- names of columns, written above


def of(whole: Whole, subject: Subject) -> tuple[Notice, ...]:
    """A notice for each connection that has no entries of the subject, or lacks some: first those that somebody can act
    on, last those that nobody can."""
    return of_each(whole, [subject])[subject.key]


def of_each(whole: Whole, subjects: Sequence[Subject]) -> Mapping[str, tuple[Notice, ...]]:
    """The same for several subjects, by their keys, in the same number of queries."""
    steps = _latest_steps(whole, [name for subject in subjects for name in subject.resource_types])
    asked_again = _asked_again(steps)
    return {subject.key: _of(whole, subject, steps, asked_again) for subject in subjects}


def _of(
    whole: Whole, subject: Subject, steps: Mapping[UUID, Sequence[SyncStep]], asked_again: Container[UUID]
) -> tuple[Notice, ...]:
    own = {
        pk: [step for step in steps.get(pk, ()) if step.resource_type in subject.resource_types] for pk in whole.sources
    }
    counts = {shelf.connection_id: shelf.index.sent if shelf.index else 0 for shelf in whole.of(subject)}
    told = (
        _notice(source, subject, counts.get(key, 0), own[key], tries_again=key in asked_again)
        for key, source in whole.sources.items()
    )
    unseen = whole.held_unseen(subject)
    cannot_open = gettext("We cannot open this right now")
    notices = (
        replace(notice, text=cannot_open, is_absence=False, weight=Weight.MENDABLE)
        if notice.is_none_sent and notice.connection_id in unseen
        else notice
        for notice in told
        if notice is not None
    )
    return tuple(sorted(notices, key=lambda notice: notice.weight))


def not_shared(whole: Whole) -> tuple[tuple[Source, tuple[Subject, ...]], ...]:
    """Each provider with the subjects that are empty because they were not shared: a search covers only what came, and
    a reader who finds nothing may conclude that there is nothing."""
    steps = _latest_steps(whole, [name for subject in LISTED for name in subject.resource_types])
    held = {(shelf.connection_id, shelf.subject) for shelf in whole.shelves if shelf.index is None or shelf.index.sent}
    told = (
        (source, tuple(one for one in LISTED if (pk, one.key) not in held and _is_not_shared(one, steps[pk])))
        for pk, source in whole.sources.items()
    )
    return tuple((source, lacking) for source, lacking in told if lacking)


def _is_not_shared(subject: Subject, steps: Iterable[SyncStep]) -> bool:
    gap = _gravest(step for step in steps if step.resource_type in subject.resource_types)
    return gap is not None and gap.gap == Gap.NOT_SHARED


def _asked_again(steps: Mapping[UUID, Iterable[SyncStep]]) -> frozenset[UUID]:
    """Of the connections that lack something that another try may bring, those that try again automatically. One query,
    if there are any."""
    failed = [pk for pk, own in steps.items() if any(step.gap in gap_words.TRIED_AGAIN for step in own)]
    if not failed:
        return frozenset()
    active = Connection.objects.active().filter(pk__in=failed)
    rows = active.select_related("endpoint__authorization_server", "registration__authorization_server")
    return frozenset(row.pk for row in rows if not standing.is_stopped(row))


def _latest_steps(whole: Whole, resource_types: Iterable[str]) -> Mapping[UUID, list[SyncStep]]:
    found: dict[UUID, list[SyncStep]] = defaultdict(list)
    asked: dict[str, Any] = {
        "user_id": whole.user_id,
        "connections": list(whole.sources),
        "types": list(resource_types),
        "open": list(_OPEN),
        "believed": whole.at + _BELIEVED,
    }
    with binary_cursor() as cursor:
        cursor.execute(_LATEST_STEPS, asked)
        for connection_id, *values in cursor.fetchall():
            found[connection_id].append(SyncStep.from_db(DEFAULT_DB_ALIAS, _COLUMNS, values))
    return found


def _notice(
    source: Source, subject: Subject, count: int, steps: Sequence[SyncStep], *, tries_again: bool
) -> Notice | None:
    gap = _gravest(steps)
    is_answered = any(step.status == Status.COMPLETE for step in steps)
    is_offered_in_part = gap is not None and gap.gap == Gap.NOT_OFFERED and is_answered
    is_settled = gap is not None and gap.gap in SyncStep.SETTLED and not gap.came_in_part
    is_of_another_kind = count and is_settled and is_answered  # else what is here came before, and is no longer checked
    if gap is not None and not is_offered_in_part and not is_of_another_kind:
        text = gap_words.of(gap, provider=source.provider, tries_again=tries_again).in_a_list(source.provider)
        named = _missing(steps) if is_answered and gap.gap in SyncStep.SETTLED else ""
        weight = _OF_SETTLED.get(gap.known_gap, Weight.MENDABLE)
        text = " ".join(filter(None, (text, named)))
        may_share = gap.gap == Gap.NOT_SHARED and granted_access.may_choose_anew(source.connection)
        return Notice(source.connection.pk, text, is_absence=not count, weight=weight, may_share=may_share)
    if count:
        return None
    if not steps and subject.resource_types:
        if source.is_copied and not is_asked_for(subject, source.connection.endpoint.fhir_version):
            never = gettext("%(provider)s does not offer this to apps. Ask them directly.")
            return _absence(source, never, Weight.NOT_OFFERED)
        return _absence(source, gettext("Not fetched yet from %(provider)s."), Weight.ON_ITS_WAY)
    if any(step.status in _OPEN for step in steps):
        return _absence(source, gettext("Not here yet from %(provider)s."), Weight.ON_ITS_WAY)
    none_sent = _absence(source, " ".join(filter(None, (_none_sent(subject), _missing(steps)))), Weight.NONE_SENT)
    return replace(none_sent, is_none_sent=True)


def _missing(steps: Iterable[SyncStep]) -> str:
    """Which of several types did not come, so that the others are not said to be missing."""
    names = dict.fromkeys(str(parts.name(step.resource_type)) for step in steps if _is_missing(step))
    return gettext("Missing: %(parts)s.") % {"parts": ", ".join(names)} if names else ""


def _is_missing(step: SyncStep) -> bool:
    return step.status == Status.GAP and not step.came_in_part


def _gravest(steps: Iterable[SyncStep]) -> SyncStep | None:
    """The gap to report if several types did not come completely: first one that somebody can act on, then one of which
    something came, since the list has that and lacks the rest."""
    gaps = [step for step in steps if step.status == Status.GAP]
    return min(
        gaps,
        key=lambda step: (step.gap in SyncStep.SETTLED, step.gap == Gap.NOT_OFFERED, not step.came_in_part),
        default=None,
    )


def _none_sent(subject: Subject) -> str:
    if subject is ALLERGIES:
        return gettext(
            "%(provider)s sent no allergy entries. They may not have asked you. This does not mean you have none."
        )
    return gettext("%(provider)s sent no entries. This does not mean there are none.")


def _absence(source: Source, sentence: str, weight: Weight) -> Notice:
    return Notice(source.connection.pk, sentence % {"provider": source.provider}, is_absence=True, weight=weight)
