"""What FHIR defines to qualify an entry without reversing its meaning is shown on its page, in both versions."""

from typing import Any

import pytest

from tests.records.told import concept, entry, named, on_page

ADA = {"display": "Ada Rose"}

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
    ("Procedure", {"status": "completed", "report": [{"display": "Pathology"}]}, "Reports about it: Pathology"),
    (
        "Specimen",
        {"collection": {"collectedDateTime": "2026-05-03"}, "receivedTime": "2026-05-04"},
        "Arrived at the lab: May 4, 2026",
    ),
    ("Specimen", {"accessionIdentifier": {"value": "S-26-117"}}, "Number of the sample: S-26-117"),
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
    ("ServiceRequest", {"priority": "stat"}, "How soon: Right away"),
    ("ReferralRequest", {"priority": concept("urgent")}, "How soon: Urgent"),
    ("ServiceRequest", {"locationCode": [named("At home")]}, "Where: At home"),
    ("ReferralRequest", {"type": named("Referral"), "specialty": named("Skin")}, "Details: Skin"),
    ("Specimen", {"condition": [named("Hemolyzed")]}, "State of the sample: Hemolyzed"),
    ("Specimen", {"condition": [concept("HEM")]}, "State of the sample: Its blood cells had burst (hemolyzed)"),
    ("Specimen", {"condition": [concept("CFU")]}, "State of the sample: Centrifuged"),
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
    ("Goal", {"status": "cancelled", "statusReason": named("Moved away")}, "Reason for this status: Moved away"),
    ("Goal", {"lifecycleStatus": "cancelled", "statusReason": "Moved away"}, "Reason for this status: Moved away"),
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
    (
        "MedicationAdministration",
        {"dosage": {"rateRange": {"low": {"value": 5, "unit": "mL/h"}, "high": {"value": 9, "unit": "mL/h"}}}},
        "Amount: 5 mL/h - 9 mL/h",
    ),
    ("MedicationAdministration", {"dosage": {"rateQuantity": {"value": 5, "unit": "mL/h"}}}, "Amount: 5 mL/h"),
    ("MedicationAdministration", {"dosage": {"siteReference": {"display": "Left arm"}}}, "How it was given: Left arm"),
    ("MedicationAdministration", {"dosage": {"method": concept("7")}}, "How it was given: Method: Coding: Code 7"),
    (
        "MedicationAdministration",
        {"dosage": {"modifierExtension": [{"url": "urn:not", "valueBoolean": True}], "text": "Half a vial"}},
        "Amount: Modifier extension urn:not: Value yes",
    ),
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
        "MedicationDispense",
        {"substitution": {"wasSubstituted": False, "type": named("Generic"), "reason": [named("Formulary policy")]}},
        "Another product in its place: Was not given · Generic, Formulary policy",
    ),
    (
        "MedicationDispense",
        {"substitution": {"type": concept("N"), "reason": [named("Asked for by name")]}},
        "Another product in its place: Was not given · Asked for by name",
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


class TestWhatQualifiesAnEntry:
    @pytest.mark.parametrize(("kind", "sent", "told"), TOLD)
    def test_is_told_on_its_page(self, kind, sent, told):
        assert told in on_page(entry(kind, **sent))
