"""Whatever negates or qualifies what an entry says (FHIR: `isModifier`, and its like) is told on its page and, where it
turns the meaning around, in its row and in the status that a search tells, in both versions."""

import json
from typing import Any

import pytest
from django.urls import reverse

from apps.records import presenting
from apps.records.exporting import choosing, summaries
from apps.records.models import Record
from apps.records.presenters import naming, patient
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import facts
from apps.records.viewing.listing import telling
from apps.records.viewing.wording import words
from tests.records.linked import AT
from tests.records.pages import ask, page
from tests.records.people import PATIENT_ID, R4_PATIENT
from tests.records.shelved import keep

ADA = {"display": "Ada Rose"}
DENYING: dict[str, Any] = {"type": "deny"}


def concept(code: str) -> dict[str, Any]:
    return {"coding": [{"code": code}]}


def named(text: str) -> dict[str, Any]:
    return {"text": text}


def entry(resource_type: str, **sent: Any) -> Entry:
    seen = {"note": [{"text": "Seen"}], "comment": "Seen"}  # what has no content at all is hidden
    body = json.dumps({"resourceType": resource_type, "id": "x", **seen, **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x", context=Context())[1]


def on_page(of: Entry) -> str:
    return "\n".join(f"{fact.label}: {line}" for fact in facts.of(of, provider="Harbor") for line in fact.lines)


def in_row(of: Entry) -> str:
    return "\n".join((words.of_status(of), *telling.of(of)))


# By type and what was sent: what the page says, and what the row says. Where the meaning is turned around by its
# status, the row says it by that, which is all that a search tells.
TURNED: list[tuple[str, dict[str, Any], str, str]] = [
    ("AdverseEvent", {"actuality": "potential", "event": named("Fall")}, "could have", "Did not happen"),
    (
        "AdverseEvent",
        {"event": named("Rash"), "suspectEntity": [{"instance": {"display": "Penicillin"}}]},
        "Suspected cause: Penicillin", "Suspected cause: Penicillin",
    ),
    ("AllergyIntolerance", {"status": "refuted", "substance": named("Nuts")}, "Status: Ruled out", "Ruled out"),
    ("AllergyIntolerance", {"verificationStatus": concept("refuted")}, "Status: Ruled out", "Ruled out"),
    ("AllergyIntolerance", {"status": "inactive"}, "Status: No longer active", "No longer active"),
    ("AllergyIntolerance", {"verificationStatus": concept("unconfirmed")}, "not confirmed", "not confirmed"),
    ("AllergyIntolerance", {"status": "unconfirmed"}, "not confirmed", "not confirmed"),
    ("Appointment", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Appointment", {"status": "noshow"}, "Marked as missed", "Marked as missed"),
    ("AppointmentResponse", {"participantStatus": "declined"}, "Status: Declined", "Declined"),
    ("AppointmentResponse", {"participantStatus": "tentative"}, "not for sure", "not for sure"),
    ("BodyStructure", {"active": False}, "Status: Past", "Past"),
    ("CarePlan", {"status": "draft"}, "Status: Not final", "Not final"),
    ("CarePlan", {"status": "cancelled"}, "Status: Stopped", "Stopped"),
    ("CarePlan", {"status": "active", "intent": "proposal"}, "Status: Suggested", "Suggested"),
    ("CarePlan", {"status": "on-hold", "intent": "option"}, "Status: Suggested", "Suggested"),
    ("CarePlan", {"status": "active", "intent": "plan"}, "Status: Current", "Current"),
    ("CarePlan", {"status": "revoked", "intent": "proposal"}, "Status: Stopped", "Stopped"),
    ("CarePlan", {"activity": [{"detail": {"description": "Run", "prohibited": True}}]}, "Not to do · Run", "Not to"),
    ("CarePlan", {"activity": [{"detail": {"description": "Run", "doNotPerform": True}}]}, "Not to do · Run", "Not to"),
    ("CareTeam", {"status": "inactive"}, "Status: Past", "Past"),
    ("ClinicalImpression", {"ruledOut": [{"item": named("Flu"), "reason": "Test"}]}, "Ruled out: Flu (Test)", "Ruled"),
    ("Communication", {"status": "not-done", "statusReason": named("Fax broken")}, "Status: Not done", "Not done"),
    ("CommunicationRequest", {"status": "active", "doNotPerform": True}, "not to be done", "Ordered not to be done"),
    ("CommunicationRequest", {"status": "revoked", "doNotPerform": True}, "that order is over", "that order is over"),
    ("Condition", {"verificationStatus": "refuted", "clinicalStatus": "active"}, "Status: Ruled out", "Ruled out"),
    ("Condition", {"verificationStatus": concept("differential")}, "not confirmed", "not confirmed"),
    ("Condition", {"clinicalStatus": "resolved"}, "Status: Resolved", "Resolved"),
    ("Condition", {"clinicalStatus": concept("inactive")}, "Not active now", "Not active now"),
    ("Consent", {"status": "active", "provision": {"type": "deny"}}, "does not allow it", "does not allow it"),
    (
        "Consent",
        {"status": "active", "provision": {"provision": [{"type": "deny", "class": [named("Notes")]}]}},
        "An exception: not allowed: Notes", "with exceptions",
    ),
    (
        "Consent",
        {"status": "active", "provision": DENYING | {"provision": [{"type": "permit", "action": [named("Use")]}]}},
        "An exception: allowed: Use", "does not allow it, with exceptions",
    ),
    (
        "Consent",
        {"status": "active", "category": [named("Form 7")], "scope": concept("research"), "provision": DENYING},
        "What it is about: Research", "What it is about: Research",
    ),
    ("Consent", {"status": "inactive", "provision": {"type": "permit"}}, "Status: Past", "Past"),
    ("Coverage", {"status": "cancelled"}, "Status: Ended", "Ended"),
    (
        "CoverageEligibilityResponse",
        {"insurance": [{"inforce": False, "item": [{"name": "Glasses", "excluded": True}]}]},
        "Not covered: Glasses", "Not in force",
    ),
    ("Device", {"status": "inactive"}, "No longer in use", "No longer in use"),
    ("Device", {"status": "not-available"}, "No longer in use", "No longer in use"),
    ("DeviceUseStatement", {"status": "intended"}, "Status: Planned", "Planned"),
    (
        "DetectedIssue",
        {"code": named("Interaction"), "implicated": [{"display": "Warfarin"}, {"display": "Aspirin"}]},
        "What it is about: Aspirin", "What it is about: Warfarin, Aspirin",
    ),
    ("DeviceRequest", {"status": "active", "intent": "option"}, "Status: Suggested", "Suggested"),
    ("DeviceRequest", {"status": "active", "intent": "order"}, "Status: Current", "Current"),
    ("DiagnosticOrder", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("DiagnosticReport", {"status": "preliminary"}, "may change", "may change"),
    ("DiagnosticReport", {"status": "cancelled"}, "no result", "no result"),
    (
        "DiagnosticOrder",
        {"status": "requested", "item": [{"code": named("Iron"), "status": "cancelled"}, {"code": named("Blood")}]},
        "Not done of it: Iron", "Not done of it: Iron",
    ),
    ("DocumentReference", {"status": "superseded"}, "Replaced by a newer version", "Replaced by a newer version"),
    ("DocumentReference", {"status": "current", "docStatus": "preliminary"}, "Draft", "Draft"),
    (
        "DocumentReference",
        {"status": "current", "relatesTo": [{"code": "appends", "target": {"display": "Letter"}}]},
        "An addition to another document · Letter", "An addition to another document · Letter",
    ),
    (
        "DocumentReference",
        {"relatesTo": [{"code": "transforms", "target": {"reference": "DocumentReference/1"}}]},
        "Another form of another document", "Another form of another document",
    ),
    ("DocumentReference", {"relatesTo": [{"code": "signs"}]}, "A signature under another", "A signature under another"),
    ("Encounter", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Encounter", {"status": "planned"}, "Status: Planned", "Planned"),
    ("EpisodeOfCare", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    (
        "ExplanationOfBenefit",
        {"benefitBalance": [{"excluded": True, "category": named("Dental")}]},
        "Not covered: Dental", "Not covered: Dental",
    ),
    ("FamilyMemberHistory", {"status": "health-unknown"}, "Not known", "Not known"),
    ("FamilyMemberHistory", {"status": "partial"}, "More may be recorded", "More may be recorded"),
    ("Flag", {"status": "inactive"}, "Status: Past", "Past"),
    ("Goal", {"status": "rejected"}, "Not pursued", "Not pursued"),
    ("Goal", {"lifecycleStatus": "cancelled"}, "Not pursued", "Not pursued"),
    ("Goal", {"lifecycleStatus": "completed", "achievementStatus": concept("not-achieved")}, "Not reached", "Not re"),
    (
        "Group",
        {"characteristic": [{"code": named("Smokes"), "valueBoolean": True, "exclude": True}]},
        "Who does not belong to it: Smokes", "Who does not belong to it: Smokes",
    ),
    (
        "Group",
        {"characteristic": [{"code": named("Smokes"), "valueBoolean": False, "exclude": False}]},
        "Who does not belong to it: Smokes", "Who does not belong to it: Smokes",
    ),
    ("ImagingStudy", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Immunization", {"status": "completed", "wasNotGiven": True}, "Status: Not given", "Not given"),
    ("Immunization", {"status": "not-done", "statusReason": named("Fever")}, "Why not: Fever", "Why not: Fever"),
    (
        "Immunization",
        {"status": "completed", "vaccinationProtocol": [{"doseSequence": 2, "doseStatus": concept("nocount")}]},
        "Dose: 2 · does not count as a dose", "Dose: 2 · does not count as a dose",
    ),
    (
        "Immunization",
        {"vaccinationProtocol": [{"doseSequence": 2, "doseStatus": named("Not counted")}]},
        "Dose: 2 · Not counted", "Dose: 2 · Not counted",
    ),
    (
        "ImmunizationRecommendation",
        {"recommendation": [{"vaccineCode": [named("MMR")], "forecastReason": [named("Pregnant")]}]},
        "Pregnant", "Pregnant",
    ),
    ("Immunization", {"status": "completed", "isSubpotent": True}, "may not protect enough", "may not protect enough"),
    (
        "ImmunizationRecommendation",
        {"recommendation": [{"vaccineCode": [named("MMR")], "forecastStatus": concept("contraindicated")}]},
        "Status: Advised against", "Advised against",
    ),
    ("ImmunizationEvaluation", {"doseStatus": concept("notvalid")}, "Does not count", "The dose: Does not count"),
    ("List", {"status": "current", "emptyReason": concept("nilknown")}, "None are known", "None are known"),
    ("List", {"mode": "changes", "entry": [{"deleted": True, "item": ADA}]}, "Taken off it: Ada Rose", "Taken off it"),
    ("List", {"entry": [{"deleted": True, "item": ADA, "flag": named("Error")}]}, "Ada Rose (Error)", "Rose (Error)"),
    ("List", {"entry": [{"deleted": True, "item": {"reference": "Condition/gone"}}]}, "Taken off it: …", "off it: …"),
    ("Media", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("MedicationAdministration", {"status": "completed", "wasNotGiven": True}, "Status: Not done", "Not done"),
    (
        "MedicationAdministration",
        {"status": "completed", "wasNotGiven": True, "reasonNotGiven": [named("Refused")]},
        "Refused", "Not done",
    ),
    ("MedicationAdministration", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("MedicationDispense", {"status": "declined"}, "Status: Not filled", "Not filled"),
    ("MedicationOrder", {"status": "stopped"}, "Status: Stopped", "Stopped"),
    ("MedicationOrder", {"status": "draft"}, "Not final", "Not final"),
    ("MedicationRequest", {"status": "active", "doNotPerform": True}, "not to be taken", "Ordered not to be taken"),
    (
        "MedicationRequest",
        {"status": "active", "intent": "order", "category": [concept("inpatient")]},
        "Ordered for a hospital stay: Yes", "Ordered for a hospital stay",
    ),
    ("MedicationRequest", {"status": "active", "intent": "proposal"}, "not prescribed", "not prescribed"),
    ("MedicationStatement", {"status": "active", "wasNotTaken": True}, "not taken", "not taken"),
    ("MedicationStatement", {"status": "active", "taken": "n"}, "not taken", "not taken"),
    ("MedicationStatement", {"status": "not-taken"}, "not taken", "not taken"),
    ("NutritionOrder", {"excludeFoodModifier": [named("Nuts")]}, "Foods to leave out: Nuts", "to leave out: Nuts"),
    ("NutritionOrder", {"excludeFoodModifier": [concept("227493005")]}, "227493005", "Foods to leave out: 227493005"),
    ("NutritionOrder", {"status": "active", "intent": "proposal"}, "Status: Suggested", "Suggested"),
    ("NutritionOrder", {"status": "completed", "intent": "proposal"}, "Status: Done", "Done"),
    ("Observation", {"status": "cancelled"}, "no result", "no result"),
    ("OrderResponse", {"orderStatus": "rejected"}, "Status: Stopped", "Stopped"),
    ("Procedure", {"status": "completed", "notPerformed": True}, "Status: Not done", "Not done"),
    (
        "Procedure",
        {"status": "completed", "focalDevice": [{"action": concept("explanted"), "manipulated": {"display": "Pacer"}}]},
        "Pacer · Taken out", "Pacer · Taken out",
    ),
    (
        "Procedure",
        {"status": "completed", "focalDevice": [{"action": named("Removal"), "manipulated": {"display": "Pacer"}}]},
        "Pacer · Removal", "Pacer · Removal",
    ),
    ("Procedure", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("ProcedureRequest", {"status": "rejected"}, "Status: Canceled", "Canceled"),
    ("QuestionnaireResponse", {"status": "stopped"}, "Not finished", "Not finished"),
    ("ReferralRequest", {"status": "rejected"}, "Status: Canceled", "Canceled"),
    ("RequestGroup", {"status": "active", "intent": "plan"}, "Status: Planned", "Planned"),
    ("RequestGroup", {"status": "revoked"}, "Status: Stopped", "Stopped"),
    ("ServiceRequest", {"status": "active", "doNotPerform": True}, "not to be done", "not to be done"),
    ("Specimen", {"status": "unsatisfactory"}, "Status: Could not be used", "Could not be used"),
    ("Specimen", {"status": "unavailable"}, "Status: No longer there", "No longer there"),
    ("SupplyRequest", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("SupplyDelivery", {"status": "abandoned"}, "Status: Stopped", "Stopped"),
    ("Task", {"status": "rejected"}, "Status: Stopped", "Stopped"),
    ("VisionPrescription", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
]  # fmt: skip

# What qualifies, and turns nothing around: told on the page.
TOLD: list[tuple[str, dict[str, Any], str]] = [
    (
        "Coverage",
        {"costToBeneficiary": [{"type": named("Copay"), "valueMoney": {"value": 20, "currency": "USD"}}]},
        "What you pay yourself: Copay · 20 USD",
    ),
    (
        "Coverage",
        {
            "costToBeneficiary": [
                {
                    "type": named("Copay"),
                    "valueQuantity": {"value": 20, "unit": "%"},
                    "exception": [{"type": named("Birth")}],
                }
            ]
        },
        "Copay · 20 % · but not: Birth",
    ),
    ("Coverage", {"type": ADA, "bin": {"value": "610014"}}, "RxBIN: 610014"),
    ("ClinicalImpression", {"finding": [{"item": named("Cold"), "cause": "Cough"}]}, "What was found: Cold (Cough)"),
    ("ClinicalImpression", {"finding": [{"itemReference": {"display": "Cold"}}]}, "What was found: Cold"),
    ("Appointment", {"participant": [{"status": "declined", "actor": ADA}]}, "Will not take part: Ada Rose"),
    (
        "FamilyMemberHistory",
        {"ageAge": {"value": 70, "unit": "a"}, "estimatedAge": True},
        "The age is an estimate: Yes",
    ),
    (
        "Encounter",
        {"hospitalization": {"specialArrangement": [named("Interpreter")], "dietPreference": [named("Vegan")]}},
        "needed: Interpreter · diet: Vegan",
    ),
    ("Encounter", {"diagnosis": [{"condition": {"display": "Flu"}, "use": named("Suspected")}]}, "Flu · Suspected"),
    ("Procedure", {"status": "completed", "asserter": {"display": "Bo Finch"}}, "Said by: Bo Finch"),
    ("Procedure", {"status": "completed", "asserter": {"reference": "Patient/1"}}, "You said so yourself: Yes"),
    ("Specimen", {"collection": {"fastingStatusCodeableConcept": concept("F")}}, "Fasting: Had not eaten before"),
    ("Specimen", {"collection": {"fastingStatusCodeableConcept": concept("NF")}}, "Fasting: Had eaten before"),
    ("Specimen", {"collection": {"fastingStatusCodeableConcept": named("Since dinner")}}, "Fasting: Since dinner"),
    (
        "Specimen",
        {"collection": {"fastingStatusDuration": {"value": 8, "code": "h", "unit": "h"}}},
        "How long without food: 8 hours",
    ),
    ("FamilyMemberHistory", {"dataAbsentReason": concept("withheld")}, "Why there is not more: withheld"),
    (
        "Immunization",
        {"status": "completed", "isSubpotent": True, "subpotentReason": [named("Too warm")]},
        "Why it may not protect enough: Too warm",
    ),
    (
        "ImmunizationRecommendation",
        {
            "recommendation": [
                {
                    "vaccineCode": [named("MMR")],
                    "doseNumberPositiveInt": 2,
                    "seriesDosesPositiveInt": 3,
                    "series": "Basic",
                }
            ]
        },
        "dose: 2 of 3 · Basic",
    ),
    (
        "ImmunizationRecommendation",
        {"recommendation": [{"vaccineCode": named("MMR"), "protocol": {"doseSequence": 2, "series": "Basic"}}]},
        "dose: 2 · Basic",
    ),
    (
        "ServiceRequest",
        {"occurrenceTiming": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "wk"}}},
        "How often: 2 times a week",
    ),
    (
        "ProcedureRequest",
        {"scheduledTiming": {"repeat": {"frequency": 2, "period": 1, "periodUnits": "wk"}}},
        "How often: 2 times a week",
    ),
    ("ServiceRequest", {"asNeededCodeableConcept": named("pain")}, "pain"),
    ("ProcedureRequest", {"asNeededBoolean": True}, "How often: Only when needed"),
    ("ServiceRequest", {"quantityQuantity": {"value": 6, "unit": "sessions"}}, "Amount: 6 sessions"),
    ("ServiceRequest", {"priority": "stat"}, "How soon: At once"),
    ("ReferralRequest", {"priority": concept("urgent")}, "How soon: Urgent"),
    ("ServiceRequest", {"locationCode": [named("At home")]}, "Where: At home"),
    ("ReferralRequest", {"type": named("Referral"), "specialty": named("Skin")}, "Details: Skin"),
    ("Specimen", {"condition": [named("Hemolyzed")]}, "State of the sample: Hemolyzed"),
    ("AdverseEvent", {"event": named("Rash"), "outcome": named("Recovered")}, "Outcome: Recovered"),
    ("DetectedIssue", {"detail": "May bleed", "code": ADA}, "Details: May bleed"),
    ("DetectedIssue", {"mitigation": [{"action": named("Dose halved")}]}, "What was done about it: Dose halved"),
    (
        "Communication",
        {"payload": [{"contentString": "All is well"}, {"contentString": "Come again"}]},
        "Message: Come again",
    ),
    (
        "RiskAssessment",
        {"prediction": [{"outcome": named("Stroke"), "qualitativeRisk": named("Low")}]},
        "Risk: Stroke (Low)",
    ),
    (
        "RiskAssessment",
        {"prediction": [{"outcome": named("Stroke"), "probabilityCodeableConcept": named("Low")}]},
        "Risk: Stroke (Low)",
    ),
    ("DetectedIssue", {"severity": "high"}, "How serious: High"),
    ("Goal", {"status": "cancelled", "statusReason": named("Moved away")}, "Why it stands so: Moved away"),
    ("Goal", {"lifecycleStatus": "cancelled", "statusReason": "Moved away"}, "Why it stands so: Moved away"),
    ("Goal", {"outcome": [{"resultCodeableConcept": named("Lost 5 kg")}]}, "Outcome: Lost 5 kg"),
    ("Goal", {"outcomeCode": [named("Lost 5 kg")]}, "Outcome: Lost 5 kg"),
    ("Goal", {"lifecycleStatus": "active", "achievementStatus": named("Nearly there")}, "Outcome: Nearly there"),
    ("Group", {"characteristic": [{"code": named("Smokes"), "valueBoolean": True}]}, "Who belongs to it: Smokes"),
    (
        "Group",
        {"characteristic": [{"code": named("Smokes"), "valueBoolean": False, "exclude": True}]},
        "Who belongs to it: Smokes",
    ),
    ("List", {"entry": [{"item": ADA}]}, "On it: Ada Rose"),
    ("List", {"entry": [{"item": ADA, "flag": named("Stopped")}]}, "On it: Ada Rose (Stopped)"),
    ("DeviceUseStatement", {"device": ADA, "bodySite": named("Left hip")}, "Body site: Left hip"),
    ("DeviceUseStatement", {"device": ADA, "bodySiteCodeableConcept": named("Left hip")}, "Body site: Left hip"),
    ("DeviceUseStatement", {"device": ADA, "indication": [named("Broken hip")]}, "Why: Broken hip"),
    ("DeviceUseStatement", {"device": ADA, "reasonReference": [{"display": "Broken hip"}]}, "Why: Broken hip"),
    ("MedicationAdministration", {"dosage": {"dose": {"value": 5, "unit": "mg"}}}, "Amount: 5 mg"),
    ("MedicationAdministration", {"dosage": {"quantity": {"value": 5, "unit": "mg"}}}, "Amount: 5 mg"),
    ("MedicationAdministration", {"dosage": {"text": "Half a vial"}}, "Amount: Half a vial"),
    ("MedicationAdministration", {"dosage": {"route": named("Into a vein")}}, "How it was given: Into a vein"),
    ("MedicationAdministration", {"medicationCodeableConcept": ADA, "reasonGiven": [named("Pain")]}, "Why: Pain"),
    (
        "MedicationDispense",
        {"status": "declined", "statusReasonReference": {"display": "An interaction"}},
        "Why it was not filled: An interaction",
    ),
    (
        "MedicationDispense",
        {"substitution": {"wasSubstituted": True, "type": named("Generic"), "reason": [named("Out of stock")]}},
        "Another product in its place: Was given · Generic, Out of stock",
    ),
    (
        "MedicationOrder",
        {"substitution": {"type": concept("N"), "reason": named("Reacts to the dye")}},
        "Another product in its place: Must not be given · Reacts to the dye",
    ),
    (
        "MedicationRequest",
        {"substitution": {"allowedBoolean": False}},
        "Another product in its place: Must not be given",
    ),
    (
        "MedicationRequest",
        {"substitution": {"allowedBoolean": True}},
        "Another product in its place: May be given",
    ),
    ("NutritionOrder", {"foodPreferenceModifier": [named("Kosher")]}, "Food preferences: Kosher"),
    (
        "NutritionOrder",
        {"oralDiet": {"texture": [{"modifier": named("Pureed"), "foodType": named("Meat")}]}},
        "How food is prepared: Pureed (Meat)",
    ),
    ("NutritionOrder", {"oralDiet": {"type": [named("Low salt"), named("Soft")]}}, "Diet: Soft"),
    ("NutritionOrder", {"oralDiet": {"fluidConsistencyType": [named("Nectar")]}}, "How thick drinks are: Nectar"),
]


class TestWhatTurnsAnEntryAround:
    @pytest.mark.parametrize(("kind", "sent", "told", "row"), TURNED)
    def test_is_told_on_its_page_and_in_its_row(self, kind, sent, told, row):
        found = entry(kind, **sent)
        assert told in on_page(found)
        assert row in in_row(found)

    @pytest.mark.parametrize("kind", sorted({kind for kind, *_others in TURNED}))
    @pytest.mark.parametrize("status", ["status", "verificationStatus"])
    def test_leaves_nothing_where_it_says_that_it_was_a_mistake(self, kind, status):
        found = entry(kind, description="Canary", code=named("Canary"), **{status: "entered-in-error"})
        assert found.is_withdrawn
        assert "Canary" not in repr(found)


class TestWhatQualifiesAnEntry:
    @pytest.mark.parametrize(("kind", "sent", "told"), TOLD)
    def test_is_told_on_its_page(self, kind, sent, told):
        assert told in on_page(entry(kind, **sent))


class TestAnAssessmentThatRulesSomethingOut:
    def test_is_not_called_by_it(self):
        found = entry("ClinicalImpression", ruledOut=[{"item": named("Flu")}], description="Check of a cough")
        assert found.title == "Check of a cough"
        assert entry("ClinicalImpression", ruledOut=[{"item": named("Flu")}], comment="").title == ""


class TestTheWordsOfAProvider:
    def test_are_not_put_into_ours_where_they_happen_to_be_a_code_elsewhere(self):
        assert on_page(entry("NutritionOrder", foodPreferenceModifier=[named("low")])).endswith(": low")
        assert on_page(entry("DetectedIssue", severity="low")).endswith(": Low")


class TestWhoDeclinedAnAppointment:
    def test_is_not_one_whom_it_is_with(self):
        coming = {"status": "accepted", "actor": {"display": "Bo Finch"}}
        found = entry("Appointment", participant=[{"status": "declined", "actor": ADA}, coming])
        assert found.people == ("Bo Finch",)


class TestAPlaceThatWasOnlyMeant:
    @pytest.mark.parametrize(("status", "is_told"), [("planned", False), ("reserved", False), ("completed", True)])
    def test_is_not_told_as_where_somebody_was(self, status, is_told):
        place = [{"location": {"display": "Ward 3"}, "status": status}]
        assert ("Ward 3" in on_page(entry("Encounter", status="finished", location=place))) is is_told
        assert "Ward 3" in on_page(entry("Encounter", status="planned", location=place))


class TestARecommendation:
    def test_is_not_called_by_what_its_provider_advises_against(self):
        each = [{"vaccineCode": [named("MMR")], "forecastStatus": concept("contraindicated")}]
        found = entry("ImmunizationRecommendation", recommendation=[*each, {"vaccineCode": [named("Flu")]}])
        assert (found.title, found.group) == ("Flu", "recommended")
        assert entry("ImmunizationRecommendation", recommendation=each).group == "advised-against"


class TestANameOrNumberThatIsOld:
    def test_is_not_the_one_somebody_is_called_by(self):
        names = [{"text": "Ada Wren", "use": "maiden"}, {"text": "Ada Old", "use": "old"}, {"text": "Ada Rose"}]
        assert patient.present({"name": names}).name == "Ada Rose"
        assert patient.present({"name": names[:1]}).name == "Ada Wren"
        assert naming.own_name({"name": names}, Context()) == "Ada Rose"

    def test_is_not_the_one_on_the_card(self):
        numbers = [{"value": "111", "use": "old"}, {"value": "222"}]
        assert "Member number: 222" in on_page(entry("Coverage", identifier=numbers))
        assert "Member number: 111" in on_page(entry("Coverage", identifier=numbers[:1]))


class TestAMedicationThatWasAMistake:
    def test_names_no_medicine(self):
        wrong = {"resourceType": "Medication", "id": "p", "code": named("Canary"), "status": "entered-in-error"}
        found = entry("MedicationRequest", contained=[wrong], medicationReference={"reference": "#p"})
        assert "Canary" not in repr(found)


@pytest.mark.django_db
class TestAPersonWhomTheProviderKeepsElsewhere:
    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"link": [{"type": "replaced-by", "other": ADA}]}, "keeps this person under another entry now"),
            ({"link": [{"type": "replace", "other": ADA}]}, "keeps this person under another entry now"),
            ({"active": False}, "The provider no longer uses this entry"),
        ],
    )
    def test_reads_so_beside_their_details(self, client, alice, sam, connection, sent, said):
        keep(connection, {**R4_PATIENT, **sent})
        client.force_login(alice)
        assert said in page(client, "record", connection.pk)
        client.force_login(sam)
        assert client.get(reverse("record", args=[connection.pk])).status_code == 404


CANARY = named("Canary")
SHOWN: list[tuple[str, str, dict[str, Any], str]] = [
    ("other", "AdverseEvent", {"event": CANARY, "actuality": "potential"}, "Did not happen, but could have"),
    ("other", "CommunicationRequest", {"category": [CANARY], "doNotPerform": True}, "Ordered not to be done"),
    ("other", "Consent", {"category": [CANARY], "provision": DENYING}, "In force: does not allow it"),
    ("other", "ClinicalImpression", {"description": "Canary", "ruledOut": [{"item": named("Flu")}]}, ""),
    ("procedures", "ServiceRequest", {"code": CANARY, "doNotPerform": True}, "Ordered not to be done"),
    ("conditions", "Condition", {"code": CANARY, "verificationStatus": "refuted"}, "Ruled out"),
    ("medicines", "MedicationStatement", {"medicationCodeableConcept": CANARY, "wasNotTaken": True}, "as not taken"),
    ("vaccines", "Immunization", {"vaccineCode": CANARY, "wasNotGiven": True}, "Not given"),
]


@pytest.mark.django_db
class TestAnEntryThatSaysNo:
    @pytest.mark.parametrize(("subject", "kind", "sent", "said"), SHOWN)
    def test_says_so_on_every_page_that_has_it(self, client, alice, sam, connection, subject, kind, sent, said):
        about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}, "patient": {"reference": f"Patient/{PATIENT_ID}"}}
        keep(connection, {"resourceType": kind, "id": "x", **about, "status": "active", **sent})
        pk = Record.objects.get(resource_type=kind).pk
        client.force_login(alice)
        for told in (
            page(client, "subject", subject),
            page(client, "everything_by_date"),
            page(client, "entry", subject, pk),
            ask(client, "canary"),
        ):
            assert "Canary" in told
            assert said in told
        on_paper = summaries.summary(choosing.choices(alice, at=AT), at=AT).lists
        (row,) = [row for one in on_paper for group in one.groups for row in group.rows]
        assert said in " ".join((row.status, *row.details))
        client.force_login(sam)
        assert client.get(reverse("entry", args=[subject, pk])).status_code == 404
