"""Observations as minimal R4 resources: results, vital signs and social history, from either version.

Values go through `presenters.values`, where DSTU2 and R4 are alike: its coded yes is R4's boolean.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from apps.records.exporting.ips import writing
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.ips.writing import Part
from apps.records.exporting.reading import Told
from apps.records.presenters import elements, heads, moments, naming, quantities, values
from apps.records.presenters.elements import Element
from apps.records.presenters.values import Absence, Kind, Value

_STATUSES = frozenset({"registered", "preliminary", "final", "amended", "corrected", "unknown"})
_MARKS = frozenset(
    ("N", "H", "L", "HH", "LL", "HU", "LU", "A", "AA", "<", ">", "POS", "NEG", "IND", "DET", "ND", "R", "S", "I", "NR")
)
_CATEGORIES = {"results": "laboratory", "vitals": "vital-signs", "history": "social-history"}
_REASONS = {
    Absence.UNKNOWN: "unknown", Absence.DECLINED: "asked-declined", Absence.NOT_DONE: "not-performed",
    Absence.FAILED: "error", Absence.HIDDEN: "masked", Absence.NOT_GIVEN: "unknown",
}  # fmt: skip
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?", re.ASCII)


def observation(told: Told) -> Item | None:
    """Observation (IPS, and R4 vital signs). One that was cancelled is left out."""
    if told.subject is None or told.subject.key not in _CATEGORIES:
        return None
    return written(told.resource, told, category=_CATEGORIES[told.subject.key])


def written(sent: Element, told: Told, *, category: str) -> Item | None:
    """The same of an Observation that is `told`, or part of it, under this code of observation-category."""
    status = elements.text(sent, "status")
    if status in {"cancelled", "entered-in-error"}:  # the second of what a report contains: others are not listed
        return None
    code = elements.child(sent, "code")
    title = heads.title_of(code)
    concept = writing.concept(title, heads.codes_of(code))
    when = moments.read(sent, "effective", "issued", means="collected")
    people = naming.names_of(elements.children(sent, "performer"), told.context, within=told.resource)
    components = [_component(each) for each in elements.children(sent, "component")]
    resource = writing.without_empty(
        {
            "resourceType": "Observation",
            "status": status if status in _STATUSES else "unknown",
            "category": [writing.terminology("observation-category", category)],
            "code": concept,
            **writing.moment("effective", when, is_needed=True),
            "performer": writing.named(people),
            **_value(sent, is_whole=not components),
            "interpretation": _interpretation(sent),
            "referenceRange": _ranges(sent),
            "component": components,
        }
    )
    detail = "; ".join(
        filter(None, (_shown(values.read(sent)), *map(_component_shown, elements.children(sent, "component"))))
    )
    return Item(resource, title, detail, when)


def _component(sent: Element) -> Part:
    code = elements.child(sent, "code")
    part = {"code": writing.concept(heads.title_of(code), heads.codes_of(code)), **_value(sent, is_whole=True)}
    return writing.without_empty({**part, "referenceRange": _ranges(sent)})


def _component_shown(sent: Element) -> str:
    return " ".join(filter(None, (heads.title_of(elements.child(sent, "code")), _shown(values.read(sent)))))


def _value(sent: Element, *, is_whole: bool) -> Part:
    """value[x], or why there is none. Where the parts have the values, the whole needs none (obs-6)."""
    value = values.read(sent)
    written = _WRITERS[value.kind](value) if value.kind in _WRITERS else {}
    if written or not is_whole:
        return written
    reason = "as-text" if value else _REASONS.get(Absence(value.absence or Absence.NOT_GIVEN), "unknown")
    return {"dataAbsentReason": writing.terminology("data-absent-reason", reason)}


def _shown(value: Value) -> str:
    if value.kind == Kind.YES_OR_NO:
        return "yes" if value.is_yes else "no"
    if value.kind in {Kind.RANGE, Kind.RATIO}:
        between = " - " if value.kind == Kind.RANGE else " : "
        return between.join(filter(None, (value.quantity.shown, value.until.shown)))
    if value.kind == Kind.SAMPLES:  # its quantity is where zero lies, and no value
        return f"a recording of {value.samples} values"
    return value.quantity.shown or value.text or value.when.starts


def _quantity(value: Value) -> Part:
    return {"valueQuantity": writing.quantity(value.quantity)}


def _coded(value: Value) -> Part:
    return {"valueCodeableConcept": writing.concept(value.text, value.codes)}


def _text(value: Value) -> Part:
    return {"valueString": value.text} if value.text else {}


def _time(value: Value) -> Part:
    return {"valueTime": value.text} if _TIME.fullmatch(value.text) else _text(value)


def _range(value: Value) -> Part:
    bounds = {"low": _bound(value.quantity), "high": _bound(value.until)}
    return {"valueRange": writing.without_empty(bounds)} if any(bounds.values()) else {}


def _ratio(value: Value) -> Part:
    parts = {"numerator": writing.quantity(value.quantity), "denominator": writing.quantity(value.until)}
    return {"valueRatio": parts} if all(parts.values()) else {}  # rat-1


def _moment(value: Value) -> Part:
    return writing.moment("value", value.when)


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


def _bound(sent: quantities.Quantity) -> Part:
    """A SimpleQuantity, which has no comparator (sqty-1)."""
    return {name: part for name, part in writing.quantity(sent).items() if name != "comparator"}


def _ranges(sent: Element) -> list[Part]:
    return [part for part in map(_range_sent, elements.children(sent, "referenceRange")) if part]


def _range_sent(sent: Element) -> Part:
    """obs-3: a low, a high or a text."""
    low, high = (_bound(quantities.read(elements.child(sent, side))) for side in ("low", "high"))
    return writing.without_empty({"low": low, "high": high, "text": elements.text(sent, "text")})


def _interpretation(sent: Element) -> list[Part]:
    codes = [code.code for each in elements.children(sent, "interpretation") for code in heads.codes_of(each)]
    known = [code for code in codes if code in _MARKS]
    return [writing.terminology("v3-ObservationInterpretation", code) for code in dict.fromkeys(known)]
