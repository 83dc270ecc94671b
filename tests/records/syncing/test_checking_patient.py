"""Which patient a row belongs to."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.syncing.received_rows.checking_patient import names_another_patient
from apps.wire.fhir import Resource


def row(**elements):
    return Resource("AllergyIntolerance", "a1", json.dumps(elements).encode())


class TestRow:
    @pytest.mark.parametrize("element", ["patient", "subject"])
    @pytest.mark.parametrize(
        "reference",
        [
            "Patient/p2",
            "https://fhir.example/r4/Patient/p2",
            "Patient/p2/_history/3",
            "https://elsewhere.example/Patient/p10",
            "Patient/p1x",
            " Patient/p2/ ",
            "Patient/p2?_format=json",
            "Patient/p2#a",
            "patient/p2",
            "Patient/p2/_history/1/x",
        ],
    )
    def test_names_another_patient(self, element, reference):
        assert names_another_patient(row(**{element: {"reference": reference}}), patient_id="p1")

    @pytest.mark.parametrize(
        "elements",
        [
            {"patient": [{"reference": "Patient/p2"}]},
            {"subject": [{"reference": "Patient/p1"}, {"reference": "Patient/p2"}]},
            {"beneficiary": {"reference": "Patient/p2"}},
            {"for": {"reference": "Patient/p2"}},
            {"individual": {"reference": "Patient/p2"}},
            {"patient": "Patient/p2"},
            {"subject": ["Patient/p1", "https://fhir.example/r4/Patient/p2"]},
        ],
    )
    def test_names_another_patient_in_whatever_shape(self, elements):
        assert names_another_patient(row(**elements), patient_id="p1")

    @pytest.mark.parametrize(
        "elements",
        [
            {},
            {"subject": [{"reference": "Patient/p1"}]},
            {"subject": {"reference": "https://fhir.example/patient/r4/Patient/p1"}},
            {"patient": {"reference": "https://fhir.example/Patient/Patient/p1/"}},
            {"subject": {"reference": "https://fhir.example/patient/r4/Group/g1"}},
            {"patient": {"reference": "Patient/p1"}},
            {"patient": {"reference": "Patient/%701"}},
            {"patient": "Patient/p1"},
            {"subject": "p2"},
            {"subject": {"reference": "https://fhir.example/r4/Patient/p1/_history/1"}},
            {"subject": {"reference": "#contained"}},
            {"subject": {"reference": "Group/p2"}},
            {"subject": {"display": "Somebody"}},
            {"subject": None},
        ],
    )
    def test_is_taken_as_sent_where_it_names_nobody_else(self, elements):
        assert not names_another_patient(row(**elements), patient_id="p1")

    def test_is_read_even_where_the_fast_decoder_refuses_it(self):
        body = b'{"note": "\\ud800", "patient": {"reference": "Patient/p2"}}'
        assert names_another_patient(Resource("AllergyIntolerance", "a1", body), patient_id="p1")

    def test_of_type_patient_belongs_to_its_own_id(self):
        assert names_another_patient(Resource("Patient", "p2", b"{}"), patient_id="p1")
        assert not names_another_patient(Resource("Patient", "p1", b"{}"), patient_id="p1")

    @given(st.binary(max_size=100))
    def test_never_raises(self, body):
        names_another_patient(Resource("AllergyIntolerance", "a1", body), patient_id="p1")
