"""Details about a person from the extensions of US Core and Argonaut in a Patient, in either version."""

import pytest
from django.utils import translation

from apps.records.presenters.persons import demographics, patient
from apps.records.templatetags.record_words import trait_in_words, trait_label

US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition"
WIDOWED = {"text": "Widowed", "coding": [{"code": "W", "display": "Widowed"}]}
RACE = "urn:oid:2.16.840.1.113883.6.238"


def extension(name, **value):
    return {"url": f"{US_CORE}/{name}", **value}


def coded(code, display="", system=RACE):
    return {"system": system, "code": code, **({"display": display} if display else {})}


def told(*extensions, **also):
    summary = patient.present({"resourceType": "Patient", "extension": list(extensions), **also})
    return [(trait_label(trait), tuple(map(trait_in_words, trait.said))) for trait in summary.traits]


class TestATrait:
    def test_is_told_by_its_text_where_it_has_parts(self):
        parts = [
            {"url": "ombCategory", "valueCoding": coded("2106-3", "White")},
            {"url": "detailed", "valueCoding": coded("1586-7", "Shoshone")},
            {"url": "text", "valueString": "Mixed"},
        ]
        assert told(extension("us-core-race", extension=parts)) == [("Race", ("Mixed",))]
        assert told(extension("us-core-race", extension=parts[:2])) == [("Race", ("White", "Shoshone"))]

    def test_of_dstu2_is_told_by_the_names_of_its_codes(self):
        white = {"coding": [coded("2106-3", "White")], "text": "race"}
        assert told(extension("us-core-race", valueCodeableConcept=white)) == [("Race", ("White",))]
        said = {"coding": [coded("2106-3")], "text": "White"}
        assert told(extension("us-core-race", valueCodeableConcept=said)) == [("Race", ("White",))]

    @pytest.mark.parametrize(
        ("name", "value", "label", "said"),
        [
            ("us-core-birthsex", {"valueCode": "F"}, "Sex at birth", "Female"),
            ("argo-birthsex", {"valueCode": "M"}, "Sex at birth", "Male"),
            ("us-core-birthsex", {"valueCode": "UNK"}, "Sex at birth", "Not known"),
            ("us-core-birthsex", {"valueCodeableConcept": {"coding": [coded("F")]}}, "Sex at birth", "Female"),
            ("us-core-genderIdentity", {"valueCodeableConcept": {"text": "Woman"}}, "Gender identity", "Woman"),
            ("patient-interpreterRequired", {"valueBoolean": True}, "Interpreter", "Needed"),
            ("us-core-interpreter-needed", {"valueCoding": coded("373066001", "Yes")}, "Interpreter", "Needed"),
            ("argo-ethnicity", {"valueCodeableConcept": {"text": "Hispanic"}}, "Ethnicity", "Hispanic"),
        ],
    )
    def test_is_called_by_a_word_and_said_in_words(self, name, value, label, said):
        assert told(extension(name, **value)) == [(label, (said,))]

    def test_of_a_tribe_is_told_without_whether_one_is_enrolled(self):
        parts = [
            {"url": "tribalAffiliation", "valueCodeableConcept": {"coding": [coded("187", "Fallon")]}},
            {"url": "isEnrolled", "valueBoolean": False},
        ]
        assert told(extension("us-core-tribal-affiliation", extension=parts)) == [("Tribe", ("Fallon",))]

    @pytest.mark.parametrize(
        ("marriage", "said"),
        [
            ({"text": "M", "coding": [{"code": "M"}]}, "Married"),
            ({"coding": [{"code": "W", "display": "Widowed"}]}, "Widowed"),
            ({"text": "Never Married", "coding": [{"code": "S", "display": "Never Married"}]}, "Never married"),
            ({"coding": [{"code": "S"}]}, "Never married"),
            ({"text": "Single", "coding": [{"code": "S"}]}, "Single"),
        ],
    )
    def test_of_marriage_is_said_in_words(self, marriage, said):
        assert told(maritalStatus=marriage) == [("Marital status", (said,))]

    def test_of_marriage_is_said_in_the_language_of_the_reader(self):
        with translation.override("es"):
            assert told(maritalStatus=WIDOWED) == [("Estado civil", ("Viudo o viuda",))]

    @pytest.mark.parametrize(
        "sent",
        [
            extension("us-core-birthsex", valueCode="x"),
            extension("us-core-birthsex", valueCode=["F"]),
            extension("patient-interpreterRequired", valueBoolean=False),
            extension("us-core-race", valueCodeableConcept={"coding": [coded("1096-7")]}),
            extension("us-core-race", extension=[{"url": "text", "valueString": 7}, None, "x"]),
            extension("us-core-genderIdentity", valueCodeableConcept={"coding": [coded("UNK", "Unknown")]}),
            {"url": 7, "valueString": "x"},
            {"url": "http://elsewhere.example/race", "valueString": "x"},
        ],
    )
    def test_is_none_where_nothing_is_said_that_anybody_can_read(self, sent):
        assert told(sent, maritalStatus={"coding": [{"code": "UNK"}]}) == []

    def test_of_many_is_told_in_part(self):
        many = [extension("us-core-race", extension=[{"url": "text", "valueString": str(n)}]) for n in range(99)]
        ((_label, said),) = told(*many)
        assert len(said) == 10

    def test_has_a_label_for_each_sort(self):
        assert set(demographics.LABELS) == set(demographics.TraitKind)
