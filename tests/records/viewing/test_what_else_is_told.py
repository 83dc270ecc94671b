"""Who, when, how much and what for: whatever else was sent is shown on an entry's page, in both versions."""

from typing import Any

import pytest
from django.utils import translation

from apps.records.templatetags import chart_words
from tests.records.told import concept, entry, named, on_page

ADA = {"display": "Ada Rose"}
MEDICINE = {"medicationCodeableConcept": named("Lisinopril")}
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
    ("ServiceRequest", {"patientInstruction": "Eat nothing before"}, "What to do: Eat nothing before"),
    ("ServiceRequest", {"specimen": [{"display": "Urine"}]}, "Sample: Urine"),
    ("DiagnosticOrder", {"item": [{"code": named("Culture"), "specimen": [{"display": "Urine"}]}]}, "Sample: Urine"),
    ("ReferralRequest", {"priority": named("Within a week")}, "Details: Within a week"),
    ("Procedure", {"recorder": ADA}, "Written down by: Ada Rose"),
    (
        "MedicationRequest",
        {"requester": {"display": "Bo Finch"}, "recorder": ADA, **MEDICINE},
        "Written down by: Ada Rose\nWho: Bo Finch",
    ),
    ("MedicationRequest", {"requester": ADA, "recorder": ADA, **MEDICINE}, "Prescribed: Date not given\nWho: Ada Rose"),
    (
        "MedicationRequest",
        {
            "dispenseRequest": {
                "initialFill": {"quantity": {"value": 7, "unit": "tablets"}, "duration": {"value": 7, "unit": "days"}},
                "dispenseInterval": {"value": 30, "unit": "days"},
            },
            **MEDICINE,
        },
        "Supply: the first time: 7 tablets · the first lasts: 7 days · again after: 30 days",
    ),
    *(
        (
            "CarePlan",
            {
                "activity": [
                    {"detail": {"description": "Walk"}, "progress": [{"text": "2 km", **by}, {"text": "Tired"}]}
                ]
            },
            f"What to do: Walk · Tired · 2 km · {told}",
        )
        for by, told in (
            ({"authorString": "Ada", "time": "2024-05-03"}, "written down by: Ada · written down: May 3, 2024"),
            ({"authorReference": ADA}, "written down by: Ada Rose"),
        )
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
