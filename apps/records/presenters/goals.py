"""A Goal of either FHIR version (patient experience 3.9).

Facts 1.6: DSTU2 has one status, which says both whether the goal is pursued and what came of it, a text as description,
and one date or duration. R4 has a lifecycle status, an achievement status, a concept as description, and targets, each
with a date or a duration.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy
from msgspec.structs import replace

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.datatypes import lengths, moments
from apps.records.presenters.datatypes.lengths import NO_LENGTH, Length
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import Meaning, ReferenceRange
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import names_of, reasons, titles
from apps.records.presenters.observations import keys_of_tests, values
from apps.records.presenters.observations.values import NO_VALUE, Kind, Value

_MOST = 30


class Status(StrEnum):
    """Whether a goal is pursued."""

    SUGGESTED = "suggested"
    WORKING_ON_IT = "working-on-it"
    PAUSED = "paused"
    REACHED = "reached"
    KEPT_UP = "kept-up"
    FINISHED = "finished"
    NOT_PURSUED = "not-pursued"


class Group(StrEnum):
    """The groups of the list."""

    CURRENT = "current"
    SUGGESTED = "suggested"
    PAST = "past"


class Verdict(StrEnum):
    """What came of a goal so far, according to the provider."""

    UNDER_WAY = "under-way"
    CLOSER = "closer"
    FURTHER_AWAY = "further-away"
    NO_CHANGE = "no-change"
    REACHED = "reached"
    KEPT_UP = "kept-up"
    NOT_REACHED = "not-reached"
    NOT_POSSIBLE = "not-possible"
    NOT_GIVEN = NOT_GIVEN


_STATUSES = {
    "proposed": Status.SUGGESTED,
    "planned": Status.SUGGESTED,
    "accepted": Status.WORKING_ON_IT,
    "active": Status.WORKING_ON_IT,
    "in-progress": Status.WORKING_ON_IT,
    "on-hold": Status.PAUSED,
    "achieved": Status.REACHED,
    "sustaining": Status.KEPT_UP,
    "completed": Status.FINISHED,
    "rejected": Status.NOT_PURSUED,
    "cancelled": Status.NOT_PURSUED,
}
_GROUPS = {
    Status.SUGGESTED: Group.SUGGESTED,
    Status.WORKING_ON_IT: Group.CURRENT,
    Status.PAUSED: Group.CURRENT,
    Status.KEPT_UP: Group.CURRENT,
    Status.REACHED: Group.PAST,
    Status.FINISHED: Group.PAST,
    Status.NOT_PURSUED: Group.PAST,
}
_VERDICTS = {
    "in-progress": Verdict.UNDER_WAY,
    "improving": Verdict.CLOSER,
    "worsening": Verdict.FURTHER_AWAY,
    "no-change": Verdict.NO_CHANGE,
    "no-progress": Verdict.NO_CHANGE,
    "achieved": Verdict.REACHED,
    "sustaining": Verdict.KEPT_UP,
    "not-achieved": Verdict.NOT_REACHED,
    "not-attainable": Verdict.NOT_POSSIBLE,
}
# DSTU2 has one status where R4 has a lifecycle status and an achievement status.
_STATUS_BY_VERDICT = {Verdict.REACHED: Status.REACHED, Verdict.KEPT_UP: Status.KEPT_UP}


class Target(msgspec.Struct, frozen=True, gc=False):
    """What to measure, and the value to reach by a date or within a time. `test` is the key that it shares with the
    results that measure it (`observations.keys_of_tests`); empty if nothing says what is measured."""

    measure: str = ""
    test: str = ""
    value: Value = NO_VALUE
    due: When = UNDATED
    within: Length = NO_LENGTH


class GoalEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A goal. `verdict` is the provider's judgment, `outcomes` are the results in the provider's words, `why` explains
    the status. `due` is the first date by which to reach it, `within` the first duration. `priority` is a key of
    `PRIORITY_WORDS`, or the provider's words."""

    verdict: Verdict = Verdict.NOT_GIVEN
    due: When = UNDATED
    within: Length = NO_LENGTH
    targets: tuple[Target, ...] = ()
    reasons: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    priority: str = ""


def bounds(value: Value) -> ReferenceRange | None:
    """The value to reach, as a range: a number without a comparator is both bounds. None if it is not a number."""
    low, high = value.quantity, value.until
    if value.kind == Kind.QUANTITY and value.quantity:
        is_below, is_above = low.comparator.startswith("<"), low.comparator.startswith(">")
        low, high = (Quantity() if is_below else low), (Quantity() if is_above else value.quantity)
    elif value.kind != Kind.RANGE:
        return None
    found = ReferenceRange(
        low=replace(low, comparator=""),
        high=replace(high, comparator=""),
        includes_low=low.comparator != ">",
        includes_high=high.comparator != "<",
        meaning=Meaning.OTHER,
    )
    return found if found.is_numeric else None


def present(resource: Element, context: Context) -> GoalEntry:
    """Read a Goal."""
    heading = head(resource, resource.get("description"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return GoalEntry(**heading)
    heading["title"] = first_name((heading["title"], *titles(resource, "category")))
    verdict = _verdict(resource)
    status = _status(resource, verdict)
    targets = tuple(_target(target) for target in elements.children(resource, "target"))
    dues = (moments.read(resource, "targetDate", means="due"), *(target.due for target in targets))
    withins = (lengths.read(elements.child(resource, "targetQuantity")), *(target.within for target in targets))
    return GoalEntry(
        **heading,
        when=moments.read(resource, "start", "statusDate", means="started"),
        status=status,
        group=_GROUPS.get(Status(status), NOT_GIVEN) if status != NOT_GIVEN else NOT_GIVEN,
        people=names_of(
            (elements.child(resource, name) for name in ("expressedBy", "author")), context, within=resource
        ),
        said=notes(resource, "note"),
        verdict=verdict,
        due=next(filter(None, dues), When()),
        within=next(filter(None, withins), Length()),
        targets=tuple(target for target in targets if _says_more(target, beside=len(targets) > 1))[:_MOST],
        reasons=reasons(resource, context, (), ("addresses",)),
        why=titles(resource, "statusReason"),
        outcomes=_outcomes(resource, context, verdict),
        priority=_priority(resource),
    )


def _priority(resource: Element) -> str:
    """The priority. HL7's code is "high-priority" in R4 and "high" in DSTU2."""
    codes = (code.removesuffix("-priority") for code in status_codes(resource, "priority"))
    return next((code for code in codes if code in PRIORITY_WORDS), title_of(resource.get("priority")))


def _outcomes(resource: Element, context: Context, verdict: Verdict) -> tuple[str, ...]:
    """What came of the goal: results in DSTU2, codes and references in R4, and an achievement status for which we have
    no word."""
    said = [] if verdict is not Verdict.NOT_GIVEN else [*titles(resource, "achievementStatus")]
    said += reasons(resource, context, ("outcomeCode",), ("outcomeReference",))
    for sent in elements.children(resource, "outcome"):
        within = {**sent, "contained": resource.get("contained")}
        said += reasons(within, context, ("resultCodeableConcept",), ("resultReference",))
    return tuple(dict.fromkeys(said))[:_MOST]


def _verdict(resource: Element) -> Verdict:
    codes = (*status_codes(resource, "achievementStatus"), *status_codes(resource, "status"))
    return next((_VERDICTS[code] for code in codes if code in _VERDICTS), Verdict.NOT_GIVEN)


def _status(resource: Element, verdict: str) -> str:
    codes = (*status_codes(resource, "lifecycleStatus"), *status_codes(resource, "status"))
    status = next((_STATUSES[code] for code in codes if code in _STATUSES), NOT_GIVEN)
    if status in {Status.FINISHED, Status.WORKING_ON_IT} and verdict != NOT_GIVEN:
        return _STATUS_BY_VERDICT.get(Verdict(verdict), Status(status))
    return status


def _says_more(target: Target, *, beside: bool) -> bool:
    """Whether a target says more than the goal itself. If there are several, the time of each counts, too."""
    return bool(target.measure or target.value or (beside and (target.due or target.within)))


def _target(target: Element) -> Target:
    details = {f"value{name.removeprefix('detail')}": value for name, value in target.items() if name[:6] == "detail"}
    measure = elements.child(target, "measure")
    title = title_of(measure)
    return Target(
        measure=title,
        test=keys_of_tests.of(codes_of(measure), title),
        value=values.read(details),
        due=moments.read(target, "dueDate", means="due"),
        within=lengths.read(elements.child(target, "dueDuration")),
    )


PRIORITY_WORDS: Mapping[str, str | Promise] = {
    "high": pgettext_lazy("priority", "High"),
    "medium": pgettext_lazy("priority", "Medium"),
    "low": pgettext_lazy("priority", "Low"),
}
