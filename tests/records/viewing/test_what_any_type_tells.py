"""What was sent in types without a presenter is shown as well, in both versions."""

from typing import Any

import pytest

from tests.records.told import concept, entry, in_row, named, on_page

ADA = {"display": "Ada Rose"}
MEDICINE = {"medicationCodeableConcept": named("Lisinopril")}
USD = {"value": 40.5, "currency": "USD"}
LINE = {"productOrService": named("Eye test"), "net": USD}
CHARGED = {
    "chargeItemCodeableConcept": named("Eye test"),
    "priceComponent": [{"type": "tax", "amount": {"value": 8, "currency": "USD"}}, {"type": "base", "amount": USD}],
}
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
    ("ClinicalImpression", {"code": named("Fever"), "description": "For three days"}, "Details: For three days"),
    (
        "ClinicalImpression",
        {"investigation": [{"code": named("Blood"), "item": [{"display": "CRP"}, {"display": "Sodium"}]}]},
        "What was looked at: Blood (CRP, Sodium)",
    ),
    ("ClinicalImpression", {"investigations": [{"code": named("Throat")}]}, "What was looked at: Throat"),
    ("BodySite", {"code": named("Knee"), "modifier": [named("Left")]}, "Body site: Left"),
    ("ChargeItem", {"code": named("Drip"), "quantity": {"value": 2, "unit": "bags"}}, "What and how much: 2 bags"),
    ("ChargeItem", {"code": named("Drip"), "productCodeableConcept": named("Saline")}, "What and how much: Saline"),
    ("ChargeItem", {"code": named("Drip"), "bodysite": [named("Left arm")]}, "Body site: Left arm"),
    ("ChargeItem", {"code": named("Drip"), "priceOverride": USD}, "Total: 40.50 USD"),
    ("ChargeItem", {"code": named("Drip"), "overrideReason": "Kindness"}, "Details: Kindness"),
    ("ChargeItem", {"code": named("Drip"), "service": [{"display": "Infusion"}]}, "What was done: Infusion"),
    ("ChargeItem", {"code": named("Drip"), "performingOrganization": {"display": "Ward 3"}}, "Who: Ward 3"),
    ("Communication", {"about": [{"display": "Your scan"}]}, "What it is about: Your scan"),
    ("Communication", {"medium": [named("Telephone")]}, "By way of: Telephone"),
    (
        "Communication",
        {"payload": [{"contentReference": {"display": "Scan of May 4"}}]},
        "Sent with it: Scan of May 4",
    ),
    ("CommunicationRequest", {"reason": [named("Fever")], "priority": named("Today")}, "How soon: Today"),
    ("Communication", {"recipient": [ADA]}, "Sent to: Ada Rose"),
    ("CommunicationRequest", {"scheduledDateTime": "2016-05-01"}, "Planned for: May 1, 2016"),
    ("CommunicationRequest", {"requestedOn": "2016-05-01"}, "Written down: May 1, 2016"),
    (
        "Composition",
        {"title": "Letter", "section": [{"title": "Allergies", "emptyReason": concept("nilknown")}, {"title": "Plan"}]},
        "What is in it: Plan",
    ),
    ("Composition", {"title": "Letter", "event": [{"code": [named("Hip surgery")]}]}, "What was done: Hip surgery"),
    ("Composition", {"title": "Letter", "custodian": {"display": "Ward 3"}}, "Who: Ward 3"),
    ("Composition", {"title": "Letter", "attester": [{"mode": "legal", "party": ADA}]}, "Who: Ada Rose"),
    ("Consent", {"scope": named("Research"), "organization": [{"display": "Ward 3"}]}, "Who: Ward 3"),
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
    ("DeviceUseStatement", {"device": ADA, "whenUsed": {"start": "2016-05-01"}}, "Used: Since May 1, 2016"),
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
    *(
        (kind, {"diagnosis": [{key: named("Asthma") if key.startswith("diagnosisC") else {"display": "Asthma"}}]}, told)
        for kind, key, told in (
            ("ExplanationOfBenefit", "diagnosisCodeableConcept", "Diagnoses: Asthma"),
            ("Claim", "diagnosisReference", "Diagnoses: Asthma"),
            ("Claim", "diagnosis", "Diagnoses: Asthma"),
        )
    ),
    *(
        (
            kind,
            {
                **around({"category": named("Therapy"), part: [{"type": named("visits"), **sent}]}),
                "disposition": "Holds",
            },
            told,
        )
        for kind, around, part in (
            ("ExplanationOfBenefit", lambda one: {"benefitBalance": [one]}, "financial"),
            ("CoverageEligibilityResponse", lambda one: {"insurance": [{"item": [one]}]}, "benefit"),
        )
        for sent, told in (
            ({"allowedUnsignedInt": 20}, "What the plan allows: Therapy, visits: 20"),
            ({"allowedString": "Any"}, "What the plan allows: Therapy, visits: Any"),
            ({"allowedMoney": USD}, "What the plan allows: Therapy, visits: 40.50 USD"),
            ({"usedUnsignedInt": 4}, "Used so far: Therapy, visits: 4"),
            ({"usedMoney": USD}, "Used so far: Therapy, visits: 40.50 USD"),
        )
    ),
    ("Claim", {"procedure": [{"procedureCodeableConcept": named("X-ray")}]}, "What was done: X-ray"),
    ("ExplanationOfBenefit", {"careTeam": [{"sequence": 1, "provider": ADA}]}, "Who: Ada Rose"),
    ("ExplanationOfBenefit", {"payment": {"amount": {"value": 180, "currency": "USD"}}}, "Paid: 180 USD"),
    ("ExplanationOfBenefit", {"disposition": "Claim denied"}, "Details: Claim denied"),
    ("ExplanationOfBenefit", {"processNote": [{"text": "Ask your doctor"}]}, "Details: Ask your doctor"),
    ("ExplanationOfBenefit", {"billablePeriod": {"start": "2026-05-04"}, "created": "2026-05-20"}, "Care given: Since"),
    ("ExplanationOfBenefit", {"item": [LINE]}, "What it is for: Eye test: 40.50 USD"),
    ("ExplanationOfBenefit", {"addItem": [{"productOrService": named("A discount")}]}, "What it is for: A discount"),
    ("Claim", {"item": [{"service": {"display": "Eye test"}, "net": {"value": 9, "code": "USD"}}]}, "Eye test: 9 USD"),
    ("Claim", {"total": {"value": 9, "currency": "USD"}}, "Total: 9 USD"),
    ("Claim", {"use": "exploratory"}, "What it is: An estimate, not a bill"),
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
    ("Invoice", {"recipient": ADA}, "Sent to: Ada Rose"),
    ("Account", {"name": "Stay", "guarantor": [{"party": ADA}]}, "Who pays: Ada Rose"),
    ("Account", {"name": "Stay", "coverage": [{"coverage": {"display": "Harbor Plan"}}]}, "Who pays: Harbor Plan"),
    ("Account", {"name": "Stay", "activePeriod": {"start": "2026-05-04", "end": "2026-05-06"}}, "Valid: May 4"),
    ("AdverseEvent", {"location": {"display": "Ward 3"}}, "Where: Ward 3"),
    ("DetectedIssue", {"evidence": [{"code": [named("Rash")]}]}, "What was found: Rash"),
    ("DetectedIssue", {"evidence": [{"detail": [{"display": "A high value"}]}]}, "What was found: A high value"),
    ("Account", {"name": "Stay", "servicePeriod": {"start": "2026-05-04", "end": "2026-05-06"}}, "Care given: May 4"),
    ("Account", {"name": "Stay", "coveragePeriod": {"start": "2026-05-04", "end": "2026-05-06"}}, "Valid: May 4"),
    ("Account", {"name": "Stay", "balance": USD}, "Balance: 40.50 USD"),
    ("Account", {"name": "Stay", "type": named("Hospital bill")}, "Kind: Hospital bill"),
    ("PaymentNotice", {"amount": USD}, "Amount: 40.50 USD"),
    ("PaymentNotice", {"paymentStatus": concept("cleared")}, "Where it stands now: cleared"),
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
    ("ImagingStudy", {"description": "Chest", "location": {"display": "Ward 3"}}, "Where: Ward 3"),
    ("ImagingStudy", {"description": "Chest", "series": [{"description": "From the side"}]}, "are of: From the side"),
    ("Media", {"type": named("Photo"), "view": named("From the side")}, "View: From the side"),
    ("Media", {"type": named("Photo"), "deviceName": "Skin camera"}, "Made with: Skin camera"),
    ("Media", {"type": named("Photo"), "device": {"display": "Skin camera"}}, "Made with: Skin camera"),
    ("Media", {"type": "photo", "content": {"title": "Mole"}, "subtype": named("Close-up")}, "Kind: Close-up"),
    ("Media", {"content": {"title": "Mole"}, "modality": {"coding": [{"code": "US"}]}}, "Kind: Ultrasound"),
    (
        "RequestGroup",
        {
            "action": [
                {"title": "Scan", "description": "Of the chest", "action": [{"code": [named("Contrast")]}]},
                {"textEquivalent": "Come back"},
                {"resource": {"display": "A test"}},
            ]
        },
        "\n".join(f"What is planned: {each}" for each in ("Scan (Of the chest)", "Contrast", "Come back", "A test")),
    ),
    (
        "ResearchSubject",
        {"study": {"display": "A trial"}, "actualArm": "B", "assignedArm": "A"},
        "Group in the study: B\nGroup they were assigned to: A",
    ),
    ("ResearchSubject", {"study": {"display": "A trial"}, "assignedArm": "A"}, "Group in the study: A"),
    ("Task", {"code": named("Fill in"), "description": "Three pages"}, "Details: Three pages"),
    (
        "Task",
        {"code": named("Fill in"), "businessStatus": named("Waits for you")},
        "Where it stands now: Waits for you",
    ),
    ("Task", {"code": named("Fill in"), "focus": {"display": "Your form"}}, "What it is about: Your form"),
    ("Task", {"code": named("Fill in"), "location": {"display": "Ward 3"}}, "Where: Ward 3"),
    (
        "Task",
        {"code": named("Fill in"), "restriction": {"period": {"end": "2026-05-04"}}},
        "To be done: Until May 4, 2026",
    ),
    (
        "Task",
        {"code": named("Fill in"), "input": [{"type": named("Form"), "valueReference": {"display": "About sleep"}}]},
        "Details: Form: About sleep",
    ),
    ("Task", {"code": named("Fill in"), "output": [{"type": named("Sum"), "valueString": "12"}]}, "Outcome: Sum: 12"),
    ("ImmunizationEvaluation", {"doseNumberPositiveInt": 1, "seriesDosesPositiveInt": 2}, "Dose: 1 / 2"),
    ("MedicationAdministration", {"performer": [{"actor": ADA}], **MEDICINE}, "Who: Ada Rose"),
    ("NutritionOrder", {"allergyIntolerance": [{"display": "Nuts"}]}, "Allergies to keep in mind: Nuts"),
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
    ("SupplyDelivery", {"receiver": [ADA], "destination": {"display": "Ward 3"}}, "Sent to: Ada Rose\nSent to: Ward 3"),
    ("SupplyRequest", {"deliverTo": ADA}, "Sent to: Ada Rose"),
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

    def test_does_not_tell_its_name_among_its_details(self):
        task = entry("Task", description="Fill in", input=[{"type": named("Form"), "valueString": "Sleep"}])
        assert "Details: Form: Sleep" in on_page(task)
        assert "Details: Fill in" not in on_page(task)

    @pytest.mark.parametrize(
        ("use", "told"),
        [
            ("preauthorization", "A question about whether it will be paid, not a bill"),
            ("predetermination", "An estimate, not a bill"),
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
        assert ("Confirmed with the person who agreed: Not yet" in in_row(consent)) is is_told

    def test_says_in_its_row_what_a_refusal_covers(self):
        refused = {"provision": {"type": "deny", "purpose": [{"display": "Marketing"}]}}
        assert "What it covers: Marketing" in in_row(entry("Consent", **refused))

    def test_says_what_is_not_covered_though_it_is_called_so(self):
        balance = [{"name": "Teeth", "excluded": True}]
        assert "Not covered: Teeth" in on_page(
            entry("ExplanationOfBenefit", type=named("Teeth"), benefitBalance=balance)
        )
