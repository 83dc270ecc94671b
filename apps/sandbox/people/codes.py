"""Codes the stories use, from the public code systems a practice uses.

A `Code` is one coding; a fact carries one or several of them, the preferred one first.
"""

from dataclasses import dataclass

LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
CVX = "http://hl7.org/fhir/sid/cvx"
ICD10 = "http://hl7.org/fhir/sid/icd-10-cm"
UCUM = "http://unitsofmeasure.org"


@dataclass(frozen=True)
class Code:
    """One coding: system, code and the words shown for it."""

    system: str
    code: str
    display: str


def loinc(code: str, display: str) -> Code:
    """A LOINC code: what was measured, or what kind of document it is."""
    return Code(LOINC, code, display)


def snomed(code: str, display: str) -> Code:
    """A SNOMED CT code: a finding, a procedure, a substance."""
    return Code(SNOMED, code, display)


def rxnorm(code: str, display: str) -> Code:
    """An RxNorm code: a drug as prescribed."""
    return Code(RXNORM, code, display)


def cvx(code: str, display: str) -> Code:
    """A CVX code: a vaccine."""
    return Code(CVX, code, display)


def icd10(code: str, display: str) -> Code:
    """An ICD-10-CM code: a diagnosis as billed."""
    return Code(ICD10, code, display)
