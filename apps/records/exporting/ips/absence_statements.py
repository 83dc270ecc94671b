"""The entry of a required section that says there is none, or that nothing is known.

Its codes are those of both editions of the guide ("Empty Sections and Missing Data"): STU 1 has its own code system,
STU 2 uses SNOMED CT. It also has words, for programs that show an entry's text.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.exporting.ips import r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.presenters.absences import WORDS, Absence

_ABSENT_OR_UNKNOWN: Final = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
_SNOMED: Final = "http://snomed.info/sct"
_NO_INFORMATION: Final = "1287211007"


class _Said(NamedTuple):
    """`display` is the code system's, `words` are ours."""

    display: str
    snomed: str
    words: str | Promise


_SAID: Final[Mapping[str, _Said]] = MappingProxyType(
    {
        "no-medication-info": _Said(
            "No information about medications", _NO_INFORMATION, _("No information about medicines")
        ),
        "no-allergy-info": _Said(
            "No information about allergies", _NO_INFORMATION, _("No information about allergies")
        ),
        "no-problem-info": _Said(
            "No information about problems", _NO_INFORMATION, _("No information about health conditions")
        ),
        "no-known-medications": _Said("No known medications", "787481004", WORDS[Absence.MEDICATIONS]),
        "no-known-allergies": _Said("No known allergies", "716186003", WORDS[Absence.ALLERGIES]),
        "no-known-medication-allergies": _Said(
            "No known medication allergies", "409137002", WORDS[Absence.MEDICINE_ALLERGIES]
        ),
        "no-known-food-allergies": _Said("No known food allergies", "429625007", WORDS[Absence.FOOD_ALLERGIES]),
        "no-known-environmental-allergies": _Said(
            "No known environmental allergies", "428607008", WORDS[Absence.ENVIRONMENT_ALLERGIES]
        ),
        "no-known-problems": _Said("No known problems", "160245001", WORDS[Absence.CONDITIONS]),
    }
)


def statement(loinc: str, code: str) -> tuple[Part, str]:
    """The resource that makes this statement in the section with that code, and the name of its element for the
    subject."""
    said = _SAID[code]
    codings = [
        {"system": _ABSENT_OR_UNKNOWN, "code": code, "display": said.display},
        {"system": _SNOMED, "code": said.snomed},
    ]
    return _STATEMENTS[loinc]({"coding": codings, "text": str(said.words)})


def _no_medicine(code: Part) -> tuple[Part, str]:
    when = {"_effectiveDateTime": r4_elements.absent("not-applicable")}
    return {
        "resourceType": "MedicationStatement",
        "status": "unknown",
        "medicationCodeableConcept": code,
        **when,
    }, "subject"


def _no_allergy(code: Part) -> tuple[Part, str]:
    clinical_status = r4_elements.terminology("allergyintolerance-clinical", "active")
    return {"resourceType": "AllergyIntolerance", "clinicalStatus": clinical_status, "code": code}, "patient"


def _no_problem(code: Part) -> tuple[Part, str]:
    category = [r4_elements.terminology("condition-category", "problem-list-item")]
    clinical_status = r4_elements.terminology("condition-clinical", "active")
    return {
        "resourceType": "Condition", "clinicalStatus": clinical_status, "category": category, "code": code,
    }, "subject"  # fmt: skip


_STATEMENTS: Final[Mapping[str, Callable[[Part], tuple[Part, str]]]] = MappingProxyType(
    {"10160-0": _no_medicine, "48765-2": _no_allergy, "11450-4": _no_problem}
)
