"""The ledger of one connection: for each subject exactly one line that says what came, or why it did not.

The sentences are those of patient experience 2.3. None is ever shortened to "no data": that one provider sent nothing,
offers nothing, was not allowed to share, or did not answer are four different things.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import cast

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.presenters import dates
from apps.records.subjects import SUBJECTS, Subject

Status = SyncStep.Status
Gap = SyncStep.Gap


class Kind(StrEnum):
    """How a line looks; the kinds of `partials/status.html`."""

    DONE = "done"
    INFO = "info"
    WORKING = "working"
    NEEDS_YOU = "needs-you"
    FAULT = "fault"
    OFF = "off"


@dataclass(frozen=True)
class Line:
    """One subject. `word` is its state in a word or two, `sentence` says the rest; `entries` is what we hold.

    `is_done` says that nothing more is coming, whether or not all of it came.
    """

    subject: str | Promise
    kind: Kind
    word: str
    sentence: str
    entries: int
    is_done: bool


@dataclass(frozen=True)
class _Facts:
    """What a sentence is made of."""

    provider: str
    entries: int
    step: SyncStep | None
    complete_at: datetime | None
    is_stopped: bool = False


def lines(connection: Connection, run: SyncRun | None, *, provider: str, is_stopped: bool = False) -> tuple[Line, ...]:
    """A line for each subject, told by the steps of the connection's latest run; `is_stopped`: nothing moves now."""
    steps = {step.resource_type: step for step in run.steps.all()} if run else {}
    entries = _entries(connection)
    complete = _last_complete(connection)
    told = (_facts(subject, provider, entries, steps, complete) for subject in SUBJECTS)
    return tuple(
        _line(subject, replace(facts, is_stopped=is_stopped)) for subject, facts in zip(SUBJECTS, told, strict=True)
    )


def _facts(
    subject: Subject,
    provider: str,
    entries: Mapping[str, int],
    steps: Mapping[str, SyncStep],
    complete: Mapping[str, datetime],
) -> _Facts:
    types = subject.resource_types
    proven = [complete.get(resource_type) for resource_type in types]
    return _Facts(
        provider=provider,
        entries=sum(entries.get(resource_type, 0) for resource_type in types),
        step=max((steps[name] for name in types if name in steps), key=_urgency, default=None),
        complete_at=min((at for at in proven if at), default=None) if all(proven) else None,
    )


def _urgency(step: SyncStep) -> int:
    """Of several types behind one subject, the one that is missing speaks."""
    return (Status.COMPLETE, Status.WAITING, Status.GETTING, Status.GAP).index(Status(step.status))


def _entries(connection: Connection) -> dict[str, int]:
    mine = Record.objects.filter(user_id=connection.user_id, connection_id=connection.id)
    return dict(mine.values_list("resource_type").annotate(Count("pk")))


def _last_complete(connection: Connection) -> dict[str, datetime]:
    steps = SyncStep.objects.filter(run__connection=connection, status=Status.COMPLETE)
    newest = steps.order_by("resource_type", "-finished_at").distinct("resource_type")
    return {name: at for name, at in newest.values_list("resource_type", "finished_at") if at}


def _line(subject: Subject, facts: _Facts) -> Line:
    kind, word, sentence = _said(facts)
    is_done = facts.step is not None and facts.step.status in {Status.COMPLETE, Status.GAP}
    return Line(subject.name, kind, word, sentence, facts.entries, is_done)


def _said(facts: _Facts) -> tuple[Kind, str, str]:
    step = facts.step
    if step is None:
        return Kind.OFF, gettext("Not started"), gettext("Not fetched yet.")
    if step.status == Status.WAITING or (step.status == Status.GETTING and facts.is_stopped):
        return Kind.OFF, gettext("Waiting"), _kept(facts)
    if step.status == Status.GETTING:
        return Kind.WORKING, gettext("Getting"), _kept(facts)
    if step.status == Status.GAP:
        return _gap_said(Gap(step.gap), step, facts)
    if facts.entries == 0:
        sentence = gettext("%(provider)s sent no entries. This does not mean there are none.")
        return Kind.INFO, gettext("Nothing sent"), sentence % {"provider": facts.provider}
    return Kind.DONE, gettext("Complete"), _complete(facts)


def _complete(facts: _Facts) -> str:
    sentence = ngettext(
        "%(count)d entry. Complete as of %(date)s.", "%(count)d entries. Complete as of %(date)s.", facts.entries
    )
    return sentence % {"count": facts.entries, "date": dates.day(facts.complete_at) if facts.complete_at else ""}


def _kept(facts: _Facts) -> str:
    """What is already here, while more is on its way or missing; nothing where nothing is."""
    if facts.entries == 0:
        return ""
    sentence = ngettext("%(count)d entry is here.", "%(count)d entries are here.", facts.entries)
    return sentence % {"count": facts.entries}


def _gap_said(gap: SyncStep.Gap, step: SyncStep, facts: _Facts) -> tuple[Kind, str, str]:
    kind, word, sentence = _words(gap, step)
    said = cast("str", sentence) % {  # still lazy: only with its numbers does it know singular from plural
        "provider": facts.provider,
        "date": dates.day(step.finished_at) if step.finished_at else "",
        "counted": step.rows_counted or 0,
        "sent": step.rows_kept,
        "refused": step.rows_refused,
        "unreadable": step.rows_unreadable,
    }
    kept = "" if gap == Gap.STOPPED_SHORT else _kept(facts)
    return kind, str(word), " ".join(filter(None, (said, kept)))


def _words(gap: SyncStep.Gap, step: SyncStep) -> "_Said":
    if gap == Gap.UNREADABLE and step.rows_unreadable:
        return _UNREADABLE_ENTRIES
    if gap == Gap.STOPPED_SHORT and (step.rows_counted or 0) <= step.rows_kept:
        return _UNCOUNTED_REST
    return _GAPS[gap]


_Said = tuple[Kind, str | Promise, str | Promise]

_GAPS: Mapping[SyncStep.Gap, _Said] = {
    Gap.NOT_SHARED: (
        Kind.OFF,
        _("Not shared"),
        _("Not shared. You or %(provider)s did not allow this kind of entry."),
    ),
    Gap.NOT_OFFERED: (
        Kind.OFF,
        _("Not offered"),
        _("%(provider)s does not offer this to apps. Ask them directly."),
    ),
    Gap.REFUSED: (
        Kind.FAULT,
        _("Not complete"),
        _("%(provider)s did not accept our request on %(date)s. This is ours to fix."),
    ),
    Gap.UNAVAILABLE: (Kind.FAULT, _("Not complete"), _("We could not get this on %(date)s.")),
    Gap.UNREADABLE: (
        Kind.FAULT,
        _("Not complete"),
        _("%(provider)s sent an answer we could not read on %(date)s. We keep what came."),
    ),
    Gap.STOPPED_SHORT: (
        Kind.INFO,
        _("Not complete"),
        _("%(provider)s counted %(counted)d but sent %(sent)d. We cannot reach the rest."),
    ),
    Gap.SIGN_IN_NEEDED: (
        Kind.NEEDS_YOU,
        _("Sign-in needed"),
        _("%(provider)s wants you to sign in again before it sends more."),
    ),
    Gap.OTHER_PATIENT: (
        Kind.FAULT,
        _("Not all yours"),
        ngettext_lazy(
            "%(refused)d entry was not yours: %(provider)s sent an entry about someone else. We did not keep it "
            "and have told our staff. You may want to tell %(provider)s.",
            "%(refused)d entries were not yours: %(provider)s sent entries about someone else. We did not keep them "
            "and have told our staff. You may want to tell %(provider)s.",
            "refused",
        ),
    ),
}
_UNREADABLE_ENTRIES: _Said = (
    Kind.FAULT,
    _("Not complete"),
    ngettext_lazy(
        "%(unreadable)d entry from %(provider)s could not be read, and is not here.",
        "%(unreadable)d entries from %(provider)s could not be read, and are not here.",
        "unreadable",
    ),
)
_UNCOUNTED_REST: _Said = (
    Kind.INFO,
    _("Not complete"),
    ngettext_lazy(
        "%(sent)d entry came. There may be more at %(provider)s that we could not get.",
        "%(sent)d entries came. There may be more at %(provider)s that we could not get.",
        "sent",
    ),
)
