"""What a resource of a type without a presenter of its own says that narrows it or turns it around: what was ruled out,
what is not to be eaten, what was taken off a list, what a consent allows but for its exceptions.

Each is told as its provider says it, under a name that says whether it is so or not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements, naming
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.heads import status_codes, title_of

_MOST: Final = 50  # of one sort; more is an accident
_DEEPEST: Final = 5  # exceptions to exceptions
_REASONS: Final = ("reasonCode", "reasonCodeableConcept", "reason", "reasonGiven", "indication")
_BODY_SITES: Final = ("bodySite", "bodySiteCodeableConcept")
_WHY: Final = ("statusReason", "reasonNotGiven", "reasonNotPerformed", "cancellationReason")


class What(StrEnum):
    """What is told."""

    RULED_OUT = "ruled-out"
    FOUND = "found-in-it"
    RESOLVED = "resolved-in-it"
    SUMMARY = "summary"
    OUTLOOK = "outlook"
    FOODS_TO_LEAVE_OUT = "foods-to-leave-out"
    FOOD_PREFERENCES = "food-preferences"
    DIET = "diet"
    TEXTURE = "texture"
    FLUIDS = "fluids"
    NUTRIENTS = "nutrients"
    SUPPLEMENTS = "supplements"
    TUBE_FEEDING = "tube-feeding"
    INSTRUCTIONS = "instructions"
    WHY = "why-it-stands-so"
    ABOUT = "about"
    REASONS = "reasons"
    BODY_SITES = "body-sites"
    GIVEN = "given"
    GIVEN_HOW = "given-how"
    SUSPECTED = "suspected"
    CAME_OF_IT = "came-of-it"
    CONCERNS = "concerns"
    DETAIL = "detail"
    DONE_ABOUT_IT = "done-about-it"
    MESSAGE = "message"
    RISKS = "risks"
    EMPTY_BECAUSE = "empty-because"
    MODE = "mode"
    ON_IT = "on-it"
    TAKEN_OFF = "taken-off"
    HAS = "has"
    HAS_NOT = "has-not"
    ALLOWS = "allows"
    DENIES = "denies"
    HOW_SERIOUS = "how-serious"
    IN_FORCE = "in-force"
    NOT_COVERED = "not-covered"
    DOSE = "dose-counts"


class Particular(msgspec.Struct, frozen=True, gc=False):
    """One sort of it: in the provider's words or, of what is `KEYED`, by keys of `WORDS`. `more` were sent besides."""

    what: What
    said: tuple[str, ...] = ()
    more: int = 0


# Those without which a row would be read as something else.
TURNING: Final = frozenset(
    {
        What.RULED_OUT, What.FOODS_TO_LEAVE_OUT, What.EMPTY_BECAUSE, What.TAKEN_OFF, What.HAS_NOT, What.DENIES,
        What.IN_FORCE, What.NOT_COVERED, What.DOSE, What.MODE, What.ABOUT,
        What.SUSPECTED, What.CONCERNS,
    }
)  # fmt: skip

# Those that are told by keys of `WORDS`, where they were sent as codes; all others in the provider's words alone.
KEYED: Final = frozenset({What.ABOUT, What.EMPTY_BECAUSE, What.MODE, What.HOW_SERIOUS, What.IN_FORCE, What.DOSE})

_Said = Iterable[str]
_Read = Callable[[Element, Context], Iterator[tuple[What, _Said]]]


def of(resource: Element, context: Context) -> tuple[Particular, ...]:
    """What it says of these, in this order; none where its type has none."""
    read = _READERS.get(elements.text(resource, "resourceType"))
    found = [
        *(read(resource, context) if read else ()),
        (What.REASONS, naming.reasons(resource, context, _REASONS, ("reasonReference",))),
        (What.BODY_SITES, naming.reasons(resource, context, _BODY_SITES, ("bodySiteReference",))),
        (What.WHY, naming.titles(resource, *_WHY)),
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
    yield What.OUTLOOK, (elements.text(resource, "prognosis"), *naming.titles(resource, "prognosisCodeableConcept"))


def _thing(part: Element, resource: Element, context: Context) -> str:
    """A concept in DSTU2; a concept or a reference in R4."""
    concept = part.get("itemCodeableConcept") or part.get("item")
    return title_of(concept) or naming.name_of(part.get("itemReference"), context, within=resource)


def _why(finding: Element) -> str:
    return elements.text(finding, "cause") or elements.text(finding, "basis")


def _nutrition(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """NutritionOrder, alike in both versions."""
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
    yield What.TUBE_FEEDING, (fed, elements.text(formula, "administrationInstruction"))
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
    allowed: list[str] = []
    denied: list[str] = []
    for provision in _exceptions(elements.child(resource, "provision"), 0):
        said = naming.titles(provision, "action", "purpose", "class", "code", "securityLabel")
        actors = (elements.child(each, "reference") for each in elements.children(provision, "actor"))
        named = ", ".join((*said, *naming.names_of(actors, context, within=resource))) or "…"
        if "deny" in status_codes(provision, "type"):
            denied.append(named)
        elif "permit" in status_codes(provision, "type"):
            allowed.append(named)
    yield What.ALLOWS, allowed
    yield What.DENIES, denied


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


def _message(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """Communication, or the request for one."""
    yield What.MESSAGE, (elements.prose(each.get("contentString")) for each in elements.children(resource, "payload"))


def _risk(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """RiskAssessment: of what, and how likely that is. One that is only a number is not told: nobody may take 2 for
    two percent or for two in all."""
    predictions = elements.children(resource, "prediction")
    likely = ("qualitativeRisk", "probabilityCodeableConcept")
    told = ((_coded(each.get("outcome")), ", ".join(naming.titles(each, *likely))) for each in predictions)
    yield What.RISKS, (_with(outcome, how) for outcome, how in told)


def _evaluation(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """ImmunizationEvaluation (R4): whether a dose counts, and why not."""
    yield What.DOSE, (*_known(resource, "doseStatus"), *naming.titles(resource, "doseStatusReason"))


def _eligibility(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """CoverageEligibilityResponse (R4): whether the insurance holds, and what it leaves out."""
    insurances = list(elements.children(resource, "insurance"))
    yield What.IN_FORCE, ("not-in-force" for each in insurances if elements.flag(each, "inforce") is False)
    yield What.NOT_COVERED, _excluded(part for each in insurances for part in elements.children(each, "item"))


def _benefits(resource: Element, _context: Context) -> Iterator[tuple[What, _Said]]:
    """ExplanationOfBenefit."""
    yield What.NOT_COVERED, _excluded(elements.children(resource, "benefitBalance"))


def _excluded(parts: Iterable[Element]) -> Iterator[str]:
    for part in parts:
        if elements.flag(part, "excluded") is True:
            said = naming.titles(part, "productOrService", "category", "subCategory")
            yield elements.text(part, "name") or next(iter(said), "") or elements.text(part, "description") or "…"


_READERS: Final[Mapping[str, _Read]] = {
    "AdverseEvent": _event,
    "ClinicalImpression": _impression,
    "Communication": _message,
    "CommunicationRequest": _message,
    "Consent": _consent,
    "CoverageEligibilityResponse": _eligibility,
    "DetectedIssue": _issue,
    "ExplanationOfBenefit": _benefits,
    "Group": _group,
    "ImmunizationEvaluation": _evaluation,
    "List": _list,
    "MedicationAdministration": _given,
    "NutritionOrder": _nutrition,
    "RiskAssessment": _risk,
}


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


LABELS: Final[Mapping[What, str | Promise]] = {
    What.RULED_OUT: _("Ruled out"),
    What.FOUND: _("What was found"),
    What.RESOLVED: _("No longer a problem"),
    What.SUMMARY: _("In short"),
    What.OUTLOOK: _("Outlook"),
    What.FOODS_TO_LEAVE_OUT: _("Foods to leave out"),
    What.FOOD_PREFERENCES: _("Food preferences"),
    What.DIET: _("Diet"),
    What.TEXTURE: _("How food is prepared"),
    What.FLUIDS: _("How thick drinks are"),
    What.NUTRIENTS: _("Nutrients"),
    What.SUPPLEMENTS: _("Supplements"),
    What.TUBE_FEEDING: _("Tube feeding"),
    What.INSTRUCTIONS: _("Instructions"),
    What.WHY: _("Why it stands so"),
    What.ABOUT: _("What it is about"),
    What.REASONS: _("Why"),
    What.BODY_SITES: _("Body site"),
    What.GIVEN: _("Amount"),
    What.GIVEN_HOW: _("How it was given"),
    What.SUSPECTED: _("Suspected cause"),
    What.CAME_OF_IT: _("Outcome"),
    What.CONCERNS: _("What it is about"),
    What.DETAIL: _("Details"),
    What.DONE_ABOUT_IT: _("What was done about it"),
    What.MESSAGE: _("Message"),
    What.RISKS: _("Risk"),
    What.EMPTY_BECAUSE: _("Why it is empty"),
    What.MODE: _("What it lists"),
    What.ON_IT: _("On it"),
    What.TAKEN_OFF: _("Taken off it"),
    What.HAS: _("Who belongs to it"),
    What.HAS_NOT: _("Who does not belong to it"),
    What.ALLOWS: _("An exception: allowed"),
    What.DENIES: _("An exception: not allowed"),
    What.HOW_SERIOUS: _("How serious"),
    What.IN_FORCE: _("Insurance"),
    What.NOT_COVERED: _("Not covered"),
    What.DOSE: _("The dose"),
}
WORDS: Final[Mapping[str, str | Promise]] = {
    "nilknown": _("None are known"),
    "notasked": _("Nobody asked"),
    "withheld": _("Kept back"),
    "unavailable": _("Not available"),
    "notstarted": _("Not begun yet"),
    "closed": _("Closed"),
    "changes": _("What changed, not all there is"),
    "high": _("High"),
    "moderate": _("Moderate"),
    "low": _("Low"),
    "valid": _("Counts"),
    "notvalid": _("Does not count"),
    "not-in-force": _("Not in force"),
    "patient-privacy": _("Who may see what is written down of you"),
    "treatment": _("Treatment"),
    "research": _("Research"),
    "adr": _("Wishes for a time when you cannot decide"),
}
