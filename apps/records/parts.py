"""Names for parts of a subject, used if one is missing: a word or two, and never the name of a resource type."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_NAMES: Mapping[str, Promise] = MappingProxyType(
    {
        "Patient": _("personal details"),
        "Observation": _("results and measurements"),
        "DiagnosticReport": _("reports"),
        "MedicationOrder": _("prescriptions"),
        "MedicationRequest": _("prescriptions"),
        "MedicationStatement": _("medicines as reported"),
        "MedicationDispense": _("pharmacy fills"),
        "MedicationAdministration": _("medicines given"),
        "AllergyIntolerance": _("allergies"),
        "Condition": _("health conditions"),
        "Immunization": _("vaccines"),
        "ImmunizationRecommendation": _("vaccine recommendations"),
        "Encounter": _("visits"),
        "Procedure": _("procedures"),
        "ServiceRequest": _("orders"),
        "ProcedureRequest": _("orders"),
        "DiagnosticOrder": _("orders for tests"),
        "ReferralRequest": _("referrals"),
        "DocumentReference": _("documents"),
        "CarePlan": _("care plans"),
        "Goal": _("goals"),
        "CareTeam": _("care teams"),
        "Coverage": _("insurance"),
        "Device": _("devices"),
        "DeviceUseStatement": _("use of devices"),
        "FamilyMemberHistory": _("family history"),
        "QuestionnaireResponse": _("answers to questionnaires"),
        "Specimen": _("samples"),
        "Practitioner": _("names of doctors and staff"),
        "PractitionerRole": _("names of doctors and staff"),
        "Organization": _("names of practices"),
        "Location": _("names of places"),
        "Medication": _("names of medicines"),
        "Provenance": _("who recorded an entry"),
        "RelatedPerson": _("relatives and contacts"),
    }
)


def name(resource_type: str) -> str | Promise:
    """What patients call it."""
    return _NAMES.get(resource_type, _("other entries"))
