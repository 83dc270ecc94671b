"""What a resource of a type without a presenter of its own says that narrows it or turns it around: what was ruled out,
what is not to be eaten, what was taken off a list, what a consent allows but for its exceptions.

Each is told as its provider says it, under a name that says whether it is so or not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from apps.records.presenters import elements, naming, payments
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.heads import codes_of, status_codes, title_of
from apps.records.presenters.particular_words import WORDS, What

_MOST: Final = 50  # of one sort; more is an accident
_DEEPEST: Final = 5  # exceptions to exceptions
_REASONS: Final = (
    "reasonCode", "reasonCodeableConcept", "reason", "reasonGiven", "indication", "triggerCodeableConcept",
)  # fmt: skip
_REFERRED_REASONS: Final = ("reasonReference", "triggerReference")
_BODY_SITES: Final = ("bodySite", "bodySiteCodeableConcept")
_URGENCIES: Final = frozenset({"urgent", "asap", "stat"})
_WHY: Final = ("statusReason", "reasonNotGiven", "reasonNotPerformed", "cancellationReason")


class Particular(msgspec.Struct, frozen=True, gc=False):
    """One sort of it: in the provider's words or, of what is `KEYED`, by keys of `WORDS`. `more` were sent besides."""

    what: What
    said: tuple[str, ...] = ()
    more: int = 0


_Said = Iterable[str]
_Read = Callable[[Element, Context], Iterator[tuple[What, _Said]]]


def of(resource: Element, context: Context) -> tuple[Particular, ...]:
    """What it says of these, in this order; none where its type has none."""
    read = _READERS.get(elements.text(resource, "resourceType"))
    found = [
        *(read(resource, context) if read else ()),
        (What.REASONS, naming.reasons(resource, context, _REASONS, _REFERRED_REASONS)),
        (What.BODY_SITES, naming.reasons(resource, context, _BODY_SITES, ("bodySiteReference",))),
        (What.WHY, naming.titles(resource, *_WHY)),
        (What.URGENCY, (code for code in status_codes(resource, "priority") if code in _URGENCIES)),
    ]
    told = ((what, tuple(dict.fromkeys(filter(None, said)))) for what, said in found)
    return tuple(Particular(what, said[:_MOST], len(said[_MOST:])) for what, said in told if said)


def _impression(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """ClinicalImpression; what was ruled out is an element of DSTU2."""
    ruled_out = elements.children(resource, "ruledOut")
    found = elements.children(resource, "finding")
    yield What.RULED_OUT, (_with(title_of(each.get("item")), elements.text(each, "reason")) for each in ruled_out)
    yield What.FOUND, (_with(_thing(each, resource, context), _why(each)) for each in found)
    resolved = naming.titles(resource, "resolved", "resolvedCodeableConcept")
    yield What.RESOLVED, (resolved or naming.reasons(resource, context, (), ("resolvedReference",)))
    yield What.SUMMARY, (elements.prose(resource.get("summary")),)
    outlook = naming.reasons(resource, context, ("prognosisCodeableConcept",), ("prognosisReference",))
    yield What.OUTLOOK, (elements.text(resource, "prognosis"), *outlook)
    yield What.CONCERNS, _names(resource, "problem", context)
    yield What.PLANNED, _names(resource, "plan", context)
    yield What.DONE_ABOUT_IT, _names(resource, "action", context)


def _thing(part: Element, resource: Element, context: Context) -> str:
    """A concept in DSTU2; a concept or a reference in R4."""
    concept = part.get("itemCodeableConcept") or part.get("item")
    return title_of(concept) or naming.name_of(part.get("itemReference"), context, within=resource)


def _why(finding: Element) -> str:
    return elements.text(finding, "cause") or elements.text(finding, "basis")


def _nutrition(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """NutritionOrder, alike in both versions; how often and how much `schedules` reads."""
    yield What.ALLERGIES, _names(resource, "allergyIntolerance", context)
    diet = elements.child(resource, "oralDiet")
    supplements = list(elements.children(resource, "supplement"))
    formula = elements.child(resource, "enteralFormula")
    yield What.FOODS_TO_LEAVE_OUT, _concepts(resource, "excludeFoodModifier")
    yield What.FOOD_PREFERENCES, _concepts(resource, "foodPreferenceModifier")
    yield What.DIET, _concepts(diet, "type")
    textures, nutrients = elements.children(diet, "texture"), elements.children(diet, "nutrient")
    yield What.TEXTURE, (_with(_first(each, "modifier"), _first(each, "foodType")) for each in textures)
    yield What.FLUIDS, _concepts(diet, "fluidConsistencyType")
    yield What.NUTRIENTS, (_with(_first(each, "modifier"), _amount(each, "amount")) for each in nutrients)
    named = (elements.text(each, "productName") or _first(each, "type") for each in supplements)
    amounts = (_amount(each, "quantity") for each in supplements)
    yield What.SUPPLEMENTS, map(_with, named, amounts)
    fed = elements.text(formula, "baseFormulaProductName") or _first(formula, "baseFormulaType")
    added = elements.text(formula, "additiveProductName") or _first(formula, "additiveType")
    route = _first(formula, "routeofAdministration")
    density = _amount(formula, "caloricDensity")
    yield What.TUBE_FEEDING, (fed, added, route, density, elements.text(formula, "administrationInstruction"))
    yield What.TUBE_MOST, (_amount(formula, "maxVolumeToDeliver"),)
    yield What.INSTRUCTIONS, (elements.text(each, "instruction") for each in (diet, *supplements))


def _list(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """List: what it says of itself, and what stands on it or was taken off."""
    yield What.EMPTY_BECAUSE, _known(resource, "emptyReason")
    yield What.MODE, (code for code in status_codes(resource, "mode") if code == "changes")
    items = [
        (_listed(each, resource, context), elements.flag(each, "deleted") is True)
        for each in elements.children(resource, "entry")
    ]
    yield What.TAKEN_OFF, ((name or "…") for name, is_off in items if is_off)
    yield What.ON_IT, (name for name, is_off in items if not is_off)


def _listed(entry: Element, resource: Element, context: Context) -> str:
    """What stands there, with how it came to stand so ("Stopped"). Nothing is told of what has no name."""
    name = naming.name_of(entry.get("item"), context, within=resource)
    return _with(name, _coded(entry.get("flag"))) if name else ""


def _group(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Group. Who shall not have what is not so, has it."""
    sent = elements.children(resource, "characteristic")
    told = [(_characteristic(each, resource, context), _is_had(each)) for each in sent]
    yield What.HAS, (said for said, is_had in told if is_had)
    yield What.HAS_NOT, (said for said, is_had in told if not is_had)


def _is_had(characteristic: Element) -> bool:
    is_excluded = elements.flag(characteristic, "exclude") is True
    return is_excluded is (elements.flag(characteristic, "valueBoolean") is False)


def _characteristic(sent: Element, resource: Element, context: Context) -> str:
    value = (
        title_of(sent.get("valueCodeableConcept"))
        or quantities.read(elements.child(sent, "valueQuantity")).shown
        or naming.name_of(sent.get("valueReference"), context, within=resource)
    )
    return ": ".join(filter(None, (title_of(sent.get("code")), value)))


def _consent(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Consent (R4): to what it says yes or no, and what its exceptions allow or not, each by what it is about."""
    yield What.ABOUT, _known(resource, "scope")
    yield What.RULE, _known(resource, "policyRule")  # of HL7's codes, some turn all of it around: opted out
    said = [elements.flag(each, "verified") for each in elements.children(resource, "verification")]
    yield What.VERIFIED, ("not-verified",) if False in said and True not in said else ()
    rule = elements.child(resource, "provision")
    yield What.COVERS, _covered(rule, resource, context)
    allowed: list[str] = []
    denied: list[str] = []
    for provision in _exceptions(rule, 0):
        named = ", ".join(_covered(provision, resource, context)) or "…"
        if "deny" in status_codes(provision, "type"):
            denied.append(named)
        elif "permit" in status_codes(provision, "type"):
            allowed.append(named)
    yield What.ALLOWS, allowed
    yield What.DENIES, denied


def _covered(provision: Element, resource: Element, context: Context) -> tuple[str, ...]:
    """What a rule of a consent is for, and for whom."""
    said = naming.titles(provision, "action", "purpose", "class", "code", "securityLabel")
    actors = (elements.child(each, "reference") for each in elements.children(provision, "actor"))
    return (*said, *naming.names_of(actors, context, within=resource))


def _exceptions(provision: Element, depth: int) -> Iterator[Element]:
    for inner in elements.children(provision, "provision"):
        yield inner
        if depth < _DEEPEST:
            yield from _exceptions(inner, depth + 1)


def _given(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """MedicationAdministration: how much, and how. Nothing of what was not given after all."""
    if elements.flag(resource, "wasNotGiven") is True or "not-done" in status_codes(resource, "status"):
        return
    sent = elements.child(resource, "dosage")
    for given in dosages.read({"dosage": {_AS_ORDERED.get(name, name): value for name, value in sent.items()}}):
        dose = " - ".join(filter(None, (given.dose.shown, given.dose_to.shown)))
        yield What.GIVEN, (*given.modified, given.text, dose, given.rate)
        yield What.GIVEN_HOW, (given.route, given.method, given.site, *given.unread)


# An amount that was given is `quantity` in DSTU2 and `dose` in R4; of one that was ordered, these.
_AS_ORDERED: Final[Mapping[str, str]] = {"dose": "doseQuantity", "quantity": "quantityQuantity"}


def _event(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """AdverseEvent (R4)."""
    suspects = elements.children(resource, "suspectEntity")
    yield What.SUSPECTED, (_suspect(each, resource, context) for each in suspects)
    yield What.HOW_SERIOUS, naming.titles(resource, "seriousness", "severity")
    yield What.CAME_OF_IT, naming.reasons(resource, context, ("outcome",), ("resultingCondition",))


def _suspect(sent: Element, resource: Element, context: Context) -> str:
    """What is suspected, with how sure those were who judged it: some causes are all but ruled out. Nothing is told of
    what has no name."""
    name = naming.name_of(sent.get("instance"), context, within=resource)
    judged = list(elements.children(sent, "causality"))
    said = [*naming.titles(sent, "causality"), *(one for each in judged for one in _concepts(each, "assessment"))]
    said += [elements.text(each, "productRelatedness") for each in judged]
    return _with(name, ", ".join(dict.fromkeys(filter(None, said)))) if name else ""


def _issue(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """DetectedIssue: two medicines that do not go together, and what was done about it."""
    yield What.HOW_SERIOUS, _known(resource, "severity")
    yield What.CONCERNS, naming.names_of(elements.children(resource, "implicated"), context, within=resource)
    yield What.DETAIL, (elements.prose(resource.get("detail")),)
    mitigations = elements.children(resource, "mitigation")
    yield What.DONE_ABOUT_IT, (said for each in mitigations for said in _concepts(each, "action"))


def _message(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Communication, or the request for one."""
    yield What.RECIPIENTS, _names(resource, "recipient", context)
    yield What.MESSAGE, (elements.prose(each.get("contentString")) for each in elements.children(resource, "payload"))


def _risk(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """RiskAssessment: of what, and how likely that is. One that is only a number is not told: nobody may take 2 for
    two percent or for two in all."""
    predictions = list(elements.children(resource, "prediction"))
    likely = ("qualitativeRisk", "probabilityCodeableConcept")
    told = ((_coded(each.get("outcome")), ", ".join(naming.titles(each, *likely))) for each in predictions)
    yield What.RISKS, (_with(outcome, how) for outcome, how in told)
    yield What.CONCERNS, _names(resource, "condition", context)
    yield What.DETAIL, (elements.prose(each.get("rationale")) for each in predictions)
    yield What.LOWERED_BY, (elements.prose(resource.get("mitigation")),)


def _evaluation(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """ImmunizationEvaluation (R4): whether a dose counts, and why not."""
    yield What.DOSE, (*_known(resource, "doseStatus"), *naming.titles(resource, "doseStatusReason"))
    counted = (_number(resource, "doseNumber"), _number(resource, "seriesDoses"))
    yield What.DOSE_NUMBER, (" / ".join(filter(None, counted)), elements.text(resource, "series"))


def _imaging(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """ImagingStudy: with what machine, of what, what was done, and how many images there are."""
    series = list(elements.children(resource, "series"))
    machines = (found for name in ("modality", "modalityList") for found in elements.children(resource, name))
    each = (found for part in series for found in elements.children(part, "modality"))
    yield What.MACHINE, (_machine(found) for found in (*machines, *each))
    yield What.DONE, naming.reasons(resource, context, ("procedureCode",), ("procedureReference", "procedure"))
    sides = ((title_of(each.get("bodySite")), title_of(each.get("laterality"))) for each in series)
    yield What.BODY_SITES, (_with(site, side) for site, side in sides)
    counted = elements.number(resource, "numberOfInstances")
    yield What.IMAGES, (quantities.digits(counted) if counted else "",)


def _machine(sent: Element) -> str:
    """By DICOM's code, which many send without a word, else in the provider's words."""
    keys = (f"image-{coding.code.lower()}" for coding in codes_of(sent))
    return next((key for key in keys if key in WORDS), title_of(sent))


def _episode(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """EpisodeOfCare: of which conditions it is."""
    conditions = (each.get("condition") for each in elements.children(resource, "diagnosis"))
    named = (naming.name_of(each, context, within=resource) for each in conditions)
    yield What.CONCERNS, (*_names(resource, "condition", context), *named)


def _supply(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """SupplyDelivery, or the request for one: what, and how much of it."""
    yield What.SUPPLIED, (_amount(resource, "quantity"), *(_item(each, resource, context) for each in _items(resource)))
    yield What.DETAIL, _parameters(resource)


def _items(resource: Element) -> list[Element]:
    """What was handed over, in R4; of DSTU2 it is named alone, and names the whole."""
    return [each for each in elements.children(resource, "suppliedItem") if "reference" not in each]


def _item(sent: Element, resource: Element, context: Context) -> str:
    name = naming.name_of(sent.get("itemReference"), context, within=resource)
    return _with(title_of(sent.get("itemCodeableConcept")) or name, _amount(sent, "quantity"))


def _device(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """DeviceRequest: how the device is to be (R4)."""
    yield What.DETAIL, _parameters(resource)


def _parameters(resource: Element) -> Iterator[str]:
    for each in elements.children(resource, "parameter"):
        value = title_of(each.get("valueCodeableConcept")) or _amount(each, "valueQuantity")
        ends = elements.child(each, "valueRange")
        told = value or " - ".join(filter(None, (_amount(ends, "low"), _amount(ends, "high"))))
        yield ": ".join(filter(None, (title_of(each.get("code")), told)))


def _flag(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """Flag: what kind of warning."""
    yield What.KIND, naming.titles(resource, "category")


def _place(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """BodyStructure (R4)."""
    yield What.BODY_SITES, naming.titles(resource, "location", "locationQualifier")


def _order(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Order (DSTU2): what is ordered, and of whom."""
    yield What.CONCERNS, _names(resource, "detail", context)
    yield What.RECIPIENTS, _names(resource, "target", context)


def _document(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """Composition: what its parts are called, and why one is empty."""
    parts = elements.children(resource, "section")
    told = ((elements.text(each, "title") or title_of(each.get("code")), each.get("emptyReason")) for each in parts)
    yield What.HOLDS, (_with(name, title_of(empty)) for name, empty in told if name)


_READERS: Final[Mapping[str, _Read]] = {
    "Account": payments.account,
    "AdverseEvent": _event,
    "BodyStructure": _place,
    "Claim": payments.claim,
    "ClaimResponse": payments.benefits,
    "ClinicalImpression": _impression,
    "Communication": _message,
    "CommunicationRequest": _message,
    "Composition": _document,
    "Consent": _consent,
    "CoverageEligibilityResponse": payments.eligibility,
    "DetectedIssue": _issue,
    "DeviceRequest": _device,
    "EpisodeOfCare": _episode,
    "ExplanationOfBenefit": payments.benefits,
    "Flag": _flag,
    "Group": _group,
    "ImagingStudy": _imaging,
    "ImmunizationEvaluation": _evaluation,
    "Invoice": payments.invoice,
    "List": _list,
    "MedicationAdministration": _given,
    "NutritionOrder": _nutrition,
    "Order": _order,
    **dict.fromkeys(("PaymentNotice", "PaymentReconciliation"), payments.payment),
    "RiskAssessment": _risk,
    **dict.fromkeys(("SupplyDelivery", "SupplyRequest"), _supply),
}


def _names(resource: Element, name: str, context: Context) -> tuple[str, ...]:
    return naming.names_of(elements.children(resource, name), context, within=resource)


def _number(resource: Element, name: str) -> str:
    """A positive integer or a text (R4)."""
    found = elements.number(resource, f"{name}PositiveInt")
    return elements.text(resource, f"{name}String") if found is None else quantities.digits(found)


def _concepts(element: Element, name: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_coded, elements.children(element, name))))


def _coded(concept: object) -> str:
    """What it says; of one that was sent as a code alone, the code: what nobody can read may be what is not to be."""
    return title_of(concept) or elements.words(concept)


def _first(element: Element, name: str) -> str:
    return next(iter(_concepts(element, name)), "")


def _amount(element: Element, name: str) -> str:
    return quantities.read(elements.child(element, name)).shown


def _known(resource: Element, name: str) -> tuple[str, ...]:
    """A code that has words of ours, else the provider's words."""
    known = next((code for code in status_codes(resource, name) if code in WORDS), "")
    return (known,) if known else naming.titles(resource, name)


def _with(said: str, more: str) -> str:
    return f"{said} ({more})" if said and more else said or more
