"""What a patient can leave out when they allow an application: resource types, in the words of the consent page.

Patient cannot be left out, because nothing works without it, nor can the types that only explain others (Practitioner,
Organization, Location, Medication, Provenance).
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_IN_BOTH: dict[str, Promise] = {
    "AllergyIntolerance": _("Allergies"),
    "CarePlan": _("Care plans"),
    "Condition": _("Health conditions"),
    "Device": _("Implants and devices"),
    "DiagnosticReport": _("Reports"),
    "DocumentReference": _("Documents and letters"),
    "Encounter": _("Visits"),
    "Goal": _("Goals"),
    "Immunization": _("Vaccines"),
    "MedicationStatement": _("Medicines you told us about"),
    "Observation": _("Results and measurements"),
    "Procedure": _("Procedures"),
}

SHARED_TYPES: Mapping[str, Mapping[str, Promise]] = {
    "dstu2": {**_IN_BOTH, "MedicationOrder": _("Prescriptions")},
    "r4": {
        **_IN_BOTH,
        "CareTeam": _("Care team"),
        "Coverage": _("Insurance"),
        "MedicationDispense": _("Medicines handed out"),
        "MedicationRequest": _("Prescriptions"),
        "QuestionnaireResponse": _("Questionnaires you filled in"),
        "RelatedPerson": _("Family and contacts"),
        "ServiceRequest": _("Orders and referrals"),
        "Specimen": _("Samples"),
    },
}
