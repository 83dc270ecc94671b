"""How a medicine is taken: the dosage of a prescription, statement or dispense of either version.

The provider's text comes first, unchanged. The coded parts stand beside it, and form a sentence only if there is no
text (`dosage_words`). If text and parts plainly disagree, `differs` is set; we never decide which is right. No part is
dropped: a part that we do not understand is kept as sent.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from apps.records.presenters import elements, naming, outline
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.dosing import amounts_in_text, disagreeing, timings
from apps.records.presenters.dosing.timings import Timing
from apps.records.presenters.elements import Element
from apps.records.presenters.memoizing import memoized

Told = TypeVar("Told")

_MOST = 30  # dosages of one medicine; more can only be an error


class Dosage(msgspec.Struct, frozen=True, gc=False):
    """One instruction. `patient_instruction` stands beside `text`, never in its place.

    `dose_to` is the upper end of a range; `rate` and `maximum` (in a period) are as sent, each as one text.
    `most_at_once` and `most_ever` are the other two maximums. `form` is the form of the medicine. `others` are further
    doses, each as one text; `unread` are the parts that we do not understand, each as sent, and `modified` are the
    modifier extensions.
    """

    text: str = ""
    patient_instruction: str = ""
    instructions: tuple[str, ...] = ()
    dose: Quantity = NO_QUANTITY
    dose_to: Quantity = NO_QUANTITY
    rate: str = ""
    route: str = ""
    site: str = ""
    method: str = ""
    timing: Timing = msgspec.field(default_factory=Timing)
    is_as_needed: bool = False
    as_needed_for: str = ""
    maximum: str = ""
    most_at_once: Quantity = NO_QUANTITY
    most_ever: Quantity = NO_QUANTITY
    form: str = ""
    modified: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    differs: bool = False


def read(resource: Element, *, form: str = "") -> tuple[Dosage, ...]:
    """The dosages in `dosageInstruction` and `dosage`, by their `sequence` and without empty ones, up to a maximum.
    `form` is the form of the medicine, such as tablet or solution."""
    return tuple(dosage for _sent, dosage in paired(resource, form=form, most=_MOST))


def paired(resource: Element, *, form: str = "", most: int) -> tuple[tuple[Element, Dosage], ...]:
    """The same, up to `most` of them, each with the element from which it was read."""
    sent = sorted(_sent(resource), key=lambda each: elements.number(each, "sequence") or 0)
    told = ((each, dosage) for each in sent if _says_something(dosage := _dosage(each)))
    return tuple((each, replace(dosage, form=form)) for each, dosage in islice(told, most))


def of_timing(element: Element, *names: str) -> tuple[Dosage, ...]:
    """How often, for how long, and whether only when needed, something other than a medicine is done: from the first
    Timing with one of these names. Empty if it is only a date, which `moments.read` reads."""
    timing: Element = next(filter(None, (elements.child(element, name) for name in names)), {})
    needed = {name: element[name] for name in ("asNeededBoolean", "asNeededCodeableConcept") if name in element}
    found = read({"dosageInstruction": [{**({"timing": timing} if timing else {}), **needed}]})
    return tuple(dosage for dosage in found if not _is_a_date(dosage))


def _is_a_date(dosage: Dosage) -> bool:
    """Whether the dosage states nothing but one event or one period."""
    timing = dosage.timing
    if not timing.events:
        timing = replace(timing, bounds=_NO_TIMING.bounds)
    elif len(timing.events) == 1:
        timing = replace(timing, events=())
    return replace(dosage, timing=timing) == Dosage(timing=_NO_TIMING)


def beyond(resource: Element) -> int:
    """How many dosages were sent beyond those that `read` returns."""
    sent = _sent(resource)
    if len(sent) <= _MOST:  # nearly always, and then nothing has to be read again
        return 0
    return max(0, sum(map(_says_something, map(_dosage, sent))) - _MOST)


def _sent(resource: Element) -> list[Element]:
    return [*_instructions(resource, "dosageInstruction"), *_instructions(resource, "dosage")]


def _says_something(dosage: Dosage) -> bool:
    return dosage != Dosage(timing=_NO_TIMING)


_NO_TIMING = timings.read({})


def _instructions(resource: Element, name: str) -> Iterator[Element]:
    """The instructions as elements; some servers send a text in place of one."""
    for each in _each(resource, name):
        if isinstance(each, dict):
            yield each
        elif isinstance(each, str):
            yield {"text": each}


_READ = frozenset(
    (
        "id", "extension", "modifierExtension", "sequence", "text", "patientInstruction", "additionalInstruction",
        "additionalInstructions", "timing", "asNeededBoolean", "asNeededCodeableConcept", "site", "siteCodeableConcept",
        "siteReference", "route", "method", "doseAndRate", "doseQuantity", "doseRange", "quantityQuantity",
        "quantityRange", "rateQuantity", "rateRange", "rateRatio", "maxDosePerPeriod", "maxDosePerAdministration",
        "maxDosePerLifetime",
    )
)  # fmt: skip
_DOSES = ("doseQuantity", "quantityQuantity", "doseRange", "quantityRange")  # quantity[x] in DSTU2 statements
_RATES = ("rateQuantity", "rateRange", "rateRatio")
_ADVICE = ("additionalInstruction", "additionalInstructions")
_SITES = ("site", "siteCodeableConcept")


@memoized
def _dosage(sent: Element) -> Dosage:
    amounts = _amounts(sent)
    places = [amounts] if amounts is sent else [amounts, sent]
    (low, high), other_doses = _first(places, _DOSES, _dose, (Quantity(), Quantity()))
    rate, other_rates = _first(places, _RATES, _rate, "")
    text, timing = elements.prose(sent.get("text")), timings.read(elements.child(sent, "timing"))
    told = Dosage(
        text=text,
        patient_instruction=elements.prose(sent.get("patientInstruction")),
        instructions=naming.titles(sent, *_ADVICE),
        dose=low,
        dose_to=high,
        rate=rate,
        route=_titled(sent, "route"),
        site=_titled(sent, *_SITES) or elements.text(elements.child(sent, "siteReference"), "display"),
        method=_titled(sent, "method"),
        timing=timing,
        is_as_needed=elements.flag(sent, "asNeededBoolean") is True or bool(sent.get("asNeededCodeableConcept")),
        as_needed_for=title_of(sent.get("asNeededCodeableConcept")),
        maximum=ratio(elements.child(sent, "maxDosePerPeriod")),
        most_at_once=_amount(elements.child(sent, "maxDosePerAdministration")),
        most_ever=_amount(elements.child(sent, "maxDosePerLifetime")),
        modified=tuple(dict.fromkeys(_modifiers(sent))),
        others=tuple(_other_amounts(sent, amounts)),
        differs=disagreeing.differ(text, low, high, timing),
    )
    unread = (*other_doses, *other_rates, *_unread(sent, told), *timing.unread)
    return replace(told, unread=tuple(each for each in dict.fromkeys(unread) if each not in told.modified))


def _unread(sent: Element, told: Dosage) -> Iterator[str]:
    """What was sent and is in no part of the dosage, as sent."""
    lost = [name for name in ("text", "patientInstruction") if not elements.text(sent, name)]
    lost += [name for name in ("route", "method", *_SITES, *_ADVICE) if not all(map(title_of, _each(sent, name)))]
    lost += [] if elements.text(elements.child(sent, "siteReference"), "display") == told.site else ["siteReference"]
    lost += [] if told.as_needed_for else ["asNeededCodeableConcept"]
    lost += [] if elements.flag(sent, "asNeededBoolean") is not None else ["asNeededBoolean"]
    lost += [] if elements.number(sent, "sequence") is not None else ["sequence"]
    for name, most in (("maxDosePerPeriod", told.maximum), ("maxDosePerAdministration", told.most_at_once),
                       ("maxDosePerLifetime", told.most_ever), ("timing", elements.child(sent, "timing"))):  # fmt: skip
        lost += [] if most and len(_each(sent, name)) == 1 else [name]
    lost += [] if all(isinstance(each, dict) for each in _each(sent, "doseAndRate")) else ["doseAndRate"]
    yield from outline.as_sent(sent, *lost, *(name for name in sent if name not in _READ and not name.startswith("_")))


def _modifiers(sent: object, depth: int = 0) -> Iterator[str]:
    """The modifier extensions at any depth; each can change the meaning of the element that contains it."""
    if isinstance(sent, dict):
        yield from outline.as_sent(sent, "modifierExtension")
    inner = sent.values() if isinstance(sent, dict) else sent if isinstance(sent, list) else ()
    if depth < outline.DEEPEST:
        for each in inner:
            yield from _modifiers(each, depth + 1)


def _other_amounts(sent: Element, amounts: Element) -> Iterator[str]:
    """What `amounts` says beyond dose and rate, and the further `doseAndRate` elements of R4. A dose that was
    calculated from the ordered one is left out."""
    is_ordered = "ordered" in elements.codes(elements.child(amounts, "type"))
    for each in elements.children(sent, "doseAndRate"):
        further = [name for name in each if name not in _OF_AMOUNTS and not name.startswith("_")]
        if each is amounts:
            yield from outline.as_sent(each, *further, *([] if is_ordered else ["type"]))
            continue
        if is_ordered and "calculated" in elements.codes(elements.child(each, "type")):
            continue
        (low, high), other_doses = _first([each], _DOSES, _dose, (Quantity(), Quantity()))
        rate, other_rates = _first([each], _RATES, _rate, "")
        shown = " - ".join(filter(None, (low.shown, high.shown)))
        kind = title_of(each.get("type")) if shown or rate else ""
        said = ", ".join(filter(None, (kind, shown, rate)))
        yield from (said,) if said else ()
        yield from (*other_doses, *other_rates, *outline.as_sent(each, *further, *([] if kind else ["type"])))


_OF_AMOUNTS = frozenset({*_DOSES, *_RATES, "type", "id", "extension", "modifierExtension"})


def _amounts(sent: Element) -> Element:
    """The element with dose and rate: in R4 the ordered one of `doseAndRate`, in DSTU2 the dosage itself."""
    all_sent = list(elements.children(sent, "doseAndRate"))
    ordered = (each for each in all_sent if "ordered" in elements.codes(elements.child(each, "type")))
    return next(ordered, all_sent[0] if all_sent else sent)


def _first(
    places: Sequence[Element], names: Sequence[str], read_one: Callable[[Element, str], Told | None], nothing: Told
) -> tuple[Told, tuple[str, ...]]:
    """The first of these elements that can be read, and the other ones, each as sent."""
    others: list[str] = []
    found: Told | None = None
    for place in places:
        for name in names:
            read_now = read_one(place, name) if found is None and len(_each(place, name)) == 1 else None
            if read_now is None:
                others += outline.as_sent(place, name)
            else:
                found = read_now
    return (nothing if found is None else found), tuple(others)


def _dose(place: Element, name: str) -> tuple[Quantity, Quantity] | None:
    sent = elements.child(place, name)
    if name.endswith("Quantity"):
        amount = _amount(sent)
        return (amount, Quantity()) if amount else None
    ends = quantities.ends(sent, of=_amount)  # None if one end cannot be read: the other alone is not the dose
    return ends if ends and any(ends) else None


def _rate(place: Element, name: str) -> str | None:
    sent = elements.child(place, name)
    if name == "rateQuantity":
        return _amount(sent).shown or None
    if name == "rateRatio":
        return ratio(sent) or None
    return " - ".join(end.shown for end in quantities.ends(sent, of=_amount) or () if end) or None


def _amount(sent: Element) -> Quantity:
    """A quantity with its unit in words. Some servers send a concept's number as the unit, and UCUM's unit 1 is no
    unit. If we do not know the concept, the amount is empty: 5 of something is not 5 tablets. It is empty, too, if the
    name and the code of the unit disagree: 5 mL, coded as mg."""
    found = quantities.read(sent)
    if found.code and found.unit != found.code and not amounts_in_text.may_be_one(found.unit, found.code):
        return Quantity()
    if not found.unit.isdigit():
        return found
    unit = CODED_UNITS.get(found.unit)
    return Quantity() if unit is None else replace(found, unit=unit)


CODED_UNITS = {
    "1": "",  # UCUM
    "258682000": "g",  # SNOMED CT, here and below
    "258684004": "mg",
    "258685003": "microgram",
    "258773002": "mL",
    "415215001": "puff",
    "428641000": "capsule",
    "428673006": "tablet",
}


def ratio(ratio: Element) -> str:
    """A ratio as one text: 3 capsules / 1 d. The denominator appears even if it has no number: 4 g a day is not 4 g.
    If it has no words either, the result is empty."""
    above, below = (_amount(elements.child(ratio, side)).shown for side in ("numerator", "denominator"))
    if not above or not ratio.get("denominator"):
        return above
    sent = elements.child(ratio, "denominator")
    below = below or quantities.as_sent(sent)
    if not below and sent.get("value") is None and not sent.get("comparator"):
        below = elements.text(sent, "unit") or elements.text(sent, "code")
    return f"{above} / {below}" if below else ""


def _titled(sent: Element, *names: str) -> str:
    return ", ".join(naming.titles(sent, *names))


def _each(sent: Element, name: str) -> list[object]:
    """The values sent under this name, one or several, without empty ones."""
    value = sent.get(name)
    each = value[: elements.MOST_REPEATED] if isinstance(value, list) else [value]
    return [one for one in each if one not in (None, "", [], {})]
