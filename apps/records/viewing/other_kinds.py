"""What an entry is that no subject foresaw, in a word or two (patient experience 3.10)."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_KINDS: Final[Mapping[str, str | Promise]] = {
    "Account": _("account"),
    "Appointment": _("appointment"),
    "Claim": _("bill"),
    "ClinicalImpression": _("assessment"),
    "Communication": _("message"),
    "Consent": _("consent"),
    "DeviceRequest": _("order for a device"),
    "DeviceUseStatement": _("use of devices"),
    "EpisodeOfCare": _("course of care"),
    "ExplanationOfBenefit": _("bill and what was paid"),
    "Flag": _("warning"),
    "ImagingStudy": _("imaging"),
    "List": _("list"),
    "Media": _("picture or recording"),
    "MedicationAdministration": _("medicines given"),
    "NutritionOrder": _("diet"),
    "RiskAssessment": _("risk assessment"),
    "Task": _("task"),
    "VisionPrescription": _("glasses or lenses"),
}


def of(resource_type: str) -> str:
    """The kind of a resource of that type."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", resource_type).lower()
    return str(_KINDS.get(resource_type, spaced))
