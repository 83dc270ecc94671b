"""DSTU2 or R4? FHIR files do not say, so this looks for elements that only one version has."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Body = dict[str, Any]
_DSTU2_TYPES = {"MedicationOrder", "DiagnosticOrder", "ProcedureRequest", "ReferralRequest", "Conformance", "BodySite"}
_R4_TYPES = {"MedicationRequest", "CareTeam", "ServiceRequest", "PractitionerRole", "CapabilityStatement", "Media",
             "ResearchStudy", "Consent", "Endpoint", "InsurancePlan"}  # fmt: skip
_DSTU2_ELEMENTS = {
    "Patient": ("careProvider", "animal"), "AllergyIntolerance": ("substance",), "Condition": ("patient", "notes"),
    "Observation": ("comments", "related"), "DiagnosticReport": ("codedDiagnosis",),
    "DocumentReference": ("class", "indexed"), "Immunization": ("wasNotGiven", "reported", "date"),
    "Procedure": ("notPerformed", "notes"), "Encounter": ("patient",), "Practitioner": ("practitionerRole",),
    "MedicationStatement": ("patient", "wasNotTaken"), "Goal": ("status",), "Device": ("udi",),
    "Binary": ("content",), "MedicationDispense": ("dispenser",), "Claim": ("target",),
}  # fmt: skip
_R4_ELEMENTS = {
    "Patient": ("generalPractitioner",), "AllergyIntolerance": ("code", "verificationStatus"),
    "Condition": ("subject", "recordedDate"), "Immunization": ("occurrenceDateTime", "occurrenceString"),
    "Encounter": ("subject",), "MedicationStatement": ("subject",), "Goal": ("lifecycleStatus",),
    "Device": ("udiCarrier", "deviceName"), "DocumentReference": ("date",), "Binary": ("data",),
    "CarePlan": ("intent",), "Coverage": ("beneficiary",), "Procedure": ("reasonCode",),
    "Organization": ("alias",), "Claim": ("insurance",), "Observation": ("hasMember", "derivedFrom"),
}  # fmt: skip
_LISTED_IN_R4 = {
    "Observation": "category", "DiagnosticReport": "category", "Condition": "category", "Practitioner": "name",
    "AllergyIntolerance": "category", "Organization": "type", "Location": "type",
}  # fmt: skip


def version_of(bodies: Iterable[Body], path: Path) -> str:
    """The version ("dstu2" or "r4") of one file; the names of file and folders break ties.

    Each resource type has one vote, however many resources of it there are, so that one habit of the file's author
    (such as a list where DSTU2 has none) does not outweigh everything else. A type that only one version has decides.
    """
    votes: Counter[str] = Counter()
    for body in bodies:
        votes[str(body.get("resourceType"))] += _sign(body)
    balance = sum(_vote(kind, signs) for kind, signs in votes.items())
    if balance:
        return "dstu2" if balance > 0 else "r4"
    named = "/".join(path.parts[-3:]).lower()
    return "dstu2" if "dstu2" in named or "dstu-2" in named else "r4"


def _vote(kind: str, signs: int) -> int:
    if kind in _DSTU2_TYPES or kind in _R4_TYPES:
        return 100 if kind in _DSTU2_TYPES else -100
    return (signs > 0) - (signs < 0)


def _sign(body: Body) -> int:
    """Positive for DSTU2, negative for R4, zero if the resource could be either."""
    kind = str(body.get("resourceType"))
    sign = sum(element in body for element in _DSTU2_ELEMENTS.get(kind, ()))
    sign -= sum(element in body for element in _R4_ELEMENTS.get(kind, ()))
    return sign + _listed(kind, body) + _family(kind, body) + _class(kind, body)


def _listed(kind: str, body: Body) -> int:
    value = body.get(_LISTED_IN_R4.get(kind, ""))
    return 0 if value is None else (-1 if isinstance(value, list) else 1)


def _family(kind: str, body: Body) -> int:
    """A person's family name is a list in DSTU2 and a text in R4."""
    names = body.get("name") if kind == "Patient" else None
    first = names[0] if isinstance(names, list) and names else None
    family = first.get("family") if isinstance(first, dict) else None
    return 0 if family is None else (2 if isinstance(family, list) else -2)


def _class(kind: str, body: Body) -> int:
    value = body.get("class") if kind == "Encounter" else None
    return 0 if value is None else (1 if isinstance(value, str) else -1)
