"""A patient summary says that there is none of something only if nothing in the record may contradict it."""

from typing import Any

import pytest

from tests.records.exporting.keeping import keep, spoil
from tests.records.exporting.summarized import ALLERGIES, PROCEDURES, Summarized
from tests.records.linked import make_connection, make_endpoint
from tests.records.people import allergy

pytestmark = pytest.mark.django_db

SNOMED = "http://snomed.info/sct"
HIDDEN: dict[str, Any] = {"meta": {"security": [{"code": "masked"}]}}


def none(code):
    return {"coding": [{"system": SNOMED, "code": code}]}


def procedure(logical_id, **elements):
    return {"resourceType": "Procedure", "id": logical_id, "status": "completed", **elements}


def coded(found, loinc):
    return [coding["code"] for each in found.told(loinc) for coding in each["code"].get("coding", ())]


class TestThatThereIsNone:
    def test_is_certain_to_no_program_beside_what_another_provider_hides(self, alice):
        keep(make_connection(alice), allergy("a1", code=none("716186003")), procedure("p1", code=none("787480003")))
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(other, allergy("a2", **HIDDEN), procedure("p2", code={"text": "Canary"}, **HIDDEN))
        found = Summarized(alice)
        assert coded(found, ALLERGIES) == ["no-allergy-info", "1287211007"]
        assert found.section(PROCEDURES)["emptyReason"]["coding"][0]["code"] == "withheld"
        for loinc in (ALLERGIES, PROCEDURES):
            assert "1 entry is hidden by the provider." in found.words(loinc)

    def test_is_certain_to_no_program_beside_what_does_not_open(self, alice):
        connection = make_connection(alice)
        keep(connection, allergy("a1", code=none("716186003")), procedure("p1", code=none("787480003")))
        keep(connection, allergy("a2"), procedure("p2", code={"text": "Canary"}))
        spoil(connection, "AllergyIntolerance", "a2")
        spoil(connection, "Procedure", "p2")
        found = Summarized(alice)
        assert coded(found, ALLERGIES) == ["no-allergy-info", "1287211007"]
        assert found.section(PROCEDURES)["emptyReason"]["coding"][0]["code"] == "unavailable"

    def test_is_said_in_words_of_ours_where_it_came_as_a_code_alone(self, alice):
        keep(make_connection(alice), procedure("p1", code=none("787480003")))
        found = Summarized(alice)
        assert "No known procedures" in found.words(PROCEDURES)
        assert found.section(PROCEDURES)["emptyReason"]["coding"][0]["code"] == "nilknown"

    def test_is_not_refuted_by_that_there_is_none_of_something_else(self, alice):
        keep(make_connection(alice), allergy("a1", code=none("716186003")), allergy("a2", code=none("1003774007")))
        assert set(coded(Summarized(alice), ALLERGIES)) == {"no-known-allergies", "716186003", "1003774007"}
