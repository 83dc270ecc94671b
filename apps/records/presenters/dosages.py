"""How a medicine is taken: the dosage of a prescription, statement or dispense of either version.

The provider's text comes first, unchanged. The parts stand beside it, and make a sentence only where there is no text
(`dosage_words`). Where text and parts plainly say different numbers, `differs` says so; nobody decides who is right. No
part is dropped: one that we do not understand is kept as it was sent.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice

from apps.records.presenters import elements, naming, outline, quantities, timings
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import title_of
from apps.records.presenters.lengths import Span
from apps.records.presenters.quantities import Quantity
from apps.records.presenters.timings import Timing

_MOST = 30  # dosages of one medicine; more is an accident


@dataclass(frozen=True)
class Dosage:
    """One instruction. `patient_instruction` stands beside `text`, never in its place.

    `dose_to` is the upper end of a range; `rate` and `maximum` (in a period) are as sent, as one text. `most_at_once`
    and `most_ever` are the other two maximums. `form` is that of the medicine. `unread` are the parts that we do not
    understand, each as sent.
    """

    text: str = ""
    patient_instruction: str = ""
    instructions: tuple[str, ...] = ()
    dose: Quantity = field(default_factory=Quantity)
    dose_to: Quantity = field(default_factory=Quantity)
    rate: str = ""
    route: str = ""
    site: str = ""
    method: str = ""
    timing: Timing = field(default_factory=Timing)
    is_as_needed: bool = False
    as_needed_for: str = ""
    maximum: str = ""
    most_at_once: Quantity = field(default_factory=Quantity)
    most_ever: Quantity = field(default_factory=Quantity)
    form: str = ""
    unread: tuple[str, ...] = ()
    differs: bool = False


def read(resource: Element, *, form: str = "") -> tuple[Dosage, ...]:
    """Every `dosageInstruction` or `dosage`, in their sequence; those that say nothing left out. `form` is what the
    medicine is: a tablet, a solution."""
    sent = [*elements.children(resource, "dosageInstruction"), *elements.children(resource, "dosage")]
    sent.sort(key=lambda each: elements.number(each, "sequence") or 0)
    told = (dosage for dosage in map(_dosage, sent) if dosage != Dosage(timing=_NO_TIMING))
    return tuple(replace(dosage, form=form) for dosage in islice(told, _MOST))


_NO_TIMING = timings.read({})


_READ = frozenset(
    (
        "id", "extension", "modifierExtension", "sequence", "text", "patientInstruction", "additionalInstruction",
        "additionalInstructions", "timing", "asNeededBoolean", "asNeededCodeableConcept", "site", "siteCodeableConcept",
        "siteReference", "route", "method", "doseAndRate", "doseQuantity", "doseRange", "quantityQuantity",
        "quantityRange", "rateQuantity", "rateRange", "rateRatio", "maxDosePerPeriod", "maxDosePerAdministration",
        "maxDosePerLifetime",
    )
)  # fmt: skip
_DOSES = ("doseQuantity", "doseRange", "quantityQuantity", "quantityRange")
_RATES = ("rateQuantity", "rateRange", "rateRatio")


def _dosage(sent: Element) -> Dosage:
    amounts = _amounts(sent)
    low, high = _dose(amounts, sent)
    text, timing = elements.text(sent, "text"), timings.read(elements.child(sent, "timing"))
    advised = naming.titles(sent, "additionalInstruction", "additionalInstructions")
    told = Dosage(
        text=text,
        patient_instruction=elements.text(sent, "patientInstruction"),
        instructions=(*advised, *outline.as_sent(sent, "modifierExtension")),  # it may turn all of it around
        dose=low,
        dose_to=high,
        rate=_rate(amounts),
        route=_one(sent, "route"),
        site=_one(sent, "site", "siteCodeableConcept")
        or elements.text(elements.child(sent, "siteReference"), "display"),
        method=_one(sent, "method"),
        timing=timing,
        is_as_needed=sent.get("asNeededBoolean") is True or bool(elements.child(sent, "asNeededCodeableConcept")),
        as_needed_for=title_of(sent.get("asNeededCodeableConcept")),
        maximum=_per(elements.child(sent, "maxDosePerPeriod")),
        most_at_once=_amount(elements.child(sent, "maxDosePerAdministration")),
        most_ever=_amount(elements.child(sent, "maxDosePerLifetime")),
        differs=_dose_differs(text, low, high) or _frequency_differs(text, timing),
    )
    return replace(told, unread=tuple(dict.fromkeys((*_unread(sent, amounts, told), *timing.unread))))


def _unread(sent: Element, amounts: Element, told: Dosage) -> Iterator[str]:
    """What was sent and is in no part of what is told."""
    if not told.dose and not told.dose_to:
        yield from outline.as_sent({**sent, **amounts}, *_DOSES)
    if not told.rate:
        yield from outline.as_sent({**sent, **amounts}, *_RATES)
    for name, said in (("route", told.route), ("site", told.site), ("method", told.method)):
        if not said:
            yield from outline.as_sent(sent, name, f"{name}CodeableConcept", f"{name}Reference")
    for name, most in (("maxDosePerPeriod", told.maximum), ("maxDosePerAdministration", told.most_at_once),
                       ("maxDosePerLifetime", told.most_ever)):  # fmt: skip
        if not most:
            yield from outline.as_sent(sent, name)
    yield from outline.as_sent(sent, *(name for name in sent if name not in _READ and not name.startswith("_")))
    yield from _other_amounts(sent, amounts)


def _other_amounts(sent: Element, amounts: Element) -> Iterator[str]:
    """Further doses of an R4 dosage, but for what was worked out from the one that was ordered."""
    is_ordered = "ordered" in elements.codes(elements.child(amounts, "type"))
    for other in elements.children(sent, "doseAndRate"):
        if other is amounts or (is_ordered and "calculated" in elements.codes(elements.child(other, "type"))):
            continue
        low, high = _dose(other, {})
        shown = " - ".join(filter(None, (low.shown, high.shown)))
        said = ", ".join(filter(None, (title_of(other.get("type")), shown, _rate(other))))
        yield from (said,) if shown else outline.as_sent(other, *_DOSES, *_RATES)


def _amounts(sent: Element) -> Element:
    """Where dose and rate stand: in R4 the ordered one of `doseAndRate`, in DSTU2 the dosage itself."""
    all_sent = list(elements.children(sent, "doseAndRate"))
    ordered = (each for each in all_sent if "ordered" in elements.codes(elements.child(each, "type")))
    return next(ordered, all_sent[0] if all_sent else sent)


def _dose(amounts: Element, sent: Element) -> tuple[Quantity, Quantity]:
    for name in ("doseQuantity", "quantityQuantity"):  # a statement of DSTU2 calls it quantity
        if found := _amount(elements.child(amounts, name) or elements.child(sent, name)):
            return found, Quantity()
    for name in ("doseRange", "quantityRange"):
        limits = elements.child(amounts, name) or elements.child(sent, name)
        if limits:  # with an end that cannot be read, the other would be another dose
            return quantities.ends(limits, of=_amount) or (Quantity(), Quantity())
    return Quantity(), Quantity()


def _amount(sent: Element) -> Quantity:
    """A quantity whose unit is a word. Some send the number of a concept in its place, and UCUM has a unit 1, which is
    none. With a concept that we do not know there is no amount: 5 of something is not 5 tablets."""
    found = quantities.read(sent)
    if not found.unit.isdigit():
        return found
    unit = _CODED_UNITS.get(found.unit)
    return Quantity() if unit is None else replace(found, unit=unit)


_CODED_UNITS = {
    "1": "",  # UCUM
    "258682000": "g",  # SNOMED CT, here and below
    "258684004": "mg",
    "258685003": "microgram",
    "258773002": "mL",
    "415215001": "puff",
    "428641000": "capsule",
    "428673006": "tablet",
}


def _rate(amounts: Element) -> str:
    if found := quantities.read(elements.child(amounts, "rateQuantity")):
        return found.shown
    ends = quantities.ends(elements.child(amounts, "rateRange")) or ()
    return " - ".join(end.shown for end in ends if end) or _per(elements.child(amounts, "rateRatio"))


def _per(ratio: Element) -> str:
    """A ratio as one text: 3 capsules / 1 d. What it is divided by stands there even where it has no number: 4 g a day
    is not 4 g. Empty where that has no words."""
    above, below = (_amount(elements.child(ratio, side)).shown for side in ("numerator", "denominator"))
    if not above or not ratio.get("denominator"):
        return above
    sent = elements.child(ratio, "denominator")
    below = below or quantities.as_sent(sent) or elements.text(sent, "unit") or elements.text(sent, "code")
    return f"{above} / {below}" if below else ""


def _one(sent: Element, *names: str) -> str:
    return next(iter(naming.titles(sent, *names)), "")


_AMOUNT_IN_TEXT = re.compile(
    r"(?<![\w.,])(?:([0-9]{1,6}(?:\.[0-9]{1,6})?) ?(?:-|to) ?)?"  # the low end of "1-2 tablets"
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9}(?:\.[0-9]{1,6})?) ?([a-z]{1,12}\b|%)"
)
_NUMBER_IN_TEXT = re.compile(r"(?<![\w.,])[0-9]{1,6}(?:\.[0-9]{1,6})?")
_UNITS = {"tab": "tablet", "tbl": "tablet", "cap": "capsule", "u": "unit", "gm": "g", "milligram": "mg"}
_DAILY = r"times (?:daily|(?:a|per|each) day)\b"
_TIMES_A_DAY = (
    (1, re.compile(r"\bonce (?:daily|(?:a|per|each|every) day)\b")),
    (2, re.compile(rf"\btwice (?:daily|(?:a|per|each) day)\b|\b(?:2|two) {_DAILY}|\bbid\b")),
    (3, re.compile(rf"\b(?:3|three) {_DAILY}|\btid\b")),
    (4, re.compile(rf"\b(?:4|four) {_DAILY}|\bqid\b")),
)


def _dose_differs(text: str, low: Quantity, high: Quantity) -> bool:
    """Whether the text names amounts in the unit of the dose, and none that could be it: 2 x 500 mg may be 1000 mg."""
    unit = _unit(low.unit or high.unit)
    said = [number for number, found in _amounts_in(text.casefold()) if found == unit] if unit else []
    if not said:
        return False
    least = Decimal(0) if low.number is None else low.number  # of up to 2 tablets, 1 is one
    most = Decimal("Infinity") if low.comparator == ">=" and not high else (high or low).number
    if most is None:
        return False
    factors = [Decimal(1), *(Decimal(found) for found in _NUMBER_IN_TEXT.findall(text)[:10])]
    return not any(least <= number * factor <= most for number in said for factor in factors)


def _amounts_in(text: str) -> Iterator[tuple[Decimal, str]]:
    for low, high, unit in _AMOUNT_IN_TEXT.findall(text)[:20]:
        for number in filter(None, (low, high)):
            yield Decimal(number.replace(",", "")), _unit(unit)


def _unit(unit: str) -> str:
    plain = unit.casefold().strip("{}").removesuffix("(s)")
    singular = plain.removesuffix("s") if len(plain) > 2 else plain  # g, not "gs"
    return _UNITS.get(singular, singular)


def _frequency_differs(text: str, timing: Timing) -> bool:
    if timing.span is not Span.DAY or timing.period != "1" or not timing.frequency or timing.frequency_to:
        return False
    said = [times for times, words in _TIMES_A_DAY if words.search(text.casefold())]
    return len(said) == 1 and str(said[0]) != timing.frequency
