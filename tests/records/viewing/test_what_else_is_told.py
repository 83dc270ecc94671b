"""Who, when, how much and what for: what no other fact of a page says is told as well, in both versions."""

from typing import Any

import pytest
from django.utils import translation

from apps.records.templatetags import chart_words
from tests.records.told import concept, entry, in_row, named, on_page

ADA = {"display": "Ada Rose"}
MEDICINE = {"medicationCodeableConcept": named("Lisinopril")}
USD = {"value": 40.5, "currency": "USD"}
LINE = {"productOrService": named("Eye test"), "net": USD}
CHARGED = {
    "chargeItemCodeableConcept": named("Eye test"),
    "priceComponent": [{"type": "tax", "amount": {"value": 8, "currency": "USD"}}, {"type": "base", "amount": USD}],
}
YEARS = {"system": "http://unitsofmeasure.org", "unit": "years", "code": "a"}


def usual(low: int, high: int, ages: dict[str, Any]) -> dict[str, Any]:
    return {"low": {"value": low, "unit": "%"}, "high": {"value": high, "unit": "%"}, "age": ages}


TOLD: list[tuple[str, dict[str, Any], str]] = [
    ("Appointment", {"start": "2026-05-01T10:00:00Z", "minutesDuration": 30}, "Length: 30 minutes"),
    ("CarePlan", {"contributor": [ADA]}, "Who: Ada Rose"),
    ("CarePlan", {"careTeam": [ADA]}, "Who: Ada Rose"),
    ("CarePlan", {"participant": [{"role": named("Nurse"), "member": ADA}]}, "Who: Ada Rose"),
    (
        "CarePlan",
        {
            "activity": [
                {
                    "detail": {
                        "description": "Leave it out",
                        "prohibited": True,
                        "code": named("Medicine"),
                        "productCodeableConcept": named("Ibuprofen"),
                    }
                }
            ]
        },
        "What to do: Not to do · Leave it out · that is: Medicine, Ibuprofen",
    ),
    (
        "CarePlan",
        {"activity": [{"detail": {"description": "One a day", "productReference": {"display": "Ibuprofen"}}}]},
        "What to do: One a day · that is: Ibuprofen",
    ),
    ("CareTeam", {"telecom": [{"system": "phone", "value": "555-0100"}]}, "Contact: 555-0100"),
    ("Coverage", {"network": "Harbor Choice"}, "Plan details: Network of the plan: Harbor Choice"),
    ("Coverage", {"network": "Harbor Choice", "dependent": "02"}, "Number of the insured person: 02"),
    ("Coverage", {"dependent": 2}, "Plan details: Number of the insured person: 2"),
    ("Device", {"contact": [{"system": "phone", "value": "555-0100"}]}, "Contact: 555-0100"),
    ("DocumentReference", {"authenticator": ADA}, "Vouched for by: Ada Rose"),
    ("DocumentReference", {"context": {"event": [named("Hip surgery")]}}, "What it is about: Hip surgery"),
    ("DocumentReference", {"context": {"practiceSetting": named("Surgery")}}, "Specialty: Surgery"),
    ("FamilyMemberHistory", {"gender": "female"}, "Sex: female"),
    ("FamilyMemberHistory", {"sex": concept("female")}, "Sex: female"),
    ("FamilyMemberHistory", {"sex": named("Not stated")}, "Sex: Not stated"),
    ("Goal", {"priority": concept("high-priority")}, "Priority: High"),
    ("Goal", {"priority": concept("high")}, "Priority: High"),
    ("Goal", {"priority": named("Before all others")}, "Priority: Before all others"),
    ("MedicationOrder", {"status": "stopped", "dateEnded": "2020-05-01", **MEDICINE}, "Ended: May 1, 2020"),
    (
        "MedicationRequest",
        {"courseOfTherapyType": concept("continuous"), **MEDICINE},
        "How long it is meant for: A long time",
    ),
    ("MedicationRequest", {"courseOfTherapyType": named("A week"), **MEDICINE}, "How long it is meant for: A week"),
    (
        "MedicationRequest",
        {"detectedIssue": [{"display": "Raises potassium"}], **MEDICINE},
        "Warnings about it: Raises potassium",
    ),
    (
        "MedicationDispense",
        {"detectedIssue": [{"display": "Raises potassium"}], **MEDICINE},
        "Warnings about it: Raises potassium",
    ),
    (
        "ImmunizationRecommendation",
        {
            "recommendation": [
                {
                    "vaccineCode": [named("MMR")],
                    "description": "Two doses",
                    "dateCriterion": [
                        {"code": concept(code), "value": value}
                        for code, value in (("30980-7", "2026-01"), ("59777-3", "2026-03"), ("59778-1", "2026-02"))
                    ],
                }
            ]
        },
        "from: January 2026 · at the latest: March 2026 · late from: February 2026 · Two doses",
    ),
    (
        "ImmunizationRecommendation",
        {
            "recommendation": [
                {
                    "vaccineCode": named("MMR"),
                    "protocol": {"description": "Two doses"},
                    "dateCriterion": [
                        {"code": concept(code), "value": value}
                        for code, value in (("due", "2026-01"), ("latest", "2026-03"), ("overdue", "2026-02"))
                    ],
                }
            ]
        },
        "from: January 2026 · at the latest: March 2026 · late from: February 2026 · Two doses",
    ),
    ("Observation", {"device": {"display": "Arm cuff"}}, "Measured with: Arm cuff"),
    (
        "Observation",
        {
            "device": {"reference": "#d"},
            "contained": [{"resourceType": "Device", "id": "d", "type": named("Pulse oximeter"), "model": "X2"}],
        },
        "Measured with: Pulse oximeter",
    ),
    *(
        (
            "Observation",
            {"device": {"reference": "#d"}, "contained": [{"resourceType": "Device", "id": "d", **called}]},
            told,
        )
        for called, told in (
            ({"deviceName": [{"name": "Cuff 3000", "type": "model-name"}]}, "Measured with: Cuff 3000"),
            ({"manufacturer": "Acme", "model": "X2"}, "Measured with: X2"),
            ({"modelNumber": "X-3"}, "Measured with: X-3"),
            ({"manufacturer": "Acme"}, "Measured with: Acme"),
        )
    ),
    (
        "Observation",
        {"method": named("By ear"), "bodySite": named("Left arm")},
        "How it was measured: By ear\nBody site: Left arm",
    ),
    ("ServiceRequest", {"locationReference": [{"display": "Ward 3"}]}, "Where: Ward 3"),
    ("ServiceRequest", {"code": named("Walk"), "performerType": named("Nurse")}, "Details: Nurse"),
    ("MedicationDispense", {"type": named("Partial fill"), **MEDICINE}, "Kind of fill: Partial fill"),
    ("MedicationDispense", {"receiver": [ADA], **MEDICINE}, "Handed over or sent to: Ada Rose"),
    (
        "MedicationDispense",
        {"destination": {"display": "Ward 3"}, **MEDICINE},
        "Handed over or sent to: Ward 3",
    ),
]


WEEKLY = {"repeat": {"frequency": 1, "period": 1, "periodUnit": "wk", "periodUnits": "wk"}}
# Of types without a presenter of their own.
OF_ANY_TYPE: list[tuple[str, dict[str, Any], str]] = [
    ("BodyStructure", {"morphology": named("Scar"), "location": named("Left arm")}, "Body site: Left arm"),
    ("ClinicalImpression", {"assessor": ADA}, "Who: Ada Rose"),
    ("ClinicalImpression", {"problem": [{"display": "Cough"}]}, "What it is about: Cough"),
    ("ClinicalImpression", {"plan": [{"display": "An X-ray"}]}, "What is planned: An X-ray"),
    ("ClinicalImpression", {"action": [{"display": "A swab"}]}, "What was done about it: A swab"),
    ("ClinicalImpression", {"triggerReference": {"display": "A fall"}}, "Why: A fall"),
    ("ClinicalImpression", {"prognosisReference": [{"display": "Heals by itself"}]}, "Outlook: Heals by itself"),
    ("Communication", {"recipient": [ADA]}, "Sent to: Ada Rose"),
    ("CommunicationRequest", {"scheduledDateTime": "2016-05-01"}, "Planned for: May 1, 2016"),
    ("CommunicationRequest", {"requestedOn": "2016-05-01"}, "Written down: May 1, 2016"),
    (
        "Composition",
        {"title": "Letter", "section": [{"title": "Allergies", "emptyReason": concept("nilknown")}, {"title": "Plan"}]},
        "What is in it: Plan",
    ),
    (
        "Consent",
        {
            "scope": named("Research"),
            "provision": {
                "type": "deny",
                "period": {"start": "2020-01-01", "end": "2020-12-31"},
                "purpose": [{"display": "Marketing"}],
                "actor": [{"role": named("Recipient"), "reference": ADA}],
            },
        },
        "What it covers: Marketing\nWhat it covers: Ada Rose\nApplies: January 1 to December 31, 2020",
    ),
    (
        "DeviceRequest",
        {"parameter": [{"code": named("Size"), "valueQuantity": {"value": 4, "unit": "cm"}}]},
        "Size: 4 cm",
    ),
    ("DeviceRequest", {"codeCodeableConcept": named("Cane"), "occurrenceTiming": WEEKLY}, "Once a week"),
    ("DeviceUseRequest", {"device": ADA, "timingTiming": WEEKLY, "prnReason": [named("Pain")]}, "Once a week"),
    ("DeviceUseRequest", {"device": ADA, "prnReason": [named("Pain")]}, "Pain"),
    ("DeviceUseRequest", {"device": ADA, "orderedOn": "2016-05-01"}, "Written down: May 1, 2016"),
    ("DeviceUseStatement", {"device": ADA, "whenUsed": {"start": "2016-05-01"}}, "Started: May 1, 2016"),
    ("DeviceUseStatement", {"device": ADA, "timingTiming": WEEKLY}, "Once a week"),
    ("DeviceUseStatement", {"device": ADA, "recordedOn": "2016-05-01"}, "Written down: May 1, 2016"),
    ("EpisodeOfCare", {"careManager": ADA}, "Who: Ada Rose"),
    ("EpisodeOfCare", {"type": [named("Home")], "condition": [{"display": "Asthma"}]}, "What it is about: Asthma"),
    (
        "EpisodeOfCare",
        {"type": [named("Home")], "diagnosis": [{"condition": {"display": "Asthma"}}]},
        "What it is about: Asthma",
    ),
    ("EpisodeOfCare", {"careTeam": [{"member": ADA}]}, "Who: Ada Rose"),
    ("EpisodeOfCare", {"team": [ADA]}, "Who: Ada Rose"),
    ("DeviceRequest", {"codeCodeableConcept": named("Cane"), "priority": "urgent"}, "How soon: Urgent"),
    ("Order", {"target": ADA}, "Sent to: Ada Rose"),
    ("Order", {"reasonCodeableConcept": named("Pain"), "detail": [{"display": "An X-ray"}]}, "about: An X-ray"),
    ("OrderResponse", {"who": ADA}, "Who: Ada Rose"),
    (
        "Consent",
        {"provision": {"type": "permit", "dataPeriod": {"end": "2020-12-31"}}},
        "Records of this time: Until December 31, 2020",
    ),
    (
        "ExplanationOfBenefit",
        {
            "total": [
                {"category": concept("submitted"), "amount": {"value": 200, "currency": "USD"}},
                {"category": named("You pay"), "amount": {"value": 20, "currency": "USD"}},
            ]
        },
        "Amounts: submitted: 200 USD\nAmounts: You pay: 20 USD",
    ),
    ("ExplanationOfBenefit", {"payment": {"amount": {"value": 180, "currency": "USD"}}}, "Paid: 180 USD"),
    ("ExplanationOfBenefit", {"disposition": "Claim denied"}, "Details: Claim denied"),
    ("ExplanationOfBenefit", {"processNote": [{"text": "Ask your doctor"}]}, "Details: Ask your doctor"),
    ("ExplanationOfBenefit", {"billablePeriod": {"start": "2026-05-04"}, "created": "2026-05-20"}, "Care given: Since"),
    ("ExplanationOfBenefit", {"item": [LINE]}, "What it is for: Eye test: 40.50 USD"),
    ("ExplanationOfBenefit", {"addItem": [{"productOrService": named("A discount")}]}, "What it is for: A discount"),
    ("Claim", {"item": [{"service": {"display": "Eye test"}, "net": {"value": 9, "code": "USD"}}]}, "Eye test: 9 USD"),
    ("Claim", {"total": {"value": 9, "currency": "USD"}}, "Total: 9 USD"),
    ("Claim", {"use": "exploratory"}, "What it is: An estimate, no bill"),
    ("ClaimResponse", {"disposition": "Denied", "payment": {"amount": USD}}, "Paid: 40.50 USD"),
    ("ClaimResponse", {"disposition": "Denied", "totalCost": USD}, "Total: 40.50 USD"),
    ("ClaimResponse", {"disposition": "Denied", "totalBenefit": USD}, "Covered by the insurance: 40.50 USD"),
    ("ClaimResponse", {"disposition": "Denied", "paymentAmount": USD}, "Paid: 40.50 USD"),
    ("Invoice", {"status": "issued"}, "Status: Sent"),
    ("Invoice", {"status": "balanced"}, "Status: Paid"),
    ("Invoice", {"totalNet": USD}, "Total without taxes: 40.50 USD"),
    ("Invoice", {"totalGross": USD}, "Total: 40.50 USD"),
    ("Invoice", {"lineItem": [CHARGED]}, "What it is for: Eye test: 40.50 USD"),
    ("Invoice", {"paymentTerms": "Within 30 days"}, "Details: Within 30 days"),
    ("Invoice", {"issuer": ADA}, "Who: Ada Rose"),
    ("Account", {"name": "Stay", "servicePeriod": {"start": "2026-05-04", "end": "2026-05-06"}}, "Care given: May 4"),
    ("Account", {"name": "Stay", "coveragePeriod": {"start": "2026-05-04", "end": "2026-05-06"}}, "Valid: May 4"),
    ("Account", {"name": "Stay", "balance": USD}, "Balance: 40.50 USD"),
    ("Account", {"name": "Stay", "type": named("Hospital bill")}, "Kind: Hospital bill"),
    ("PaymentNotice", {"amount": USD}, "Amount: 40.50 USD"),
    ("PaymentNotice", {"paymentStatus": concept("cleared")}, "How it stands: cleared"),
    ("PaymentNotice", {"paymentDate": "2026-05-04", "created": "2026-05-06"}, "Paid: May 4, 2026"),
    ("PaymentReconciliation", {"paymentAmount": USD}, "Amount: 40.50 USD"),
    ("PaymentReconciliation", {"total": USD}, "Amount: 40.50 USD"),
    ("ImagingStudy", {"description": "Head", "modality": [{"code": "CT"}]}, "Kind: CT scan"),
    (
        "ImagingStudy",
        {"description": "Head", "modalityList": [{"code": "MR", "display": "Magnetic"}]},
        "Kind: MRI scan",
    ),
    ("ImagingStudy", {"description": "Head", "series": [{"modality": {"code": "US"}}]}, "Kind: Ultrasound"),
    ("ImagingStudy", {"description": "Head", "numberOfInstances": 120}, "Number of images: 120"),
    ("Flag", {"code": named("Falls"), "category": [named("Safety")]}, "Kind: Safety"),
    ("Flag", {"code": named("Falls"), "category": named("Safety")}, "Kind: Safety"),
    ("ImagingStudy", {"description": "Chest", "interpreter": [ADA]}, "Who: Ada Rose"),
    ("ImagingStudy", {"description": "Chest", "referrer": ADA}, "Who: Ada Rose"),
    ("ImagingStudy", {"description": "Chest", "procedureCode": [named("X-ray")]}, "What was done: X-ray"),
    ("ImagingStudy", {"description": "Chest", "procedure": [{"display": "X-ray"}]}, "What was done: X-ray"),
    (
        "ImagingStudy",
        {"description": "Pain", "series": [{"bodySite": {"display": "Knee"}, "laterality": {"display": "Left"}}]},
        "Body site: Knee (Left)",
    ),
    ("ImagingStudy", {"description": "Chest", "modality": [{"display": "CAT scan"}]}, "Kind: CAT scan"),
    ("ImmunizationEvaluation", {"doseNumberPositiveInt": 1, "seriesDosesPositiveInt": 2}, "Dose: 1 / 2"),
    ("MedicationAdministration", {"performer": [{"actor": ADA}], **MEDICINE}, "Who: Ada Rose"),
    ("NutritionOrder", {"allergyIntolerance": [{"display": "Nuts"}]}, "Allergies to heed: Nuts"),
    (
        "NutritionOrder",
        {"supplement": [{"productName": "Shake", "schedule": [WEEKLY]}]},
        "How often and how much: Once a week\nHow often and how much: Shake",
    ),
    (
        "NutritionOrder",
        {
            "enteralFormula": {
                "baseFormulaProductName": "Formula",
                "additiveProductName": "Fiber",
                "maxVolumeToDeliver": {"value": 900, "unit": "mL"},
            }
        },
        "Tube feeding: Formula\nTube feeding: Fiber\nAt most through the tube: 900 mL",
    ),
    (
        "NutritionOrder",
        {
            "enteralFormula": {
                "administration": [
                    {
                        "schedule": WEEKLY,
                        "quantity": {"value": 250, "unit": "mL"},
                        "rateQuantity": {"value": 60, "unit": "mL/h"},
                    }
                ]
            }
        },
        "How often and how much: 250 mL, once a week",
    ),
    ("RiskAssessment", {"mitigation": "Stop smoking"}, "What can lower the risk: Stop smoking"),
    ("RiskAssessment", {"prediction": [{"rationale": "Runs in the family"}]}, "Details: Runs in the family"),
    ("SupplyDelivery", {"suppliedItem": ADA, "quantity": {"value": 4, "unit": "boxes"}}, "What and how much: 4 boxes"),
    (
        "SupplyDelivery",
        {"suppliedItem": {"itemCodeableConcept": named("Gloves"), "quantity": {"value": 4, "unit": "boxes"}}},
        "What and how much: Gloves (4 boxes)",
    ),
    ("SupplyDelivery", {"supplier": ADA}, "Who: Ada Rose"),
    (
        "VisionPrescription",
        {
            "dispense": [
                {"eye": "left", "sphere": -2.25, "cylinder": -0.5, "axis": 180, "add": 1.75, "prism": 0.5, "base": "up"}
            ]
        },
        "Left eye · sphere: -2.25 · cylinder: -0.5 · axis: 180 · prism: 0.5 · base up · addition: 1.75",
    ),
    (
        "VisionPrescription",
        {
            "lensSpecification": [
                {
                    "eye": "right",
                    "product": named("Contact lens"),
                    "power": -2,
                    "backCurve": 8.7,
                    "diameter": 14,
                    "duration": {"value": 1, "unit": "month"},
                    "prism": [{"amount": 0.5, "base": "in"}],
                    "note": [{"text": "Tinted"}],
                }
            ]
        },
        "Right eye · Contact lens · prism: 0.5 · base in · power: -2 · back curve: 8.7 · diameter: 14 · lasts: 1 month",
    ),
]


class TestAnEntryOfAnyType:
    @pytest.mark.parametrize(("kind", "sent", "told"), OF_ANY_TYPE)
    def test_tells_what_else_is_sent(self, kind, sent, told):
        assert told in on_page(entry(kind, **sent))

    @pytest.mark.parametrize(
        ("use", "told"),
        [
            ("preauthorization", "A question whether it will be paid, no bill"),
            ("predetermination", "An estimate, no bill"),
        ],
    )
    def test_says_in_its_row_that_it_is_no_bill(self, use, told):
        assert f"What it is: {told}" in in_row(entry("ExplanationOfBenefit", use=use))
        assert "What it is" not in on_page(entry("ExplanationOfBenefit", use="claim"))

    @pytest.mark.parametrize(
        ("rule", "status", "told"),
        [
            ("OPTOUT", "In force: does not allow it", "Refused (opt-out)"),
            ("OPTOUTE", "In force: does not allow it, with exceptions", "Refused, with exceptions (opt-out)"),
            ("OPTINR", "In force: with exceptions", "Agreed, with limits (opt-in)"),
            ("OPTIN", "Current", "Agreed (opt-in)"),
        ],
    )
    def test_says_that_somebody_opted_out(self, rule, status, told):
        consent = entry("Consent", status="active", policyRule=concept(rule))
        assert f"Status: {status}\n" in on_page(consent)
        assert f"What it follows: {told}" in in_row(consent)

    def test_follows_its_own_rule_before_another(self):
        consent = entry("Consent", status="active", policyRule=concept("OPTOUT"), provision={"type": "permit"})
        assert "does not allow" not in on_page(consent)

    @pytest.mark.parametrize(("verified", "is_told"), [((False,), True), ((True,), False), ((False, True), False)])
    def test_says_that_a_consent_was_not_confirmed(self, verified, is_told):
        consent = entry("Consent", verification=[{"verified": each} for each in verified])
        assert ("Confirmed with whoever agreed: Not yet" in in_row(consent)) is is_told

    def test_says_in_its_row_what_a_refusal_covers(self):
        refused = {"provision": {"type": "deny", "purpose": [{"display": "Marketing"}]}}
        assert "What it covers: Marketing" in in_row(entry("Consent", **refused))

    def test_says_what_is_not_covered_though_it_is_called_so(self):
        balance = [{"name": "Teeth", "excluded": True}]
        assert "Not covered: Teeth" in on_page(
            entry("ExplanationOfBenefit", type=named("Teeth"), benefitBalance=balance)
        )


class TestWhatElseIsSent:
    @pytest.mark.parametrize(("kind", "sent", "told"), TOLD)
    def test_is_told_on_its_page(self, kind, sent, told):
        assert told in on_page(entry(kind, **sent))

    def test_is_no_length_where_the_date_says_it(self):
        lasting = {"start": "2026-05-01T10:00:00Z", "end": "2026-05-01T10:30:00Z", "minutesDuration": 30}
        assert "Length" not in on_page(entry("Appointment", **lasting))

    def test_is_in_the_language_of_the_page_where_a_code_says_it(self):
        with translation.override("es"):
            assert "Sexo: femenino" in on_page(entry("FamilyMemberHistory", gender="female"))

    def test_leaves_the_patient_out_of_who_takes_part_in_a_plan(self):
        taking_part = [{"member": {"reference": "Patient/1", "display": "Bo Finch"}}]
        assert "Bo Finch" not in on_page(entry("CarePlan", description="A walk", participant=taking_part))


class TestARangeForSomeAges:
    def test_says_for_which(self):
        young, old = {"low": {"value": 18, **YEARS}, "high": {"value": 65, **YEARS}}, {"low": {"value": 65, **YEARS}}
        sent = {
            "valueQuantity": {"value": 5, "unit": "%"},
            "referenceRange": [usual(4, 6, young), usual(5, 7, old)],
        }
        told = "Range from the lab: 4 to 6 % (for ages: 18 to 65 years); 5 to 7 % (for ages: at least 65 years)."
        assert chart_words.unjudged_ranges(entry("Observation", code=named("HbA1c"), **sent)) == told
