"""Results inside a report are judged in a patient summary like results with a record of their own."""

import pytest

from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import RESULTS, Summarized
from tests.records.linked import make_connection

pytestmark = pytest.mark.django_db

INSIDE = {
    "resourceType": "Observation", "id": "in", "status": "final", "code": {"text": "Canary"},
    "valueQuantity": {"value": 140, "unit": "mmol/L"},
}  # fmt: skip
REPORT = {
    "resourceType": "DiagnosticReport", "id": "r1", "status": "final", "code": {"text": "Salts"},
    "subject": {"reference": "Patient/p-7301"},
}  # fmt: skip


class TestAReport:
    @pytest.mark.parametrize(
        "elements",
        [
            {"status": "Entered-In-Error"},
            {"status": ["cancelled"]},
            {"verificationStatus": "entered-in-error"},
            {"meta": {"security": [{"code": "masked"}]}},
            {"subject": {"reference": "https://elsewhere.example/Patient/donor"}},
        ],
    )
    def test_tells_no_result_inside_it_that_no_list_would_tell(self, alice, elements):
        keep(
            make_connection(alice), {**REPORT, "contained": [{**INSIDE, **elements}], "result": [{"reference": "#in"}]}
        )
        found = Summarized(alice)
        assert "result" not in found.told(RESULTS)[0]
        assert found.of_type("Observation") == []
        assert "Canary" not in found.words(RESULTS)

    @pytest.mark.parametrize(
        ("one", "other", "count"),
        [
            (("LAB", "1"), ("HEART", "1"), 2),  # words that are no addresses name systems all the same
            (("LAB", "1"), ("LAB", "1"), 1),
            (("", "1"), ("", "1"), 2),
            (("urn:lab", "1"), ("urn:lab", "1"), 1),
        ],
    )
    def test_is_not_hidden_by_another_of_the_same_code_in_another_system(self, alice, one, other, count):
        member = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Canary"}}
        coded = [
            {"coding": [{"system": system, "code": code}], "text": f"Panel {number}"}
            for number, (system, code) in enumerate((one, other))
        ]
        panels = [
            {**REPORT, "id": f"r{number}", "code": code, "result": [{"reference": "Observation/o1"}]}
            for number, code in enumerate(coded)
        ]
        keep(make_connection(alice), {**member, "valueInteger": 9}, *panels)
        assert sum(each["resourceType"] == "DiagnosticReport" for each in Summarized(alice).told(RESULTS)) == count

    @pytest.mark.parametrize(("whose", "is_told"), [("Patient/p-7301", False), ("#donor", True)])
    def test_tells_of_a_patient_inside_it_only_where_it_is_about_them(self, alice, whose, is_told):
        about = {"subject": {"reference": "#donor"}}
        inside = [{"resourceType": "Patient", "id": "donor"}, {**INSIDE, **about}]
        keep(make_connection(alice), {**REPORT, "subject": {"reference": whose}, "contained": inside})
        assert ("Canary" in Summarized(alice).words(RESULTS)) is is_told

    @pytest.mark.parametrize(
        ("whose", "is_told"),
        [
            ("Patient/donor", False), ("patient/donor/", False), ("https://fhir.example/r4/Patient/donor", False),
            ("#donor", False), ("Patient/p-7301", True), ("", True),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("subject", [None, {"display": "Wrenna"}, {"reference": "Device/d1"}])
    def test_that_names_no_patient_is_of_the_patient_whose_record_it_is_in(self, alice, subject, whose, is_told):
        about = {"subject": {"reference": whose}} if whose else {}
        inside = [{"resourceType": "Patient", "id": "donor"}, {**INSIDE, **about}]
        report = {name: value for name, value in REPORT.items() if name != "subject"}
        keep(make_connection(alice), {**report, **({"subject": subject} if subject else {}), "contained": inside})
        assert ("Canary" in Summarized(alice).words(RESULTS)) is is_told

    def test_tells_a_result_inside_it_that_names_the_same_patient(self, alice):
        about = {"reference": "https://fhir.example/r4/Patient/p-7301/_history/2"}
        keep(make_connection(alice), {**REPORT, "contained": [{**INSIDE, "subject": about}]})
        assert "Canary: 140 mmol/L" in Summarized(alice).words(RESULTS)

    def test_says_what_may_turn_a_result_inside_it_around(self, alice):
        turned = {"modifierExtension": [{"url": "https://lab.example/of-a-control", "valueBoolean": True}]}
        keep(make_connection(alice), {**REPORT, "contained": [{**INSIDE, **turned}]})
        found = Summarized(alice)
        (inside,) = found.of_type("Observation")
        assert inside["modifierExtension"] == turned["modifierExtension"]
        assert "may change its meaning" in found.words(RESULTS)

    def test_refers_to_no_result_that_is_no_observation(self, alice):
        condition = {"resourceType": "Condition", "id": "c1", "code": {"text": "Asthma"}}
        named = [{"reference": path} for path in ("Condition/c1", "DiagnosticReport/r1")]
        keep(make_connection(alice), condition, {**REPORT, "result": named})
        assert "result" not in Summarized(alice).told(RESULTS)[0]
