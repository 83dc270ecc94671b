"""Why a list has nothing, or not all, of a provider: one sentence for each that says so (patient experience 2.3).

Two queries for all connections: the latest step of each type, whichever run it was of.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.records import parts
from apps.records.models import SyncStep
from apps.records.presenters import dates
from apps.records.subjects import ALLERGIES, Subject
from apps.records.viewing.whole import Source, Whole

Status = SyncStep.Status
Gap = SyncStep.Gap

_OPEN = (Status.WAITING, Status.GETTING)


@dataclass(frozen=True)
class Notice:
    """What one provider's part of a list lacks. `is_absence`: it has no entry here at all."""

    connection_id: UUID
    text: str
    is_absence: bool
    is_none_sent: bool = False  # as far as shelves tell


def of(whole: Whole, subject: Subject) -> tuple[Notice, ...]:
    """A notice for each connection that has no entries of the subject, or misses some."""
    counts = {shelf.connection_id: shelf.index.sent if shelf.index else 0 for shelf in whole.of(subject)}
    steps = _latest_steps(whole, subject)
    told = (_notice(source, subject, counts.get(key, 0), steps[key]) for key, source in whole.sources.items())
    unseen = whole.held_unseen(subject)
    cannot_open = gettext("We cannot open this just now")
    return tuple(
        replace(notice, text=cannot_open, is_absence=False)
        if notice.is_none_sent and notice.connection_id in unseen
        else notice
        for notice in told
        if notice is not None
    )


def _latest_steps(whole: Whole, subject: Subject) -> Mapping[UUID, list[SyncStep]]:
    steps = (
        SyncStep.objects.filter(
            user_id=whole.user_id,
            run__connection__in=list(whole.sources),
            resource_type__in=subject.resource_types,
        )
        .select_related("run")
        .only("resource_type", "status", "gap", "finished_at", "run__connection_id")
        .order_by("run__connection_id", "resource_type", "-run__created_at")
        .distinct("run__connection_id", "resource_type")
    )
    found: dict[UUID, list[SyncStep]] = defaultdict(list)
    for step in steps:
        found[step.run.connection_id].append(step)
    return found


def _notice(source: Source, subject: Subject, count: int, steps: Sequence[SyncStep]) -> Notice | None:
    gap = _gravest(steps)
    is_answered = any(step.status == Status.COMPLETE for step in steps)
    is_offered_in_part = gap is not None and gap.gap == Gap.NOT_OFFERED and is_answered
    if gap is not None and not is_offered_in_part and not (count and gap.gap in _SETTLED):
        date = dates.day(gap.finished_at) if gap.finished_at else ""
        text = str(_GAPS[Gap(gap.gap)]) % {"provider": source.provider, "date": date}
        named = _missing(steps) if is_answered and gap.gap in _SETTLED else ""
        return Notice(source.connection.pk, " ".join(filter(None, (text, named))), is_absence=not count)
    if count:
        return None
    if not steps and subject.resource_types:
        return _absence(source, gettext("Not fetched yet from %(provider)s."))
    if any(step.status in _OPEN for step in steps):
        return _absence(source, gettext("Not here yet from %(provider)s."))
    none_sent = _absence(source, " ".join(filter(None, (_none_sent(subject), _missing(steps)))))
    return replace(none_sent, is_none_sent=True)


def _missing(steps: Iterable[SyncStep]) -> str:
    """Which of several types did not come, so that those that did are not said to be missing."""
    names = dict.fromkeys(str(parts.name(step.resource_type)) for step in steps if step.status == Status.GAP)
    return gettext("Missing: %(parts)s.") % {"parts": ", ".join(names)} if names else ""


def _gravest(steps: Iterable[SyncStep]) -> SyncStep | None:
    """Of several types that did not come, one that somebody can do something about speaks first."""
    gaps = [step for step in steps if step.status == Status.GAP]
    return min(gaps, key=lambda step: (step.gap in _SETTLED, step.gap == Gap.NOT_OFFERED), default=None)


def _none_sent(subject: Subject) -> str:
    if subject is ALLERGIES:
        return gettext(
            "%(provider)s sent no allergy entries. They may not have asked you. This does not mean you have none."
        )
    return gettext("%(provider)s sent no entries. This does not mean there are none.")


def _absence(source: Source, sentence: str) -> Notice:
    return Notice(source.connection.pk, sentence % {"provider": source.provider}, is_absence=True)


_SETTLED: Final = frozenset({Gap.NOT_OFFERED, Gap.NOT_SHARED})
_GAPS: Final[Mapping[SyncStep.Gap, str | Promise]] = {
    Gap.NOT_SHARED: _("Not shared: you or %(provider)s did not allow this kind of entry."),
    Gap.NOT_OFFERED: _("%(provider)s does not offer this to apps. Ask them directly."),
    Gap.NOT_ENABLED: _("%(provider)s does not let this app in."),
    Gap.REFUSED: _("Not complete: %(provider)s did not accept our request on %(date)s. This is ours to fix."),
    Gap.UNAVAILABLE: _("Not complete: we could not get this from %(provider)s on %(date)s."),
    Gap.UNREADABLE: _("Not complete: %(provider)s sent something we could not read on %(date)s."),
    Gap.STOPPED_SHORT: _("Not complete: %(provider)s counted more than it sent. We cannot reach the rest."),
    Gap.TOO_MUCH: _("%(provider)s sent more than we can take. We stopped on %(date)s and keep what came."),
    Gap.WORKER_DIED: _("Not complete: we could not take in what %(provider)s sent on %(date)s. This is ours to fix."),
    Gap.SIGN_IN_NEEDED: _("Not complete: %(provider)s wants you to sign in again before it sends more."),
    Gap.OTHER_PATIENT: _("%(provider)s sent entries about someone else. We did not keep them."),
}
