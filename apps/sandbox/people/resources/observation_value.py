"""The value[x] of an Observation, or of one of its components, in each version.

R4 has every kind of value. DSTU2 1.0.2 has neither valueBoolean nor valueInteger: yes and no become a CodeableConcept,
a score becomes a Quantity with the unit {score}. If there is no value, there is a data absent reason, whose code system
differs too.
"""

from apps.sandbox.people.codes import Code
from apps.sandbox.people.elements import Element, concept, moment, plain, quantity
from apps.sandbox.people.values import (
    Absent,
    Amount,
    ClockTime,
    Coded,
    Moment,
    Proportion,
    Span,
    Stretch,
    Value,
    Waveform,
    Whole,
    Words,
    YesNo,
)

_DSTU2_ABSENT = "http://hl7.org/fhir/data-absent-reason"
_R4_ABSENT = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
_DSTU2_YES_NO = "http://hl7.org/fhir/v2/0136"


def dstu2(value: Value | None) -> Element:
    """The members that say the value in DSTU2; empty for no value at all (an Observation of components)."""
    if isinstance(value, YesNo):
        code = Code(_DSTU2_YES_NO, "Y" if value.is_so else "N", "Yes" if value.is_so else "No")
        return {"valueCodeableConcept": concept(code)}
    if isinstance(value, Whole):
        return {"valueQuantity": quantity(Amount(str(value.number), "{score}", "{score}"))}
    if isinstance(value, Absent):
        return {"dataAbsentReason": plain(_DSTU2_ABSENT, value.reason, value.display)}
    return _in_both(value)


def r4(value: Value | None) -> Element:
    """The members that say the value in R4; empty for no value at all (an Observation of components)."""
    if isinstance(value, YesNo):
        return {"valueBoolean": value.is_so}
    if isinstance(value, Whole):
        return {"valueInteger": value.number}
    if isinstance(value, Absent):
        return {"dataAbsentReason": plain(_R4_ABSENT, value.reason, value.display)}
    return _in_both(value)


def _in_both(value: Value | None) -> Element:
    match value:
        case Amount():
            return {"valueQuantity": quantity(value)}
        case Coded(code=code):
            return {"valueCodeableConcept": concept(code)}
        case Words(text=text):
            return {"valueString": text}
        case ClockTime(time=time):
            return {"valueTime": time}
        case Moment(written=written):
            return {"valueDateTime": written}
        case _:
            return _compound(value)


def _compound(value: Value | None) -> Element:
    match value:
        case Span(low=low, high=high):
            return {"valueRange": {"low": quantity(low), "high": quantity(high)}}
        case Proportion(numerator=numerator, denominator=denominator):
            return {"valueRatio": {"numerator": {"value": numerator}, "denominator": {"value": denominator}}}
        case Stretch(started_at=started_at, ended_at=ended_at):
            return {"valuePeriod": {"start": moment(started_at), "end": moment(ended_at)}}
        case Waveform():
            sampled = {
                "origin": quantity(value.origin),
                "period": value.period_milliseconds,
                "dimensions": 1,
                "data": value.samples,
            }
            return {"valueSampledData": sampled}
        case _:
            return {}
