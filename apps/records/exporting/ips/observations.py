"""Observations as minimal R4 resources: results, vital signs and social history, from either version.

Values go through `presenters.observations.values`, for which DSTU2 and R4 are alike: a coded yes in DSTU2 becomes R4's
boolean.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from apps.records.exporting.ips import narrating, r4_elements
from apps.records.exporting.ips.clinical import Item, known_code
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import codeable_concepts, elements, naming
from apps.records.presenters.datatypes import moments, quantities, ranges
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations import interpretations, results, values
from apps.records.presenters.observations.values import Absence, Kind, Value

_STATUSES = frozenset({"registered", "preliminary", "final", "amended", "corrected", "unknown"})
_NO_RESULT = frozenset({"cancelled", "entered-in-error"})  # the second only within reports: others are not listed
_MARKS = frozenset(
    ("N", "H", "L", "HH", "LL", "HU", "LU", "A", "AA", "<", ">", "POS", "NEG", "IND", "DET", "ND", "R", "S", "I", "NR")
)
_CATEGORIES = {"results": "", "vitals": "vital-signs", "history": "social-history"}
_UNSAID = {results.Category.VITALS: "vital-signs", results.Category.OTHER: "laboratory"}  # which most of them are
_REASONS = {
    Absence.UNKNOWN: "unknown", Absence.DECLINED: "asked-declined", Absence.NOT_DONE: "not-performed",
    Absence.FAILED: "error", Absence.HIDDEN: "masked",
}  # fmt: skip
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?", re.ASCII)


def observation(told: PresentedRecord) -> Item | None:
    """Observation (IPS, and R4 vital signs). One that was cancelled is left out."""
    if told.subject is None or told.subject.key not in _CATEGORIES:
        return None
    category = _CATEGORIES[told.subject.key] or category_of(told.entry)
    return written(told.resource, told, category=category, detail=narrating.details(told))


def category_of(entry: Entry) -> str:
    """The code in observation-category for a result's own category: neither a scan nor a questionnaire belongs to a
    laboratory."""
    category = entry.category if isinstance(entry, results.ResultEntry) else results.Category.OTHER
    return _UNSAID.get(results.Category(category), str(category))


def written(sent: Element, told: PresentedRecord, *, category: str, detail: str) -> Item | None:
    """The same for an Observation that is `told`, or part of it, with this code of observation-category."""
    status = known_code(sent, "status", _STATUSES | _NO_RESULT)
    if status in _NO_RESULT:
        return None
    code = elements.child(sent, "code")
    title = codeable_concepts.title_of(code)
    concept = r4_elements.concept(title, codeable_concepts.codes_of(code))
    others = results.of_others(sent, told.context)
    when = moments.read(sent, "effective", "issued", means="collected")
    people = naming.names_of(elements.children(sent, "performer"), told.context, within=told.resource)
    specimen = results.specimen_of(sent, told.context)
    components = [_component(each) for each in elements.children(sent, "component")]
    value = _value(sent, is_whole=not components)
    if not value.keys() <= {"dataAbsentReason"}:
        components = [_named_apart(part, concept) for part in components]
    resource = r4_elements.without_empty(
        {
            "resourceType": "Observation",
            "status": status or "unknown",
            "category": [r4_elements.terminology("observation-category", category)],
            "code": concept,
            "focus": [{"display": name} for name in others],
            **r4_elements.moment("effective", when, is_needed=True),
            "performer": r4_elements.named(people),
            **value,
            "interpretation": _interpretation(sent),
            "bodySite": next(iter(r4_elements.concepts(sent, "bodySite")), {}),
            "method": next(iter(r4_elements.concepts(sent, "method")), {}),
            "specimen": {"display": specimen} if specimen else {},
            "referenceRange": _ranges(sent),
            "component": components,
        }
    )
    called = f"{title} ({', '.join(others)})".strip() if others else title
    return Item(resource, called, detail, results=_members(told, components), results_name="hasMember")


def _members(told: PresentedRecord, components: list[Part]) -> tuple[str, ...]:
    """The observations that it groups; one that has components groups none (IPS, Observation Results: Radiology)."""
    return told.entry.members if isinstance(told.entry, results.ResultEntry) and not components else ()


def _component(sent: Element) -> Part:
    code = elements.child(sent, "code")
    part = {
        "code": r4_elements.concept(codeable_concepts.title_of(code), codeable_concepts.codes_of(code)),
        **_value(sent, is_whole=True),
    }
    return r4_elements.without_empty(
        {**part, "interpretation": _interpretation(sent), "referenceRange": _ranges(sent)},
    )


def _named_apart(part: Part, whole: Part) -> Part:
    """A component without its codes if one of them is also a code of the whole, which has a value itself (obs-7)."""
    known = {(each.get("system"), each.get("code")) for each in whole.get("coding", ())}
    if not any((each.get("system"), each.get("code")) in known for each in part["code"].get("coding", ())):
        return part
    return {**part, "code": r4_elements.without_empty({"text": part["code"].get("text", "")}) or r4_elements.absent()}


def _value(sent: Element, *, is_whole: bool) -> Part:
    """value[x], or why there is none. If the components have values, the whole needs none (obs-6). If its provider says
    that it is not a value, it is only in the narrative."""
    value = values.read(sent)
    is_one = value.kind in _WRITERS and not value.absence
    written = _WRITERS[value.kind](value) if is_one else {}
    if written or not is_whole:
        return written
    silent = "not-applicable" if _has_members(sent) else "unknown"
    reason = (
        "as-text" if value and not value.absence else _REASONS.get(Absence(value.absence or Absence.NOT_GIVEN), silent)
    )
    return {"dataAbsentReason": r4_elements.terminology("data-absent-reason", reason)}


def _has_members(sent: Element) -> bool:
    """Whether other observations have the values: R4 has an element for them; DSTU2 uses `related`, of type has-member
    or without a type."""
    kinds = (elements.text(part, "type") for part in elements.children(sent, "related"))
    return "hasMember" in sent or any(kind in {"", "has-member"} for kind in kinds)


def _quantity(value: Value) -> Part:
    return {"valueQuantity": r4_elements.quantity(value.quantity)}


def _coded(value: Value) -> Part:
    return {"valueCodeableConcept": r4_elements.concept(value.text, value.codes)}


def _text(value: Value) -> Part:
    return {"valueString": value.text} if value.text else {}


def _time(value: Value) -> Part:
    return {"valueTime": value.text} if _TIME.fullmatch(value.text) else _text(value)


def _range(value: Value) -> Part:
    bounds = {"low": _bound(value.quantity), "high": _bound(value.until)}
    if _is_reversed(value.quantity, value.until) or not any(bounds.values()):
        return {}
    return {"valueRange": r4_elements.without_empty(bounds)}


def _is_reversed(low: Quantity, high: Quantity) -> bool:
    """Whether a Range would end before it starts (rng-2)."""
    return low.number is not None and high.number is not None and low.number > high.number


def _ratio(value: Value) -> Part:
    parts = {"numerator": r4_elements.quantity(value.quantity), "denominator": r4_elements.quantity(value.until)}
    return {"valueRatio": parts} if all(parts.values()) else {}  # rat-1


def _moment(value: Value) -> Part:
    return r4_elements.moment("value", value.when)


_WRITERS: Mapping[str, Callable[[Value], Part]] = MappingProxyType(
    {
        Kind.QUANTITY: _quantity,
        Kind.CODED: _coded,
        Kind.TEXT: _text,
        Kind.YES_OR_NO: lambda value: {"valueBoolean": value.is_yes},
        Kind.TIME: _time,
        Kind.RANGE: _range,
        Kind.RATIO: _ratio,
        Kind.MOMENT: _moment,
        Kind.PERIOD: _moment,
    }
)


def _bound(sent: Quantity) -> Part:
    """A SimpleQuantity, which has no comparator (sqty-1)."""
    return {name: part for name, part in r4_elements.quantity(sent).items() if name != "comparator"}


def _ranges(sent: Element) -> list[Part]:
    return [part for part in map(_range_sent, elements.children(sent, "referenceRange")) if part]


def _range_sent(sent: Element) -> Part:
    """obs-3: a low, a high or a text. Its meaning and population are included: without them, it would be the normal
    range for everybody. If a bound is not a plain number, both are given as text, as they were sent."""
    sides = [elements.child(sent, side) for side in ("low", "high")]
    low, high = map(quantities.read, sides)
    text = elements.text(sent, "text")
    if any(side and (not bound or bound.comparator) for side, bound in zip(sides, (low, high), strict=True)):
        text = text or " - ".join(filter(None, map(quantities.as_sent, sides)))
        low = high = Quantity()
    if not (low or high or text):
        return {}
    ages = [quantities.read(elements.child(elements.child(sent, "age"), side)) for side in ("low", "high")]
    nobodys = [{"text": " - ".join(age.shown for age in ages)}] if _is_reversed(*ages) else []
    return r4_elements.without_empty(
        {
            "low": _bound(low),
            "high": _bound(high),
            "type": _meaning(sent),
            "appliesTo": [*r4_elements.concepts(sent, "appliesTo"), *nobodys],
            "age": {}
            if nobodys
            else r4_elements.without_empty(dict(zip(("low", "high"), map(_bound, ages), strict=True))),
            "text": text,
        }
    )


def _meaning(sent: Element) -> Part:
    """`type` in R4 is `meaning` in DSTU2. Left out for the normal range, which is the default."""
    is_usual = all(each.meaning == ranges.Meaning.USUAL for each in ranges.read({"referenceRange": sent}))
    return {} if is_usual else next(iter(r4_elements.concepts(sent, "type", "meaning")), {})


def _interpretation(sent: Element) -> list[Part]:
    """Flags in the standard's table with their codes, in either version; all others as they were sent."""
    marks = [_mark(each) for each in elements.children(sent, "interpretation")]
    return [mark for number, mark in enumerate(marks) if mark and mark not in marks[:number]]


def _mark(sent: Element) -> Part:
    codes = codeable_concepts.codes_of(sent)
    known = (each.code for each in codes if interpretations.is_standard(each.system) and each.code in _MARKS)
    code, title = next(known, ""), codeable_concepts.title_of(sent)
    if code:
        return r4_elements.terminology("v3-ObservationInterpretation", code)
    return r4_elements.concept(title, codes) if title or codes else {}
