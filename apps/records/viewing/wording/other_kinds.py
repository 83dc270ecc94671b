"""What kind of entry something is that no subject foresees, in a word or two (patient experience 3.10)."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.appointments import AppointmentEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.generic.any_resource import GenericEntry

_UNFORESEEN: Final = GenericEntry, AppointmentEntry  # of any type that a provider offers beyond those we ask for
_KINDS: Final[Mapping[str, str | Promise]] = {
    "Account": _("account"),
    "AdverseEvent": _("unwanted event"),
    "Appointment": _("appointment"),
    "AppointmentResponse": _("answer to an appointment"),
    "BodySite": _("part of the body"),
    "BodyStructure": _("part of the body"),
    "ChargeItem": _("charge"),
    "Claim": _("bill"),
    "ClaimResponse": _("answer to a bill"),
    "ClinicalImpression": _("assessment"),
    "Communication": _("message"),
    "CommunicationRequest": _("message to be sent"),
    "Composition": _("document"),
    "Consent": _("consent"),
    "Contract": _("contract"),
    "CoverageEligibilityRequest": _("question about insurance"),
    "CoverageEligibilityResponse": _("answer about insurance"),
    "DetectedIssue": _("possible problem with a treatment"),
    "DeviceRequest": _("order for a device"),
    "DeviceUseRequest": _("order for a device"),
    "DeviceUseStatement": _("use of devices"),
    "EligibilityRequest": _("question about insurance"),
    "EligibilityResponse": _("answer about insurance"),
    "EpisodeOfCare": _("course of care"),
    "ExplanationOfBenefit": _("bill and what was paid"),
    "Flag": _("warning"),
    "ImagingObjectSelection": _("imaging"),
    "ImagingStudy": _("imaging"),
    "ImmunizationEvaluation": _("assessment of a vaccine dose"),
    "Invoice": _("bill"),
    "List": _("list"),
    "Media": _("picture or recording"),
    "MedicationAdministration": _("medicines given"),
    "MolecularSequence": _("genetic sequence"),
    "NutritionOrder": _("diet"),
    "PaymentNotice": _("notice of a payment"),
    "PaymentReconciliation": _("overview of payments"),
    "Questionnaire": _("questionnaire"),
    "RelatedPerson": _("person close to you"),
    "RequestGroup": _("group of orders"),
    "ResearchSubject": _("part in research"),
    "RiskAssessment": _("risk assessment"),
    "SupplyDelivery": _("delivery of supplies"),
    "SupplyRequest": _("order for supplies"),
    "Task": _("task"),
    "VisionPrescription": _("glasses or lenses"),
}


def said(entry: Entry) -> str:
    """What kind of entry it is; empty if its subject foresees it, so that its page says so anyway."""
    if not isinstance(entry, _UNFORESEEN):
        return ""
    return gettext("Other entry (%(kind)s)") % {"kind": of(entry.resource_type)}


def of(resource_type: str) -> str:
    """The kind of a resource with that type."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", resource_type).lower()
    return str(_KINDS.get(resource_type, spaced))


def named(entry: Entry) -> str:
    """A name for such an entry that has none; empty if we have no word for its kind."""
    said = str(_KINDS.get(entry.resource_type, "")) if isinstance(entry, _UNFORESEEN) else ""
    return f"{said[:1].upper()}{said[1:]}"
