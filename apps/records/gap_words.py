"""Why something did not come: one sentence for each gap of a step, the same on every page (patient experience 2.3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.records import parts
from apps.records.counts import Count
from apps.records.models import SyncStep
from apps.records.presenters.datatypes import dates
from apps.records.subjects import shelved_for

Gap = SyncStep.Gap
TRIED_AGAIN: Final = frozenset({Gap.UNAVAILABLE, Gap.UNREADABLE})  # automatically, and then it may come


class Kind(StrEnum):
    """How a line looks: one of the kinds in `partials/status.html`."""

    DONE = "done"
    INFO = "info"
    WORKING = "working"
    NEEDS_YOU = "needs-you"
    FAULT = "fault"
    OFF = "off"


@dataclass(frozen=True)
class GapText:
    """A gap in words: how it looks, a word or two, and the sentence."""

    kind: Kind
    word: str
    sentence: str

    def in_a_list(self, provider: str) -> str:
        """The sentence for a list with several providers; if the copy is incomplete, it says so first."""
        named = self.sentence if provider in self.sentence else f"{provider}: {self.sentence}"
        return f"{self.word}: {named}" if self.word == str(_NOT_COMPLETE) else named


def of(step: SyncStep, *, provider: str, tries_again: bool = False) -> GapText:
    """Why the rows of this step did not come, or not all of them; `step` has a gap. Single entries that came and were
    not kept are mentioned as well, whatever else is missing. `tries_again`: we try again automatically, so they may
    come."""
    values = {
        "provider": provider,
        "part": parts.name(step.resource_type),
        "date": dates.day(step.finished_at) if step.finished_at else "",
        "counted": Count(step.rows_counted or 0),
        "sent": Count(_sent(step)),
        "refused": Count(step.rows_refused),
        "unreadable": Count(step.rows_unreadable),
    }
    first = _words(step.known_gap, step)
    told = (first, *(said for said in _of_single_entries(step) if said is not first))
    sentences = [_said_of(step, one, values) for one in told]
    if tries_again and step.gap in TRIED_AGAIN:
        sentences.insert(1, gettext("We try again about once a day."))
    kind, word, _sentence = first
    is_fault = any(said[0] is Kind.FAULT for said in told)
    return GapText(Kind.FAULT if is_fault else kind, str(word), " ".join(sentences))


def _said_of(step: SyncStep, said: "_Said", values: Mapping[str, object]) -> str:
    """The sentence. If it counts entries of a type that is listed under several subjects, it says that the count is for
    all of them together: otherwise each subject would seem to have its own."""
    # still lazy: it needs its numbers to choose singular or plural
    sentence = cast("str", said[2]) % values
    if any(said is one for one in _COUNTING) and len(shelved_for(step.resource_type)) > 1:
        return gettext("For all %(part)s together: %(said)s") % {"part": values["part"], "said": sentence}
    return sentence


def _words(gap: SyncStep.Gap, step: SyncStep) -> "_Said":
    if gap == Gap.UNREADABLE and step.rows_unreadable:
        return _UNREADABLE_ENTRIES
    if gap == Gap.STOPPED_SHORT and step.since_at is not None:
        return _PERHAPS_NEW
    if gap == Gap.STOPPED_SHORT and (step.rows_counted or 0) <= _sent(step):
        return _UNCOUNTED_REST
    if not step.came_in_part:
        return _GAPS[gap]
    is_shared = len(shelved_for(step.resource_type)) > 1  # any of those subjects may have all of its entries
    return (_PARTLY_OF_A_KIND if is_shared else _PARTLY).get(gap, _GAPS[gap])


def _of_single_entries(step: SyncStep) -> "Iterator[_Said]":
    if step.rows_refused:
        yield _GAPS[Gap.OTHER_PATIENT]
    if step.rows_unreadable:
        yield _UNREADABLE_ENTRIES


def _sent(step: SyncStep) -> int:
    return step.rows_kept + step.rows_refused + step.rows_unreadable


_Said = tuple[Kind, str | Promise, str | Promise]
_NOT_COMPLETE = _("Not complete")

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
    Gap.NOT_ENABLED: (Kind.OFF, _("No access"), _("%(provider)s does not let this app in.")),
    Gap.TURNED_AWAY: (
        Kind.OFF,
        _("No access"),
        _("%(provider)s did not let us read this, although your sign-in is good. Only they can change that."),
    ),
    Gap.REFUSED: (
        Kind.FAULT,
        _NOT_COMPLETE,
        _("%(provider)s did not accept our request on %(date)s. This is ours to fix."),
    ),
    Gap.UNAVAILABLE: (Kind.FAULT, _NOT_COMPLETE, _("We could not get this on %(date)s.")),
    Gap.UNREADABLE: (
        Kind.FAULT,
        _NOT_COMPLETE,
        _("%(provider)s sent an answer we could not read on %(date)s. We keep what came."),
    ),
    Gap.STOPPED_SHORT: (
        Kind.INFO,
        _NOT_COMPLETE,
        _("%(provider)s counted %(counted)s but sent %(sent)s. We cannot reach the rest."),
    ),
    Gap.TOO_MUCH: (
        Kind.INFO,
        _NOT_COMPLETE,
        _("%(provider)s sent more than we can handle. We stopped on %(date)s and kept what came."),
    ),
    Gap.WORKER_DIED: (
        Kind.FAULT,
        _NOT_COMPLETE,
        _("We could not process what %(provider)s sent on %(date)s. This is ours to fix."),
    ),
    Gap.UNSEEN: (
        Kind.INFO,
        _("Not sent this time"),
        _(
            "%(provider)s sent none of these in our last check, on %(date)s. It may be a mistake, so we keep what we "
            "have and look again."
        ),
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
            "%(refused)s entry was not yours: %(provider)s sent an entry about someone else. It is not in your "
            "record, and we have told our staff. You may want to tell %(provider)s.",
            "%(refused)s entries were not yours: %(provider)s sent entries about someone else. They are not in "
            "your record, and we have told our staff. You may want to tell %(provider)s.",
            "refused",
        ),
    ),
}
_MOSTLY_UNSEEN: _Said = (
    Kind.INFO,
    _("Not all sent this time"),
    _(
        "%(provider)s sent only some of these in our last check, on %(date)s. It may be a mistake, so we keep what we "
        "have and look again."
    ),
)
# If others of the kind came.
_PARTLY: Mapping[SyncStep.Gap, _Said] = {
    Gap.NOT_SHARED: (
        Kind.OFF,
        _("Not all shared"),
        _("Some of these entries are not shared. You or %(provider)s did not allow them."),
    ),
    Gap.TURNED_AWAY: (
        Kind.OFF,
        _("No access to some"),
        _("%(provider)s did not let us read some of these, although your sign-in is good. Only they can change that."),
    ),
    Gap.UNAVAILABLE: (Kind.FAULT, _NOT_COMPLETE, _("We could not get all of this on %(date)s.")),
    Gap.UNSEEN: _MOSTLY_UNSEEN,
}
# The same for a kind listed under several subjects: true for each of them.
_PARTLY_OF_A_KIND: Mapping[SyncStep.Gap, _Said] = {
    Gap.NOT_SHARED: (
        Kind.OFF,
        _("Not all shared"),
        _("Some %(part)s are not shared. You or %(provider)s did not allow them."),
    ),
    Gap.TURNED_AWAY: (
        Kind.OFF,
        _("No access to some"),
        _("%(provider)s did not let us read some %(part)s, although your sign-in is good. Only they can change that."),
    ),
    Gap.UNAVAILABLE: (Kind.FAULT, _NOT_COMPLETE, _("We could not get all %(part)s on %(date)s.")),
    Gap.UNSEEN: _MOSTLY_UNSEEN,
}
_UNREADABLE_ENTRIES: _Said = (
    Kind.FAULT,
    _NOT_COMPLETE,
    ngettext_lazy(
        "%(unreadable)s entry from %(provider)s could not be read, and is not here.",
        "%(unreadable)s entries from %(provider)s could not be read, and are not here.",
        "unreadable",
    ),
)
_UNCOUNTED_REST: _Said = (
    Kind.INFO,
    _NOT_COMPLETE,
    ngettext_lazy(
        "%(sent)s entry came. There may be more at %(provider)s that we could not get.",
        "%(sent)s entries came. There may be more at %(provider)s that we could not get.",
        "sent",
    ),
)
# For a check for changes: the provider's count may be of all that it has, and what came is a part of what we hold.
_PERHAPS_NEW: _Said = (
    Kind.INFO,
    _NOT_COMPLETE,
    _("%(provider)s may have something new here that we could not get on %(date)s."),
)
_COUNTING: Final = (_GAPS[Gap.STOPPED_SHORT], _GAPS[Gap.OTHER_PATIENT], _UNREADABLE_ENTRIES, _UNCOUNTED_REST)
