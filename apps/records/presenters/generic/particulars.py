"""Particulars: what narrows or reverses the meaning of a resource without a presenter of its own, such as what was
ruled out, what must not be eaten, what was taken off a list, or the exceptions to a consent.

Each is shown in the provider's words, under a label that says whether it is true or not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import consents, imaging, payments, provider_words, tasks
from apps.records.presenters.generic.particular_words import What
from apps.records.presenters.heads import status_codes

_MOST: Final = 50  # particulars of one kind; more can only be an error
_REASONS: Final = (
    "reasonCode", "reasonCodeableConcept", "reason", "reasonGiven", "indication", "triggerCodeableConcept",
)  # fmt: skip
_REFERRED_REASONS: Final = ("reasonReference", "triggerReference")
_BODY_SITES: Final = ("bodySite", "bodySiteCodeableConcept")
_URGENCIES: Final = frozenset({"urgent", "asap", "stat"})
_WHY: Final = ("statusReason", "reasonNotGiven", "reasonNotPerformed", "cancellationReason")


class Particular(msgspec.Struct, frozen=True, gc=False):
    """The particulars of one kind: in the provider's words or, if the kind is `KEYED`, as keys of `WORDS`. `more` is
    the number that is left out."""

    what: What
    said: tuple[str, ...] = ()
    more: int = 0


_Said = Iterable[str]
_Read = Callable[[Element, Context], Iterator[tuple[What, _Said]]]


def of(resource: Element, context: Context) -> tuple[Particular, ...]:
    """The particulars of a resource: first those of its type, then those that all types have. Empty if there are
    none."""
    read = _READERS.get(elements.text(resource, "resourceType"))
    found = [
        *(read(resource, context) if read else ()),
        (What.REASONS, naming.reasons(resource, context, _REASONS, _REFERRED_REASONS)),
        (What.BODY_SITES, naming.reasons(resource, context, _BODY_SITES, ("bodySiteReference",))),
        (What.WHY, naming.titles(resource, *_WHY)),
        (What.URGENCY, _urgency(resource)),
        (What.DETAIL, (elements.prose(resource.get("description")),)),
    ]
    told: dict[What, dict[str, None]] = {}
    for what, said in found:
        told.setdefault(what, {}).update(dict.fromkeys(filter(None, said)))
    several = ((what, tuple(said)) for what, said in told.items())
    return tuple(Particular(what, said[:_MOST], len(said[_MOST:])) for what, said in several if said)


def _urgency(resource: Element) -> tuple[str, ...]:
    """How urgent it is: a code that we know, else the words of a concept in DSTU2."""
    known = tuple(code for code in status_codes(resource, "priority") if code in _URGENCIES)
    return known or naming.titles({"priority": list(elements.children(resource, "priority"))}, "priority")


def _impression(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """ClinicalImpression. Only DSTU2 has an element for what was ruled out."""
    ruled_out = elements.children(resource, "ruledOut")
    found = elements.children(resource, "finding")
    yield (
        What.RULED_OUT,
        (provider_words.with_more(title_of(each.get("item")), elements.text(each, "reason")) for each in ruled_out),
    )
    yield What.FOUND, (provider_words.with_more(_thing(each, resource, context), _why(each)) for each in found)
    resolved = naming.titles(resource, "resolved", "resolvedCodeableConcept")
    yield What.RESOLVED, (resolved or naming.reasons(resource, context, (), ("resolvedReference",)))
    yield What.SUMMARY, (elements.prose(resource.get("summary")),)
    outlook = naming.reasons(resource, context, ("prognosisCodeableConcept",), ("prognosisReference",))
    yield What.OUTLOOK, (elements.text(resource, "prognosis"), *outlook)
    yield What.CONCERNS, provider_words.names(resource, "problem", context)
    looked_at = (part for name in ("investigation", "investigations") for part in elements.children(resource, name))
    yield What.LOOKED_AT, (_looked_at(each, resource, context) for each in looked_at)
    yield What.PLANNED, provider_words.names(resource, "plan", context)
    yield What.DONE_ABOUT_IT, provider_words.names(resource, "action", context)


def _looked_at(part: Element, resource: Element, context: Context) -> str:
    return provider_words.with_more(
        title_of(part.get("code")), ", ".join(provider_words.names_in(part, "item", resource, context))
    )


def _thing(part: Element, resource: Element, context: Context) -> str:
    """The name of a finding, which is a concept in DSTU2, and a concept or a reference in R4."""
    concept = part.get("itemCodeableConcept") or part.get("item")
    return title_of(concept) or naming.name_of(part.get("itemReference"), context, within=resource)


def _why(finding: Element) -> str:
    return elements.text(finding, "cause") or elements.text(finding, "basis")


def _nutrition(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """NutritionOrder, the same in both FHIR versions. `schedules` reads how often and how much."""
    yield What.ALLERGIES, provider_words.names(resource, "allergyIntolerance", context)
    diet = elements.child(resource, "oralDiet")
    supplements = list(elements.children(resource, "supplement"))
    formula = elements.child(resource, "enteralFormula")
    yield What.FOODS_TO_LEAVE_OUT, provider_words.concepts(resource, "excludeFoodModifier")
    yield What.FOOD_PREFERENCES, provider_words.concepts(resource, "foodPreferenceModifier")
    yield What.DIET, provider_words.concepts(diet, "type")
    textures, nutrients = elements.children(diet, "texture"), elements.children(diet, "nutrient")
    yield (
        What.TEXTURE,
        (
            provider_words.with_more(provider_words.first(each, "modifier"), provider_words.first(each, "foodType"))
            for each in textures
        ),
    )
    yield What.FLUIDS, provider_words.concepts(diet, "fluidConsistencyType")
    yield (
        What.NUTRIENTS,
        (
            provider_words.with_more(provider_words.first(each, "modifier"), provider_words.amount(each, "amount"))
            for each in nutrients
        ),
    )
    named = (elements.text(each, "productName") or provider_words.first(each, "type") for each in supplements)
    amounts = (provider_words.amount(each, "quantity") for each in supplements)
    yield What.SUPPLEMENTS, map(provider_words.with_more, named, amounts)
    fed = elements.text(formula, "baseFormulaProductName") or provider_words.first(formula, "baseFormulaType")
    added = elements.text(formula, "additiveProductName") or provider_words.first(formula, "additiveType")
    route = provider_words.first(formula, "routeofAdministration")
    density = provider_words.amount(formula, "caloricDensity")
    yield What.TUBE_FEEDING, (fed, added, route, density, elements.text(formula, "administrationInstruction"))
    yield What.TUBE_MOST, (provider_words.amount(formula, "maxVolumeToDeliver"),)
    yield What.INSTRUCTIONS, (elements.text(each, "instruction") for each in (diet, *supplements))


def _list(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """List: what it says about itself, what is on it, and what was taken off."""
    yield What.EMPTY_BECAUSE, provider_words.known(resource, "emptyReason")
    yield What.MODE, (code for code in status_codes(resource, "mode") if code == "changes")
    items = [
        (_listed(each, resource, context), elements.flag(each, "deleted") is True)
        for each in elements.children(resource, "entry")
    ]
    yield What.TAKEN_OFF, ((name or "…") for name, is_off in items if is_off)
    yield What.ON_IT, (name for name, is_off in items if not is_off)


def _listed(entry: Element, resource: Element, context: Context) -> str:
    """The name of an item, with its flag ("Stopped"). Empty if the item has no name."""
    name = naming.name_of(entry.get("item"), context, within=resource)
    return provider_words.with_more(name, provider_words.coded(entry.get("flag"))) if name else ""


def _group(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Group: the characteristics that its members have, and those that they do not have. A characteristic whose value
    is false and that is excluded is one that they have."""
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


def _given(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """MedicationAdministration: how much, and how. Empty if it was not given after all."""
    if elements.flag(resource, "wasNotGiven") is True or "not-done" in status_codes(resource, "status"):
        return
    sent = elements.child(resource, "dosage")
    for given in dosages.read({"dosage": {_AS_ORDERED.get(name, name): value for name, value in sent.items()}}):
        dose = " - ".join(filter(None, (given.dose.shown, given.dose_to.shown)))
        yield What.GIVEN, (*given.modified, given.text, dose, given.rate)
        yield What.GIVEN_HOW, (given.route, given.method, given.site, *given.unread)


# The dose of an administration is `quantity` in DSTU2 and `dose` in R4. The values are a dosage's names for the same.
_AS_ORDERED: Final[Mapping[str, str]] = {"dose": "doseQuantity", "quantity": "quantityQuantity"}


def _event(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """AdverseEvent (R4)."""
    suspects = elements.children(resource, "suspectEntity")
    yield What.SUSPECTED, (_suspect(each, resource, context) for each in suspects)
    yield What.HOW_SERIOUS, naming.titles(resource, "seriousness", "severity")
    yield What.CAME_OF_IT, naming.reasons(resource, context, ("outcome",), ("resultingCondition",))
    yield What.WHERE, provider_words.names(resource, "location", context)


def _suspect(sent: Element, resource: Element, context: Context) -> str:
    """The suspected cause, with how certain it is: some causes are all but ruled out. Empty if the cause has no
    name."""
    name = naming.name_of(sent.get("instance"), context, within=resource)
    judged = list(elements.children(sent, "causality"))
    said = [
        *naming.titles(sent, "causality"),
        *(one for each in judged for one in provider_words.concepts(each, "assessment")),
    ]
    said += [elements.text(each, "productRelatedness") for each in judged]
    return provider_words.with_more(name, ", ".join(dict.fromkeys(filter(None, said)))) if name else ""


def _issue(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """DetectedIssue: for example two medicines that interact, and what was done about it."""
    yield What.HOW_SERIOUS, provider_words.known(resource, "severity")
    yield What.CONCERNS, naming.names_of(elements.children(resource, "implicated"), context, within=resource)
    yield What.DETAIL, (elements.prose(resource.get("detail")),)
    yield (
        What.FOUND,
        (said for each in elements.children(resource, "evidence") for said in _found(each, resource, context)),
    )
    mitigations = elements.children(resource, "mitigation")
    yield What.DONE_ABOUT_IT, (said for each in mitigations for said in provider_words.concepts(each, "action"))


def _found(evidence: Element, resource: Element, context: Context) -> tuple[str, ...]:
    return (*provider_words.concepts(evidence, "code"), *provider_words.names_in(evidence, "detail", resource, context))


def _message(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Communication or CommunicationRequest."""
    yield What.RECIPIENTS, provider_words.names(resource, "recipient", context)
    payload = list(elements.children(resource, "payload"))
    yield What.MESSAGE, (elements.prose(each.get("contentString")) for each in payload)
    yield What.SENT_WITH_IT, (said for each in payload for said in _sent_with(each, resource, context))
    yield What.CONCERNS, provider_words.names(resource, "about", context)
    yield What.MEDIUM, naming.titles(resource, "medium")


def _sent_with(part: Element, resource: Element, context: Context) -> tuple[str, ...]:
    return provider_words.names_in(part, "contentReference", resource, context)


def _risk(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """RiskAssessment: the risks, and how likely they are. A probability that is only a number is left out: 2 could be
    read as two percent or as twice as likely."""
    predictions = list(elements.children(resource, "prediction"))
    likely = ("qualitativeRisk", "probabilityCodeableConcept")
    told = (
        (provider_words.coded(each.get("outcome")), ", ".join(naming.titles(each, *likely))) for each in predictions
    )
    yield What.RISKS, (provider_words.with_more(outcome, how) for outcome, how in told)
    yield What.CONCERNS, provider_words.names(resource, "condition", context)
    yield What.DETAIL, (elements.prose(each.get("rationale")) for each in predictions)
    yield What.LOWERED_BY, (elements.prose(resource.get("mitigation")),)


def _evaluation(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """ImmunizationEvaluation (R4): whether a dose counts, and why not."""
    yield What.DOSE, (*provider_words.known(resource, "doseStatus"), *naming.titles(resource, "doseStatusReason"))
    counted = (provider_words.number(resource, "doseNumber"), provider_words.number(resource, "seriesDoses"))
    yield What.DOSE_NUMBER, (" / ".join(filter(None, counted)), elements.text(resource, "series"))


def _episode(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """EpisodeOfCare: the conditions that it is about."""
    conditions = (each.get("condition") for each in elements.children(resource, "diagnosis"))
    named = (naming.name_of(each, context, within=resource) for each in conditions)
    yield What.CONCERNS, (*provider_words.names(resource, "condition", context), *named)


def _supply(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """SupplyDelivery or SupplyRequest: what, and how much of it."""
    yield (
        What.SUPPLIED,
        (provider_words.amount(resource, "quantity"), *(_item(each, resource, context) for each in _items(resource))),
    )
    yield What.DETAIL, _parameters(resource)
    yield What.RECIPIENTS, naming.reasons(resource, context, (), ("receiver", "destination", "deliverTo"))


def _items(resource: Element) -> list[Element]:
    """The supplied items in R4. In DSTU2, the item is only a reference, which already names the resource."""
    return [each for each in elements.children(resource, "suppliedItem") if "reference" not in each]


def _item(sent: Element, resource: Element, context: Context) -> str:
    name = naming.name_of(sent.get("itemReference"), context, within=resource)
    return provider_words.with_more(
        title_of(sent.get("itemCodeableConcept")) or name, provider_words.amount(sent, "quantity")
    )


def _device(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """DeviceRequest (R4): what the device should be like."""
    yield What.DETAIL, _parameters(resource)


def _parameters(resource: Element) -> Iterator[str]:
    for each in elements.children(resource, "parameter"):
        value = title_of(each.get("valueCodeableConcept")) or provider_words.amount(each, "valueQuantity")
        ends = elements.child(each, "valueRange")
        told = value or " - ".join(
            filter(None, (provider_words.amount(ends, "low"), provider_words.amount(ends, "high")))
        )
        yield ": ".join(filter(None, (title_of(each.get("code")), told)))


def _flag(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """Flag: the kind of warning."""
    yield What.KIND, naming.titles(resource, "category")


def _place(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """BodyStructure, and BodySite (DSTU2): where it is, and on which side of the body."""
    yield What.BODY_SITES, naming.titles(resource, "location", "locationQualifier", "modifier")


def _order(resource: Element, context: Context) -> Iterator[tuple[What, _Said]]:
    """Order (DSTU2): what is ordered, and from whom."""
    yield What.CONCERNS, provider_words.names(resource, "detail", context)
    yield What.RECIPIENTS, provider_words.names(resource, "target", context)


def _document(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """Composition: the titles of its sections, and why a section is empty."""
    parts = elements.children(resource, "section")
    told = ((elements.text(each, "title") or title_of(each.get("code")), each.get("emptyReason")) for each in parts)
    yield What.HOLDS, (provider_words.with_more(name, title_of(empty)) for name, empty in told if name)
    yield (
        What.DONE,
        (said for each in elements.children(resource, "event") for said in provider_words.concepts(each, "code")),
    )


_READERS: Final[Mapping[str, _Read]] = {
    "Account": payments.account,
    "AdverseEvent": _event,
    **dict.fromkeys(("BodySite", "BodyStructure"), _place),
    "ChargeItem": payments.charge,
    "Claim": payments.claim,
    "ClaimResponse": payments.benefits,
    "ClinicalImpression": _impression,
    "Communication": _message,
    "CommunicationRequest": _message,
    "Composition": _document,
    "Consent": consents.consent,
    "CoverageEligibilityResponse": payments.eligibility,
    "DetectedIssue": _issue,
    "DeviceRequest": _device,
    "EpisodeOfCare": _episode,
    "ExplanationOfBenefit": payments.benefits,
    "Flag": _flag,
    "Group": _group,
    "ImagingStudy": imaging.study,
    "ImmunizationEvaluation": _evaluation,
    "Invoice": payments.invoice,
    "List": _list,
    "Media": imaging.media,
    "MedicationAdministration": _given,
    "NutritionOrder": _nutrition,
    "Order": _order,
    **dict.fromkeys(("PaymentNotice", "PaymentReconciliation"), payments.payment),
    "RequestGroup": tasks.group,
    "ResearchSubject": tasks.trial,
    "RiskAssessment": _risk,
    **dict.fromkeys(("SupplyDelivery", "SupplyRequest"), _supply),
    "Task": tasks.task,
}
