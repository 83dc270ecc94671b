"""An Observation of either FHIR version: what was measured or found, where the value lies, and what belongs to it.

FHIR DSTU2 and R4 Observation (facts section 1.6): category and interpretation are one in DSTU2 and several in R4, free
text is `comments` or `note`, and members are `related` with the type has-member, or `hasMember`. Digits, units and the
laboratory's words are as sent. We grade nothing: a place comes from the laboratory, or else from its range (patient
experience 3.3).
"""

from datetime import date
from enum import StrEnum
from typing import Any, Final, TypeAlias

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, name_in, title_of
from apps.records.presenters.datatypes import moments, ranges
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.ranges import ReferenceRange, Side
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Code, Context, Doubt, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.naming import id_of, is_patient, name_of, names_of
from apps.records.presenters.observations import at_home, doubts, interpretations, keys_of_tests, values
from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.values import NO_VALUE, Value
from apps.wire import datetimes

MOST_RESULTS: Final = 1000  # results that a report's entry names, and that a list counts
MOST_MEMBERS: Final = 200  # members of one result
_MOST = 200  # components or other references of one resource


class Status(StrEnum):
    """How far along a result or a report is. Pages do not mention "final"."""

    ORDERED = "ordered"
    PARTIAL = "partial"
    EARLY = "early"
    FINAL = "final"
    CORRECTED = "corrected"
    ADDED_TO = "added-to"
    CANCELED = "canceled"


class Group(StrEnum):
    """The group of a list that an observation belongs to; NOT_GIVEN if its status is not known."""

    REPORTED = "reported"
    AWAITED = "awaited"
    CANCELED = "canceled"


class Category(StrEnum):
    """What kind of observation it is, according to the provider."""

    LABORATORY = "laboratory"
    VITALS = "vitals"
    IMAGING = "imaging"
    SOCIAL = "social-history"
    SURVEY = "survey"
    EXAM = "exam"
    PROCEDURE = "procedure"
    THERAPY = "therapy"
    ACTIVITY = "activity"
    OTHER = "other"


class Judge(StrEnum):
    """Who says where a value lies: the laboratory, or our comparison with its range."""

    LAB = "lab"
    OURS = "ours"


# observation-status and diagnostic-report-status of both versions
STATUSES = {
    "registered": Status.ORDERED,
    "partial": Status.PARTIAL,
    "preliminary": Status.EARLY,
    "final": Status.FINAL,
    "amended": Status.CORRECTED,
    "corrected": Status.CORRECTED,
    "appended": Status.ADDED_TO,
    "cancelled": Status.CANCELED,
}
_GROUPS = {Status.ORDERED: Group.AWAITED, Status.CANCELED: Group.CANCELED}
WITHOUT_RESULT: Final = frozenset({Group.AWAITED, Group.CANCELED})  # groups of entries without a result, or not yet
_CATEGORIES = {
    "vital-signs": Category.VITALS,
    "sdoh": Category.SOCIAL,
    **{category.value: category for category in Category if category not in {Category.VITALS, Category.OTHER}},
}
_ANSWERED = frozenset({Category.SOCIAL, Category.SURVEY})
_SIDES = {
    Side.WITHIN: Place.WITHIN,
    Side.ABOVE: Place.ABOVE,
    Side.BELOW: Place.BELOW,
    Side.TOO_LOW: Place.TOO_LOW,
    Side.TOO_HIGH: Place.TOO_HIGH,
}


class Measured:
    """A value and what is said about it. `place` is one of `Place` or empty; `place_by` says who decided it.
    `place_words` are the laboratory's words that match none of our places.

    Each subclass declares these fields again: a struct has only one struct as its parent, and a result's is `Entry`.
    """

    __slots__ = ()

    value: Value
    ranges: tuple[ReferenceRange, ...]
    usual_range: ReferenceRange | None
    place: str
    place_by: str
    place_words: tuple[str, ...]

    @property
    def is_outside(self) -> bool:
        """Whether the value is outside of what is usual, according to the laboratory or its range."""
        return self.place in _OUTSIDE


_OUTSIDE = frozenset(
    {
        Place.ABOVE, Place.BELOW, Place.FAR_ABOVE, Place.FAR_BELOW, Place.OUTSIDE, Place.FAR_OUTSIDE,
        Place.UNMEASURED_ABOVE, Place.UNMEASURED_BELOW,
    }
)  # fmt: skip


class Component(Measured, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One of several values of one observation, such as the upper number of a blood pressure."""

    value: Value = NO_VALUE
    ranges: tuple[ReferenceRange, ...] = ()
    usual_range: ReferenceRange | None = None
    place: str = ""
    place_by: str = ""
    place_words: tuple[str, ...] = ()
    title: str = ""
    codes: tuple[Code, ...] = ()
    test: str = ""


class ResultEntry(Measured, Entry, frozen=True, kw_only=True, gc=False):
    """A result, a vital sign or any other observation.

    `test` is the key for comparing values: a LOINC code, else another code, else the title. `members` are
    references: `Type/id`, or `#id` for a contained result. `device` is the device that measured it. `at_home`: the
    provider says that it was measured at home.
    """

    value: Value = NO_VALUE
    ranges: tuple[ReferenceRange, ...] = ()
    usual_range: ReferenceRange | None = None
    place: str = ""
    place_by: str = ""
    place_words: tuple[str, ...] = ()
    test: str = ""
    category: str = Category.OTHER
    components: tuple[Component, ...] = ()
    reported: When = UNDATED
    method: str = ""
    device: str = ""
    specimen: str = ""
    state: tuple[str, ...] = ()
    body_site: str = ""
    members: tuple[str, ...] = ()
    at_home: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether it has neither a value nor parts. A page then says why, according to `value.absence`."""
        return not self.value and not self.components and not self.members


class Compared(Measured, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What pages show of a result beside others of the same test: about a third of a `ResultEntry`, with the same
    fields."""

    value: Value = NO_VALUE
    ranges: tuple[ReferenceRange, ...] = ()
    usual_range: ReferenceRange | None = None
    place: str = ""
    place_by: str = ""
    place_words: tuple[str, ...] = ()
    when: When = UNDATED
    status: str = NOT_GIVEN
    group: str = NOT_GIVEN
    said: tuple[str, ...] = ()
    is_withdrawn: bool = False
    is_withheld: bool = False
    is_modified: bool = False
    doubts: tuple[Doubt, ...] = ()
    test: str = ""
    category: str = Category.OTHER
    components: tuple[Component, ...] = ()
    at_home: bool = False


Comparable: TypeAlias = ResultEntry | Compared


def present(resource: Element, context: Context) -> ResultEntry:
    """Read an Observation."""
    concept = elements.child(resource, "code")
    heading = head(resource, concept)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return ResultEntry(**heading)
    heading["is_modified"] |= bool(against := doubts.read(resource, context))
    status = status_of(resource)
    when = moments.read(resource, "effective", means="collected", birth_date=context.birth_date)
    reported = moments.read(resource, "issued", means="reported")
    age = _age(when, context.birth_date) if _asks_for_age(resource) else None
    measured = _measured(resource, age=age)
    others = ", ".join(of_others(resource, context))
    test = keys_of_tests.of(heading["codes"], heading["title"])
    if others:
        heading["title"] = f"{heading['title']} ({others})".strip()
        test = keys_of_tests.of_others(test, others)
    return ResultEntry(
        **heading,
        **measured,
        when=when if when or when.unknown else reported,
        status=status,
        group=group_of(status),
        people=people_of(resource, context, "performer"),
        said=notes(resource, "note", "comments"),
        doubts=against,
        test=test,
        category=_category(resource),
        components=_components(resource, age=age),
        reported=reported,
        method=_titled(resource, "method"),
        device=name_of(resource.get("device"), context, within=resource) if "device" in resource else "",
        specimen=specimen_of(resource, context),
        state=doubts.states(resource, context),
        body_site=_titled(resource, "bodySite"),
        members=_members(resource, context)[:MOST_MEMBERS],
        at_home=_category(resource) not in _ANSWERED and at_home.is_said(resource),
    )


def of_others(resource: Element, context: Context) -> tuple[str, ...]:
    """The names of those whom an observation is about, other than the patient: an unborn child, a donor (R4
    Observation.focus). If none of them has a name, an ellipsis. Their values are kept apart from the patient's, as
    those of another test.
    """
    if "focus" not in resource:
        return ()
    whose = id_of(elements.child(resource, "subject"))
    sent = [each for each in elements.children(resource, "focus") if not (is_patient(each) and id_of(each) == whose)]
    return (names_of(sent, context, within=resource) or ("…",)) if sent else ()


def status_of(resource: Element) -> str:
    """The status of an Observation or a DiagnosticReport."""
    return next((STATUSES[code] for code in status_codes(resource, "status") if code in STATUSES), NOT_GIVEN)


def group_of(status: str) -> str:
    """The group of a list that a status belongs to."""
    return NOT_GIVEN if status == NOT_GIVEN else _GROUPS.get(Status(status), Group.REPORTED)


def test_in(entry: Entry) -> str:
    """The key of the test that an entry has a value of; empty if it is not an observation, or has no name."""
    return entry.test if isinstance(entry, ResultEntry) else ""


def people_of(resource: Element, context: Context, *names: str) -> tuple[str, ...]:
    """The names of the people and organizations that these elements refer to, without the patient: the reference's
    display, else the name in the resource."""
    named = (reference for name in names for reference in elements.children(resource, name))
    return names_of((reference for reference in named if not is_patient(reference)), context, within=resource)


def specimen_of(resource: Element, context: Context) -> str:
    """What was examined: the name of the specimen, else its type."""
    if "specimen" not in resource:
        return ""
    return ", ".join(names_of(elements.children(resource, "specimen"), context, within=resource))


def references(resource: Element, name: str, context: Context, *, most: int = _MOST) -> tuple[str, ...]:
    """The references of an element, in the order sent: `Type/id`, `#id` of a contained resource, or the address of a
    resource at another FHIR base. At most `most` of them; `unnamed` returns further results."""
    return _paths(resource, name, context)[:most]


def unnamed(resource: Element, context: Context) -> tuple[str, ...]:
    """The results of a report, or the members of a result, beyond those that its entry names."""
    reported, members = _paths(resource, "result", context), _members(resource, context)
    return (*reported[MOST_RESULTS:], *members[MOST_MEMBERS:])


def _paths(resource: Element, name: str, context: Context) -> tuple[str, ...]:
    found = (_path(reference, context) for reference in elements.children(resource, name))
    return tuple(dict.fromkeys(filter(None, found)))


def _path(reference: Element, context: Context) -> str:
    written = elements.text(reference, "reference")
    return written if written.startswith("#") else context.path_of(written)


def _measured(element: Element, *, age: float | None) -> dict[str, Any]:
    """The fields that every `Measured` has."""
    value = values.read(element)
    sent = ranges.read(element)
    usual = ranges.usual(sent, age=age)
    place, words = interpretations.read(element)
    judge = Judge.LAB if place else ""
    if not place and not words and usual is not None:
        side = ranges.compare(value.measured, usual)
        place, judge = (_SIDES[side], Judge.OURS) if side else ("", "")
    return {
        "value": value,
        "ranges": sent,
        "usual_range": usual,
        "place": place,
        "place_by": judge,
        "place_words": words,
    }


def _components(resource: Element, *, age: float | None) -> tuple[Component, ...]:
    return tuple(_component(part, age=age) for part in list(elements.children(resource, "component"))[:_MOST])


def _component(element: Element, *, age: float | None) -> Component:
    concept = elements.child(element, "code")
    title, codes = name_in(concept), codes_of(concept)
    return Component(**_measured(element, age=age), title=title, codes=codes, test=keys_of_tests.of(codes, title))


def _titled(element: Element, name: str) -> str:
    return title_of(elements.child(element, name)) if name in element else ""


def _category(resource: Element) -> str:
    return _category_of(resource.get("category"))


@memoized
def _category_of(category: object) -> str:
    concepts = elements.children({"category": category}, "category")
    codes = [code.lower() for concept in concepts for code in elements.codes(concept)]
    return next((_CATEGORIES[code] for code in codes if code in _CATEGORIES), Category.OTHER)


def _members(resource: Element, context: Context) -> tuple[str, ...]:
    """The members of a panel. DSTU2 has `related` with a type, and no type means has-member."""
    if "hasMember" not in resource and "related" not in resource:
        return ()
    older = (
        _path(elements.child(part, "target"), context)
        for part in elements.children(resource, "related")
        if (elements.text(part, "type") or "has-member") == "has-member"
    )
    return tuple(dict.fromkeys((*_paths(resource, "hasMember", context), *filter(None, older))))


def _asks_for_age(resource: Element) -> bool:
    """Whether one of its ranges, or of its components' ranges, is for certain ages only."""
    parts = (resource, *elements.children(resource, "component")) if "component" in resource else (resource,)
    return any("age" in sent for part in parts for sent in elements.children(part, "referenceRange"))


def _age(when: When, birth_date: date | None) -> float | None:
    """The person's age, in years, at the time of collection."""
    collected = datetimes.parse(when.starts or when.ends)
    if birth_date is None or collected is None:
        return None
    return (collected.first_day - birth_date).days / moments.DAYS_A_YEAR
