"""AllergyIntolerance. DSTU2: `substance`, one status code, CRITL, CRITH. R4: `code`, two status concepts, low, high."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain
from apps.sandbox.people.facts import Allergy, Reaction

_CLINICAL = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"
_VERIFICATION = "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification"
_DSTU2_CRITICALITY = {"low": "CRITL", "high": "CRITH", "unable-to-assess": "CRITU"}
_DSTU2_CATEGORY = {"biologic": "other"}


def dstu2(fact: Allergy, chart: Chart) -> Element:
    """AllergyIntolerance in DSTU2."""
    return {
        "resourceType": "AllergyIntolerance",
        "id": chart.id("AllergyIntolerance", fact.key),
        "onset": moment(fact.onset_on),
        "recordedDate": moment(fact.recorded_at),
        "recorder": chart.to_practitioner("finch"),
        "patient": chart.subject(),
        "substance": concept(fact.substance),
        "status": _dstu2_status(fact),
        "criticality": _DSTU2_CRITICALITY[fact.criticality],
        "type": fact.kind,
        "category": _DSTU2_CATEGORY.get(fact.category, fact.category),
        "note": {"text": fact.note} if fact.note else None,
        "reaction": [_reaction(reaction) for reaction in fact.reactions],
    }


def r4(fact: Allergy, chart: Chart) -> Element:
    """AllergyIntolerance in R4. One entered in error has no clinical status (invariant ait-2)."""
    in_error = fact.verification == "entered-in-error"
    return {
        "resourceType": "AllergyIntolerance",
        "id": chart.id("AllergyIntolerance", fact.key),
        "clinicalStatus": None if in_error else plain(_CLINICAL, fact.status, fact.status.capitalize()),
        "verificationStatus": plain(_VERIFICATION, fact.verification),
        "type": fact.kind,
        "category": [fact.category],
        "criticality": fact.criticality,
        "code": concept(fact.substance),
        "patient": chart.subject(),
        "onsetDateTime": moment(fact.onset_on),
        "recordedDate": moment(fact.recorded_at),
        "recorder": chart.to_practitioner("finch"),
        "note": [{"text": fact.note}] if fact.note else None,
        "reaction": [_reaction(reaction) for reaction in fact.reactions],
    }


def _dstu2_status(fact: Allergy) -> str:
    if fact.verification in ("entered-in-error", "refuted", "unconfirmed"):
        return fact.verification
    return fact.status


def _reaction(reaction: Reaction) -> Element:
    return {
        "manifestation": [concept(reaction.manifestation)],
        "description": reaction.text,
        "severity": reaction.severity,
    }
