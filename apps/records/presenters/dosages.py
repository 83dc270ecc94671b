"""How a medicine is taken: the dosage of a prescription, statement or dispense of either version.

The provider's text comes first, unchanged. The parts stand beside it, and make a sentence only where there is no text
(`dosage_words`). Where text and parts plainly say different numbers, `differs` says so; nobody decides who is right. No
part is dropped: one that we do not understand is kept as it was sent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from apps.records.presenters import disagreeing, elements, naming, outline, quantities, timings
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import title_of
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
        differs=disagreeing.differ(text, low, high, timing),
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
