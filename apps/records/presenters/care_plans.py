"""A CarePlan of either FHIR version: what is planned, why, and what to do (patient experience 3.9).

DSTU2 has no title, and may say everything in the narrative, which Argonaut makes mandatory. Its care teams are
CarePlans as well; `care_teams` reads these.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from apps.records.presenters import annotations, elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.dosing import dosages
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, is_suggested, status_codes
from apps.records.presenters.modifiers import modifiers
from apps.records.presenters.naming import beside, is_patient, name_of, names_of, reasons, titles
from apps.records.presenters.narratives import opening

_MOST = 50
_LONGEST_TITLE = 120
_PLAIN_CATEGORIES = frozenset({"assess-plan", "careteam"})  # they say that it is a plan, but not which one


class Status(StrEnum):
    """The status of a plan."""

    NOT_FINAL = "not-final"
    SUGGESTED = "suggested"
    CURRENT = "current"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"


class Group(StrEnum):
    """The groups of the list."""

    CURRENT = "current"
    SUGGESTED = "suggested"
    NOT_FINAL = "not-final"
    PAST = "past"


class Progress(StrEnum):
    """How far along an activity is."""

    NOT_BEGUN = "not-begun"
    PLANNED = "planned"
    UNDER_WAY = "under-way"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"


_STATUSES = {
    "proposed": Status.NOT_FINAL,
    "draft": Status.NOT_FINAL,
    "active": Status.CURRENT,
    "on-hold": Status.PAUSED,
    "completed": Status.FINISHED,
    "cancelled": Status.STOPPED,
    "revoked": Status.STOPPED,
}
_GROUPS = {
    Status.NOT_FINAL: Group.NOT_FINAL,
    Status.SUGGESTED: Group.SUGGESTED,
    Status.CURRENT: Group.CURRENT,
    Status.PAUSED: Group.CURRENT,
    Status.FINISHED: Group.PAST,
    Status.STOPPED: Group.PAST,
}
_OPEN = frozenset({Status.CURRENT, Status.PAUSED, NOT_GIVEN})
_PROGRESS = {
    "not-started": Progress.NOT_BEGUN,
    "scheduled": Progress.PLANNED,
    "in-progress": Progress.UNDER_WAY,
    "on-hold": Progress.PAUSED,
    "completed": Progress.DONE,
    "cancelled": Progress.STOPPED,
    "stopped": Progress.STOPPED,
}


class Noted(msgspec.Struct, frozen=True, gc=False):
    """A note on an activity, with its author and time if these were sent."""

    text: str
    author: str = ""
    when: When = UNDATED


class Activity(msgspec.Struct, frozen=True, gc=False):
    """One thing to do or, if `is_to_avoid`, not to do. `progress_notes` are the notes with an author or a date, `said`
    is all other text. `also` are its other names, such as a medicine's. `why_so` explains its progress, `reasons` say
    what it is for, and `outcomes` what came of it."""

    text: str = ""
    progress: str = NOT_GIVEN
    when: When = UNDATED
    is_to_avoid: bool = False
    said: tuple[str, ...] = ()
    progress_notes: tuple[Noted, ...] = ()
    schedule: tuple[Dosage, ...] = ()
    daily: Quantity = NO_QUANTITY
    quantity: Quantity = NO_QUANTITY
    place: str = ""
    people: tuple[str, ...] = ()
    why_so: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class CarePlanEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A plan. `reasons` are names of conditions, `goals` what the goals say."""

    description: str = ""
    activities: tuple[Activity, ...] = ()
    reasons: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()


def is_care_team(resource: Element) -> bool:
    """Whether this CarePlan is a care team, as DSTU2 sends it (facts 1.2)."""
    categories = elements.children(resource, "category")
    return any(code.code.lower() == "careteam" for category in categories for code in codes_of(category))


def present(resource: Element, context: Context) -> CarePlanEntry:
    """Read a CarePlan that is not a care team."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return CarePlanEntry(**heading)
    categories = list(elements.children(resource, "category"))
    telling = [category for category in categories if not _is_plain(category)]
    description = elements.text(resource, "description")
    named = (title_of(category) for category in (*telling, *categories))
    called = (elements.text(resource, "title"), *(title_of(category) for category in telling))
    told = first_line(heading["narrative"]), description[:_LONGEST_TITLE]
    heading["title"] = first_name((*called, *told, *named))
    heading["codes"] = tuple(code for category in telling for code in codes_of(category))
    status = _status(resource)
    return CarePlanEntry(
        **heading,
        when=moments.read(resource, "period", "created", means="started"),
        status=status,
        group=_GROUPS.get(Status(status), NOT_GIVEN) if status != NOT_GIVEN else NOT_GIVEN,
        people=names_of(_people(resource), context, within=resource),
        said=notes(resource, "note"),
        description=description if description != heading["title"] else "",
        activities=_activities(resource, context),
        reasons=reasons(resource, context, (), ("addresses",)),
        goals=_goals(resource, context),
    )


def _people(resource: Element) -> Iterator[Element]:
    """The authors, the contributors and the care team; in DSTU2, the participants."""
    for name in ("author", "contributor", "careTeam"):
        yield from elements.children(resource, name)
    for participant in elements.children(resource, "participant"):
        if not is_patient(elements.child(participant, "member")):
            yield elements.child(participant, "member")


def status_of(resource: Element) -> str:
    """Our word for the status of a CarePlan of either FHIR version."""
    return next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)


def _status(resource: Element) -> str:
    """The status, corrected by the intent in R4: a plan that is only proposed is not current."""
    status = status_of(resource)
    return Status.SUGGESTED if status in _OPEN and is_suggested(resource, is_a_plan=True) else status


def first_line(narrative: str) -> str:
    """The first line of a narrative, if it could be its heading; DSTU2 has no other name for a plan."""
    line = opening(narrative)
    return line if len(line) <= _LONGEST_TITLE else ""


def _is_plain(category: Element) -> bool:
    return any(code.code.lower() in _PLAIN_CATEGORIES for code in codes_of(category))


def _activities(resource: Element, context: Context) -> tuple[Activity, ...]:
    told = (one for one in elements.children(resource, "activity") if not is_withdrawn(elements.child(one, "detail")))
    sent = (_activity(resource, activity, context) for activity in told)
    return tuple(islice((activity for activity in sent if _says_something(activity)), _MOST))


def _says_something(activity: Activity) -> bool:
    """Whether it says anything beyond its progress and its planned time."""
    return replace(activity, progress=NOT_GIVEN, when=UNDATED) != Activity()


def _activity(resource: Element, activity: Element, context: Context) -> Activity:
    detail = elements.child(activity, "detail")
    called = _called(detail, context, within=resource)
    said = (*called[:1], name_of(elements.child(activity, "reference"), context, within=resource))
    signed = annotations.signatures(activity, context, within=resource, names=("progress",))
    progress = (_PROGRESS[code] for code in status_codes(detail, "status") if code in _PROGRESS)
    return Activity(
        text=next(filter(None, said), ""),
        progress=next(progress, NOT_GIVEN),
        when=moments.read(detail, "scheduled", means="planned"),
        is_to_avoid=is_to_avoid(detail),
        said=tuple(
            dict.fromkeys((*modifiers(detail), *(one for one in notes(activity, "progress") if one not in signed)))
        ),
        progress_notes=tuple(Noted(text, one.author, one.when) for text, each in signed.items() for one in each),
        schedule=dosages.of_timing(detail, "scheduledTiming"),
        daily=quantities.read(elements.child(detail, "dailyAmount")),
        quantity=quantities.read(elements.child(detail, "quantity")),
        place=name_of(detail.get("location"), context, within=resource),
        people=names_of(elements.children(detail, "performer"), context, within=resource),
        why_so=titles(detail, "statusReason"),
        reasons=(*titles(detail, "reasonCode"), *_named(resource, detail, "reasonReference", context)),
        also=called[1:],
        outcomes=(*titles(activity, "outcomeCodeableConcept"), *_outcomes(resource, activity, context)),
    )


def _outcomes(resource: Element, activity: Element, context: Context) -> tuple[str, ...]:
    """What came of the activity; in DSTU2, from `actionResulting`."""
    names = ("outcomeReference", "actionResulting")
    return tuple(said for name in names for said in _named(resource, activity, name, context))


def _named(resource: Element, part: Element, name: str, context: Context) -> tuple[str, ...]:
    return names_of(elements.children(part, name), context, within=resource)


def what_to_do(detail: Element, context: Context, *, within: Element) -> str:
    """What the detail of an activity says to do or not to do: its words, or those of its product. Without words, the
    code itself as sent: even an unreadable code may mean something that the patient must not do."""
    return next(iter(_called(detail, context, within=within)), "")


def _called(detail: Element, context: Context, *, within: Element) -> tuple[str, ...]:
    product = detail.get("productCodeableConcept")
    said = (
        elements.text(detail, "description"),
        title_of(detail.get("code")),
        title_of(product) or name_of(elements.child(detail, "productReference"), context, within=within),
    )
    coded = filter(None, (elements.words(detail.get("code")), elements.words(product)))
    return tuple(dict.fromkeys(filter(None, said))) or tuple(islice(coded, 1))


def is_withdrawn(detail: Element) -> bool:
    """Whether the provider says that this was never an activity of the plan."""
    return "entered-in-error" in status_codes(detail, "status")


def is_to_avoid(detail: Element) -> bool:
    """Whether the activity must not be done: `prohibited` in DSTU2, `doNotPerform` in R4."""
    return any(elements.flag(detail, name) is True for name in ("prohibited", "doNotPerform"))


def _goals(resource: Element, context: Context) -> tuple[str, ...]:
    """The descriptions of the goals, which are texts in DSTU2 and concepts in R4."""
    said = (_goal(resource, reference, context) for reference in elements.children(resource, "goal"))
    return tuple(dict.fromkeys(filter(None, said)))[:_MOST]


def _goal(resource: Element, reference: Element, context: Context) -> str:
    found = context.find(reference, within=resource)
    return first_name((beside(reference), title_of(found.get("description"))))


# SNOMED CT codes that some servers send for all their plans.
PLAIN_WORDS: Mapping[str, str | Promise] = {
    "38717003": _("Care plan over a long time"),
    "734163000": _("Care plan"),
    "736353004": _("Care plan for a hospital stay"),
    "736271009": _("Care plan outside the hospital"),
}
