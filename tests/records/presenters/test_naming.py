"""Names of people, places and reasons, from the reference itself or from the resource it points to."""

import json
from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import elements, naming
from apps.records.presenters.entry import Context
from tests.records.presenters.oddities import odd

OTHERS: dict[str, dict[str, Any]] = {
    "Practitioner/old": {"name": {"family": ["Rose"], "given": ["Ada"], "prefix": ["Dr."]}},
    "Practitioner/new": {"name": [{"family": "Rose", "given": ["Ada"], "prefix": ["Dr."]}]},
    "PractitionerRole/1": {"practitioner": {"reference": "Practitioner/new"}, "code": {"text": "Surgeon"}},
    "PractitionerRole/2": {"practitioner": {"display": "Dr. Ada Rose"}},
    "Organization/1": {"name": "Tarn Clinic"},
    "Condition/1": {"code": {"coding": [{"code": "J45", "display": "Asthma"}]}},
    "Condition/2": {"code": {"coding": [{"code": "J45"}]}},
    "Medication/1": {"resourceType": "Medication", "ingredient": [{"itemReference": {"reference": "Substance/1"}}]},
    "Medication/2": {"resourceType": "Medication", "text": {"div": "<div>Zinc</div>"}},
    "Medication/3": {"resourceType": "Medication", "ingredient": [{"itemReference": {"reference": "Medication/3"}}]},
    "Medication/4": {"resourceType": "Medication", "code": {"text": "Zinc"}},
    "Substance/1": {"resourceType": "Substance", "code": {"text": "Zinc"}},
    "MedicationRequest/1": {"medicationReference": {"reference": "Medication/4"}},
}
CONTEXT = Context(others=OTHERS)


def name_of(reference):
    return naming.name_of(reference, CONTEXT, within={})


class TestTheNameOfAReference:
    @pytest.mark.parametrize(
        ("target", "name"),
        [
            ("Practitioner/old", "Dr. Ada Rose"),
            ("Practitioner/new", "Dr. Ada Rose"),
            ("PractitionerRole/1", "Dr. Ada Rose"),
            ("PractitionerRole/2", "Dr. Ada Rose"),
            ("Organization/1", "Tarn Clinic"),
            ("Condition/1", "Asthma"),
            ("Condition/2", ""),
            ("Condition/3", ""),
            ("Medication/1", "Zinc"),
            ("Medication/2", "Zinc"),
            ("Medication/3", ""),
            ("MedicationRequest/1", "Zinc"),
        ],
    )
    def test_is_that_of_its_target(self, target, name):
        assert name_of({"reference": target}) == name

    def test_is_first_of_all_what_stands_beside_it(self):
        assert name_of({"reference": "Organization/1", "display": "The clinic"}) == "The clinic"

    def test_is_a_code_beside_it_only_where_the_target_has_none(self):
        assert name_of({"reference": "Condition/1", "display": "195967001"}) == "Asthma"
        assert name_of({"reference": "Condition/2", "display": "195967001"}) == "195967001"

    def test_is_made_of_the_substances_that_the_whole_contains(self):
        parts = [{"itemReference": {"reference": "#s"}}, {"itemCodeableConcept": {"text": "Iron"}}]
        product = {"resourceType": "Medication", "id": "m", "ingredient": parts}
        whole = {"contained": [product, {"resourceType": "Substance", "id": "s", "code": {"text": "Zinc"}}]}
        assert naming.name_of({"reference": "#m"}, CONTEXT, within=whole) == "Zinc / Iron"

    @pytest.mark.parametrize("display", ["#o1", "Organization/1", "1"])
    def test_is_never_what_only_points(self, display):
        assert name_of({"reference": "Organization/1", "display": display}) == "Tarn Clinic"
        assert naming.name_of({"reference": "Organization/1", "display": display}, Context(), within={}) == ""

    @given(odd("name", "practitioner", "code", "display", "reference", "family", "given", "contained"))
    def test_never_raises(self, content):
        sent = elements.parse(json.dumps(content).encode("utf-8", "surrogatepass"))
        assert isinstance(naming.name_of(sent, Context(others={"Medication/1": sent}), within=sent), str)
        assert isinstance(naming.own_name(sent, CONTEXT), str)
        assert isinstance(naming.is_patient(sent), bool)
        assert all(naming.titles(sent, "name", "code"))
        assert all(naming.reasons(sent, CONTEXT, ["code"], ["name"]))


class TestReasons:
    def test_are_said_by_concepts_and_by_references_once_each(self):
        sent = {
            "reasonCode": [{"text": "Cough"}, {"coding": [{"code": "1"}]}, {"text": "Asthma"}],
            "reasonReference": [{"reference": "Condition/1"}, {"display": "Wheeze"}],
        }
        found = naming.reasons(sent, CONTEXT, ["reasonCode"], ["reasonReference"])
        assert found == ("Cough", "Asthma", "Wheeze")


class TestAPatient:
    @pytest.mark.parametrize("reference", ["Patient/1", "https://a.example/Patient/1", "Patient/1/_history/2"])
    def test_is_known_by_the_reference(self, reference):
        assert naming.is_patient({"reference": reference})

    @pytest.mark.parametrize("reference", ["Practitioner/1", "Patient", "", "Patient/1/x"])
    def test_is_nobody_else(self, reference):
        assert not naming.is_patient({"reference": reference})


class TestTheIdOfAReference:
    @pytest.mark.parametrize(
        ("reference", "found"),
        [("Encounter/7", "7"), ("https://a.example/Encounter/7/_history/1", "7"), ("#7", ""), ("urn:uuid:7", "7")],
    )
    def test_is_its_last_part(self, reference, found):
        assert naming.id_of({"reference": reference}) == found
