"""The status of a resource whose type has no presenter."""

import pytest

from apps.records.presenters.entry import NOT_GIVEN, Context
from apps.records.presenters.generic import any_resource
from apps.records.presenters.generic.statuses import Group, Status
from apps.records.presenting import PRESENTERS
from apps.records.viewing.wording import words

# The codes of a status that DSTU2 and R4 have between them, of types that are about a patient (the value sets of 1.0.2
# and 4.0.1), without `entered-in-error` and `unknown`.
CODES = {
    "Account": "active inactive on-hold",
    "ChargeItem": "planned billable not-billable aborted billed",
    "Claim": "active cancelled draft",
    "ClaimResponse": "active cancelled draft",
    "ClinicalImpression": "in-progress completed",
    "Communication": "preparation in-progress not-done on-hold stopped completed suspended rejected failed",
    "CommunicationRequest": "draft active on-hold revoked completed proposed planned requested received accepted "
    "in-progress suspended rejected failed",
    "Composition": "preliminary final amended",
    "Consent": "draft proposed active rejected inactive",
    "Contract": "amended appended cancelled disputed executable executed negotiable offered policy rejected renewed "
    "revoked resolved terminated",
    "CoverageEligibilityRequest": "active cancelled draft",
    "CoverageEligibilityResponse": "active cancelled draft",
    "DetectedIssue": "registered preliminary final amended corrected cancelled",
    "DeviceRequest": "draft active on-hold revoked completed",
    "DeviceUseRequest": "proposed planned requested received accepted in-progress completed suspended rejected aborted",
    "DeviceUseStatement": "active completed intended stopped on-hold",
    "DocumentManifest": "current superseded",
    "EnrollmentRequest": "active cancelled draft",
    "EpisodeOfCare": "planned waitlist active onhold finished cancelled",
    "ExplanationOfBenefit": "active cancelled draft",
    "Flag": "active inactive",
    "GuidanceResponse": "success data-requested data-required in-progress failure",
    "ImagingStudy": "registered available cancelled",
    "ImmunizationEvaluation": "completed",
    "Invoice": "draft issued balanced cancelled",
    "List": "current retired",
    "MeasureReport": "complete pending error",
    "Media": "preparation in-progress not-done on-hold stopped completed",
    "MedicationAdministration": "in-progress not-done on-hold completed stopped",
    "NutritionOrder": "draft active on-hold revoked completed proposed planned requested cancelled",
    "RequestGroup": "draft active on-hold revoked completed",
    "ResearchStudy": "active administratively-completed approved closed-to-accrual closed-to-accrual-and-intervention "
    "completed disapproved in-review temporarily-closed-to-accrual temporarily-closed-to-accrual-and-intervention "
    "withdrawn",
    "ResearchSubject": "candidate eligible follow-up ineligible not-registered off-study on-study "
    "on-study-intervention on-study-observation pending-on-study potential-candidate screening withdrawn",
    "RiskAssessment": "registered preliminary final amended corrected cancelled",
    "SupplyDelivery": "in-progress completed abandoned",
    "SupplyRequest": "draft active suspended cancelled completed requested failed",
    "Task": "draft requested received accepted rejected ready cancelled in-progress on-hold failed completed",
    "VisionPrescription": "active cancelled draft",
}


def entry_of(kind, **status):
    return any_resource.present({"resourceType": kind, "description": "Thing", **status}, Context())


@pytest.mark.parametrize("kind", CODES)
def test_is_given_wherever_one_of_its_type_was_sent(kind):
    assert kind not in PRESENTERS
    read = {code: entry_of(kind, status=code) for code in CODES[kind].split()}
    assert not [code for code, entry in read.items() if NOT_GIVEN in {entry.status, entry.group}]
    assert not [code for code, entry in read.items() if entry.status and not words.of_status(entry)]


@pytest.mark.parametrize("code", ["unknown", "no-such-code"])
def test_is_not_given_where_nobody_knows_it(code):
    for kind in ("Task", "Claim"):
        entry = entry_of(kind, status=code)
        assert (entry.status, entry.group) == (NOT_GIVEN, NOT_GIVEN)


def test_is_not_missed_where_its_type_has_none():
    for kind in ("Order", "AdverseEvent", "Claim"):
        entry = entry_of(kind)
        assert (words.of_status(entry), entry.group) == ("", Group.LISTED)
    assert words.of_status(entry_of("Task")) == "Status not given"


def test_that_is_final_says_of_no_alert_that_it_is_done_with():
    alert = entry_of("DetectedIssue", status="final")
    assert (words.of_status(alert), alert.group) == ("", Group.LISTED)
    assert words.of_status(entry_of("DetectedIssue", status="amended")) == "Changed after it was finished"


@pytest.mark.parametrize(
    ("kind", "code", "said", "group"),
    [
        ("Consent", "rejected", "Declined", Group.PAST),
        ("Task", "failed", "Could not be done", Group.PAST),
        ("Contract", "resolved", "Current", Group.LISTED),
        ("Flag", "resolved", "Past", Group.PAST),
        ("ResearchSubject", "on-study", "Taking part", Group.LISTED),
        ("ResearchSubject", "off-study", "No longer taking part", Group.PAST),
        ("ResearchSubject", "withdrawn", "Withdrew before signing up", Group.PAST),
        ("ChargeItem", "not-billable", "Will not be billed", Group.LISTED),
        ("GuidanceResponse", "failure", "Could not be done", Group.PAST),
        ("EpisodeOfCare", "waitlist", "On the waiting list", Group.LISTED),
    ],
)
def test_says_what_it_means_in_its_type(kind, code, said, group):
    entry = entry_of(kind, status=code)
    assert (words.of_status(entry), entry.group) == (said, group)


def test_that_an_order_not_to_do_something_is_over_is_told_of_each_way_it_can_end():
    for code in ("completed", "rejected", "failed", "cancelled"):
        entry = entry_of("CommunicationRequest", status=code, doNotPerform=True)
        assert entry.status == Status.WAS_NOT_TO_BE_DONE
    assert entry_of("CommunicationRequest", status="active", doNotPerform=True).status == Status.NOT_TO_BE_DONE
