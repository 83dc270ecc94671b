"""The name and the codes of a CodeableConcept, whatever was sent in its place."""

import pytest
from hypothesis import given

from apps.records.presenters import codeable_concepts, heads
from apps.records.presenters.entry import Code
from tests.records.presenters.oddities import ANYTHING

ABSENT_CODES = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
NULLS = "http://hl7.org/fhir/v3/NullFlavor"
SNOMED = "http://snomed.info/sct"


class TestTheTitle:
    @pytest.mark.parametrize(
        ("concept", "title"),
        [
            ({"text": "Hay fever", "coding": [{"display": "Allergic rhinitis"}]}, "Hay fever"),
            ({"coding": [{"code": "1"}, {"code": "2", "display": "Allergic rhinitis"}]}, "Allergic rhinitis"),
            ({"coding": [{"code": "J30.1"}]}, ""),
            ({"text": "J30.1", "coding": [{"code": "J30.1", "display": "Hay fever"}]}, "Hay fever"),
            ({"text": "CBC", "coding": [{"code": "CBC"}]}, "CBC"),
            ({"text": "ECG_LEAD_II", "coding": [{"code": "9", "display": "Lead II"}]}, "Lead II"),
            ({"coding": [{"display": "ECG_LEAD_II"}, {"display": "Lead II"}]}, "Lead II"),
            ({"coding": [{"display": "ECG_LEAD_II"}, {"display": "9-9"}]}, "ECG_LEAD_II"),
            ({"text": "TSH", "coding": [{"code": "TSH_SERUM", "display": "Thyrotropin"}]}, "TSH"),
            ({"system": SNOMED, "code": "1", "display": "A coding alone"}, "A coding alone"),
            ("A text alone", "A text alone"),
            ({"text": "Unknown"}, ""),
            ({"coding": [{"system": ABSENT_CODES, "code": "unknown", "display": "Unknown"}]}, ""),
            ({"text": "No Information", "coding": [{"system": NULLS, "code": "NI", "display": "No information"}]}, ""),
            ({}, ""),
            (None, ""),
            (["Hay fever"], ""),
        ],
    )
    def test_is_what_the_provider_calls_it(self, concept, title):
        assert codeable_concepts.title_of(concept) == title

    @pytest.mark.parametrize("said", ["-", "--", ".", "N/A", "n/a", "NA", "null", "Unknown", "None"])
    @pytest.mark.parametrize("sent", ["text", "display"])
    def test_is_not_what_stands_in_place_of_one(self, said, sent):
        first = {"coding": [{"display": "Blood count"}]}
        first = {**first, "text": said} if sent == "text" else {"coding": [{"display": said}, *first["coding"]]}
        assert codeable_concepts.name_in(first) == "Blood count"
        assert heads.head({"resourceType": "Observation", "code": first}, first)["title"] == "Blood count"
        assert codeable_concepts.first_name(("", said, "Blood count")) == "Blood count"
        assert said == "None" or codeable_concepts.title_of(first) == "Blood count"

    @pytest.mark.parametrize("said", ["-", "--", ".", "null"])
    def test_is_none_rather_than_a_sign_that_says_nothing(self, said):
        assert (
            codeable_concepts.name_in({"text": said})
            == codeable_concepts.name_in(said)
            == codeable_concepts.first_name((said,))
            == ""
        )
        assert codeable_concepts.title_of({"text": said}) == said

    @pytest.mark.parametrize("said", ["N/A", "NA", "None"])
    def test_is_what_stands_in_place_of_one_where_nothing_else_does(self, said):
        assert codeable_concepts.name_in({"text": said}) == codeable_concepts.first_name(("-", said)) == said

    def test_is_no_abbreviation_of_nothing_where_a_code_tells_more(self):
        assert codeable_concepts.name_in({"text": "N/A", "coding": [{"code": "1"}]}) == ""
        assert codeable_concepts.name_in({"text": "NA", "coding": [{"code": "1"}]}) == "NA"

    def test_is_sodium_as_laboratories_write_it(self):
        assert codeable_concepts.name_in({"text": "Na", "coding": [{"display": "Sodium"}]}) == "Na"

    @pytest.mark.parametrize("kind", ["AllergyIntolerance", "Condition", "MedicationStatement"])
    def test_is_none_where_that_says_that_there_is_nothing_of_the_kind(self, kind):
        concept = {"text": "None", "coding": [{"display": "Allergy to substance"}]}
        assert heads.head({"resourceType": kind, "code": concept}, concept)["title"] == "None"

    def test_is_none_where_that_is_a_value(self):
        assert codeable_concepts.title_of({"text": "None", "coding": [{"display": "None (qualifier value)"}]}) == "None"

    @pytest.mark.parametrize("said", ["MDC_ECG_ELEC_POTL_II", "bp_systolic", "718-7", "314076", "J30.1", "urn:oid:1.2"])
    def test_can_be_a_code_that_was_sent_as_a_name(self, said):
        assert codeable_concepts.is_code(said)

    @pytest.mark.parametrize(
        "said",
        ["TSH", "CBC", "HIV 1 RNA", "COVID-19", "CO2", "B12", "SpO2", "17-OHP", "A_1 of two", "_", "", "St. Mary's"],
    )
    def test_is_a_name_though_it_is_short_or_in_capitals(self, said):
        assert not codeable_concepts.is_code(said)

    @given(ANYTHING)
    def test_is_text_whatever_is_sent(self, concept):
        assert isinstance(codeable_concepts.title_of(concept), str)
        assert isinstance(codeable_concepts.codes_of(concept), tuple)


class TestTheCodes:
    def test_are_all_that_were_sent_once_each(self):
        coding = {"system": SNOMED, "code": "1", "display": "One"}
        assert codeable_concepts.codes_of({"coding": [coding, coding, {}, {"code": "2"}]}) == (
            Code(SNOMED, "1", "One"),
            Code("", "2", ""),
        )
