"""What an entry is that no subject foresaw, in a word or two (patient experience 3.10)."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.entry import Entry
from apps.records.presenters.generic import GenericEntry

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


def said(entry: Entry) -> str:
    """What kind of entry it is; empty for what a subject foresaw, which its page says."""
    if not isinstance(entry, GenericEntry):
        return ""
    return gettext("Other entry (%(kind)s)") % {"kind": of(entry.resource_type)}


def of(resource_type: str) -> str:
    """The kind of a resource of that type."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", resource_type).lower()
    return str(_KINDS.get(resource_type, spaced))
