"""The value of an Observation or of one of its components: every type of both FHIR versions in one struct.

DSTU2: Quantity, CodeableConcept, string, Range, Ratio, SampledData, Attachment, time, dateTime, Period. R4 adds boolean
and integer, and has no Attachment. An integer becomes a quantity without a unit. A coded yes or no (v2-0136, which
DSTU2 has in place of a boolean) becomes the same as a boolean.
"""

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import codes_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code


class Kind(StrEnum):
    """The type of a value."""

    NOTHING = "nothing"
    QUANTITY = "quantity"
    CODED = "coded"
    TEXT = "text"
    YES_OR_NO = "yes-or-no"
    RANGE = "range"
    RATIO = "ratio"
    SAMPLES = "samples"
    TIME = "time"
    MOMENT = "moment"
    PERIOD = "period"
    ATTACHMENT = "attachment"


class Absence(StrEnum):
    """Why there is no value, as far as pages distinguish the reasons."""

    UNKNOWN = "unknown"
    DECLINED = "declined"
    NOT_DONE = "not-done"
    FAILED = "failed"
    HIDDEN = "hidden"
    NOT_GIVEN = "not-given"


# data-absent-reason of both FHIR versions, and NullFlavor of HL7 version 3. Any other code says only that there is no
# value, and pages show the provider's words.
_REASONS = {
    "unknown": Absence.UNKNOWN,
    "temp": Absence.UNKNOWN,
    "temp-unknown": Absence.UNKNOWN,
    "UNK": Absence.UNKNOWN,
    "NAV": Absence.UNKNOWN,
    "ASKU": Absence.UNKNOWN,
    "asked": Absence.UNKNOWN,
    "asked-unknown": Absence.UNKNOWN,
    "asked-declined": Absence.DECLINED,
    "not-performed": Absence.NOT_DONE,
    "error": Absence.FAILED,
    "masked": Absence.HIDDEN,
    "MSK": Absence.HIDDEN,
}
_AS_TEXT = "as-text"  # the value was sent, in words


class Attachment(msgspec.Struct, frozen=True, gc=False):
    """A description of an attachment, without its content. `has_content`: the content came with it, in base64."""

    title: str = ""
    media_type: str = ""
    url: str = ""
    created: str = ""
    size: int = 0
    has_content: bool = False

    def __bool__(self) -> bool:
        """Whether there is anything to fetch or to open."""
        return bool(self.url or self.has_content)


NO_ATTACHMENT: Final = Attachment()


class Value(msgspec.Struct, frozen=True, gc=False):
    """A value of any type (`kind`). `quantity` is the number, the lower bound of a range, the numerator of a ratio, or
    the origin of samples; `until` is the upper bound or the denominator. `text` holds the words of a coded value, a
    text, or a time of day. `absence` is why there is no value; beside a value, it means that the provider nevertheless
    says there is none. `absence_said` is the provider's own explanation."""

    kind: str = Kind.NOTHING
    quantity: Quantity = NO_QUANTITY
    until: Quantity = NO_QUANTITY
    text: str = ""
    codes: tuple[Code, ...] = ()
    is_yes: bool = False
    when: When = UNDATED
    attachment: Attachment = NO_ATTACHMENT
    samples: int = 0
    absence: str = ""
    absence_said: str = ""

    def __bool__(self) -> bool:
        """Whether there is a value."""
        return self.kind != Kind.NOTHING

    @property
    def measured(self) -> Quantity:
        """The quantity to compare and to draw. Empty for any other kind of value, and if the provider says that there
        is no value."""
        return self.quantity if self.kind == Kind.QUANTITY and not self.absence else NO_QUANTITY

    @property
    def number(self) -> Decimal | None:
        """The number of `measured`, whatever its comparator; None if there is none."""
        return self.measured.number


NO_VALUE: Final = Value()


def read(element: Element) -> Value:
    """Read the value, whichever element of value[x] holds it; if there is none, why.

    FHIR forbids a dataAbsentReason beside a value (obs-6), but some servers send both, for example if a machine failed
    and its number was sent anyway. Then we keep both.
    """
    for name, reading in _KINDS:
        if name in element and (found := reading(element[name])):
            return _doubted(found, element) if element.get("dataAbsentReason") else found
    return _without(NO_VALUE, element)


def attachment(element: Element) -> Attachment:
    """The description of an Attachment, as sent."""
    size = elements.number(element, "size")
    return Attachment(
        title=elements.text(element, "title"),
        media_type=elements.text(element, "contentType"),
        url=elements.text(element, "url"),
        created=elements.text(element, "creation"),
        size=int(size) if size is not None and size > 0 else 0,
        has_content=isinstance(element.get("data"), str) and bool(element["data"]),
    )


def _quantity(sent: object) -> Value:
    if not isinstance(sent, dict):
        return Value()
    if quantity := quantities.read(sent):
        return Value(Kind.QUANTITY, quantity=quantity)
    return _said(quantities.as_sent(sent))  # we cannot read the number, but it is still the finding


def _said(sent: object) -> Value:
    said = elements.prose(sent)
    return Value(Kind.TEXT, text=said) if said else Value()


def _coded(sent: object) -> Value:
    said, codes = elements.words(sent), codes_of(sent)
    for code in codes:
        if code.system.endswith(("v2/0136", "v2-0136")) and code.code in {"Y", "N"}:
            return Value(Kind.YES_OR_NO, is_yes=code.code == "Y")
    return Value(Kind.CODED, text=said, codes=codes) if said else Value()


def _yes_or_no(sent: object) -> Value:
    return Value(Kind.YES_OR_NO, is_yes=sent) if isinstance(sent, bool) else Value()


def _whole(sent: object) -> Value:
    return _quantity({"value": sent})


def _range(sent: object) -> Value:
    """Read a Range. A single end is kept as a range; if one of two ends cannot be read, both are kept as text, as
    sent."""
    ends = quantities.ends(sent) if isinstance(sent, dict) else None
    if ends is None:
        return _sides(sent, ("low", "high"), " - ")
    return Value(Kind.RANGE, quantity=ends[0], until=ends[1]) if any(ends) else Value()


def _ratio(sent: object) -> Value:
    """Read a Ratio, such as 1:80. If one side cannot be read, both are kept as text, as sent: 1 alone would be another
    finding."""
    sides = ("numerator", "denominator")
    over, under = (quantities.read(elements.child(sent, side)) for side in sides)
    sent_sides = [bool(elements.child(sent, side)) for side in sides]
    if [bool(over), bool(under)] != sent_sides:
        return _sides(sent, sides, " : ")
    return Value(Kind.RATIO, quantity=over, until=under) if over or under else Value()


def _sides(sent: object, names: tuple[str, str], between: str) -> Value:
    said = (quantities.as_sent(elements.child(sent, name)) for name in names)
    return _said(between.join(filter(None, said)))


def _samples(sent: object) -> Value:
    data = sent.get("data") if isinstance(sent, dict) else None
    if not isinstance(data, str) or not data.split():
        return Value()
    return Value(Kind.SAMPLES, quantity=quantities.read(elements.child(sent, "origin")), samples=len(data.split()))


def _time(sent: object) -> Value:
    said = elements.shown(sent)
    return Value(Kind.TIME, text=said) if said else Value()


def _moment(sent: object) -> Value:
    said = elements.shown(sent)
    return Value(Kind.MOMENT, when=moments.of_text(said, means="")) if said else Value()


def _period(sent: object) -> Value:
    when = moments.of_period(sent, means="") if isinstance(sent, dict) else When()
    return Value(Kind.PERIOD, when=when) if when else Value()


def _attached(sent: object) -> Value:
    found = attachment(sent) if isinstance(sent, dict) else Attachment()
    return Value(Kind.ATTACHMENT, attachment=found) if found else Value()


_KINDS: tuple[tuple[str, Callable[[object], Value]], ...] = (
    ("valueQuantity", _quantity),
    ("valueCodeableConcept", _coded),
    ("valueString", _said),
    ("valueBoolean", _yes_or_no),
    ("valueInteger", _whole),
    ("valueRange", _range),
    ("valueRatio", _ratio),
    ("valueSampledData", _samples),
    ("valueTime", _time),
    ("valueDateTime", _moment),
    ("valuePeriod", _period),
    ("valueAttachment", _attached),
)


def _doubted(value: Value, element: Element) -> Value:
    reason = elements.child(element, "dataAbsentReason")
    is_told = _AS_TEXT in elements.codes(reason) or not (codes_of(reason) or elements.text(reason, "text"))
    return value if is_told else _without(value, element)


def _without(value: Value, element: Element) -> Value:
    """The value with the reason for its absence, which stands beside the value or within a value[x] that is empty."""
    reason = elements.child(element, "dataAbsentReason")
    within = (elements.absent_reason(sent) for name, sent in element.items() if name.lstrip("_").startswith("value"))
    codes = (*elements.codes(reason), *filter(None, within))
    absence = next((_REASONS[code] for code in codes if code in _REASONS), Absence.NOT_GIVEN)
    said = elements.text(reason, "text")
    displays = [coding.display for coding in codes_of(reason) if coding.display]
    if absence == Absence.NOT_GIVEN:
        said = said or next(iter(displays), "")
    elif said.casefold().replace(" ", "-") in {each.casefold().replace(" ", "-") for each in (*codes, *displays)}:
        said = ""  # our own words for the reason say the same
    return replace(value, absence=absence, absence_said=said)
