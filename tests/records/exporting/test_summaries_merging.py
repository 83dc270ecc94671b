"""Of what stands for one another in a patient summary nothing is lost that says something else."""

import pytest

from apps.records import shelving
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import PAST, PROBLEMS, RESULTS, VITALS, Summarized
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

FRACTURE = {"coding": [{"system": "http://snomed.info/sct", "code": "71620000"}], "text": "Fracture of femur"}


def condition(logical_id, **elements):
    return {
        "resourceType": "Condition", "id": logical_id, "code": FRACTURE, "clinicalStatus": "active", **elements,
    }  # fmt: skip


def result(logical_id, **elements):
    return {
        "resourceType": "Observation", "id": logical_id, "status": "final", "code": {"text": "Glucose"},
        "effectiveDateTime": "2025-01-02", "valueString": logical_id, **elements,
    }  # fmt: skip


class TestAConditionOfTwoProviders:
    @pytest.mark.parametrize(
        ("other", "count"),
        [
            ({}, 1),
            ({"onsetDateTime": "2020-01-01", "verificationStatus": "confirmed"}, 1),
            ({"code": {**FRACTURE, "text": "Fracture of left femur"}}, 2),
            ({"bodySite": [{"text": "Left"}]}, 2),
            ({"verificationStatus": "provisional", "onsetDateTime": "2020-01-01"}, 2),
            ({"clinicalStatus": "remission", "onsetDateTime": "2020-01-01"}, 2),
        ],
    )
    def test_is_one_only_where_both_say_the_same(self, alice, other, count):
        keep(make_connection(alice), condition("c1"))
        keep(make_connection(alice, make_endpoint("https://other.example/r4")), condition("c2", **other))
        found = Summarized(alice)
        assert len(found.told(PROBLEMS)) == count
        assert ("older or said again: 1." in found.words(PROBLEMS)) is (count == 1)

    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_is_said_by_both(self, alice, is_shelved):
        for number, name in enumerate(("Harbor", "Brigid", "Harbor")):
            connection = make_connection(alice, make_endpoint(f"https://{number}.example/r4"))
            connection.provider.name = name
            connection.provider.save()
            keep(connection, condition(f"c{number}", onsetDateTime=f"202{number}-01-01"))
            if is_shelved:
                shelving.rebuild_all(connection, at=AT)
        words = Summarized(alice).words(PROBLEMS)
        assert "<td>Started: January 1, 2022</td><td>Harbor, Brigid</td>" in words

    def test_is_not_called_over_among_those_of_the_past_where_it_is_of_now(self, alice):
        keep(make_connection(alice), condition("c1"))
        found = Summarized(alice)
        assert len(found.told(PROBLEMS)) == 1
        assert "over, ruled out" not in found.words(PAST)


class TestANewerResult:
    @pytest.mark.parametrize(
        ("newer", "count"),
        [
            ({}, 1),
            ({"status": "registered", "valueString": None}, 2),
            ({"valueString": None, "dataAbsentReason": {"coding": [{"code": "not-performed"}]}}, 2),
            ({"specimen": {"display": "Urine"}}, 2),
            ({"bodySite": {"text": "Left arm"}}, 2),
        ],
    )
    def test_hides_no_older_one_that_says_something_else(self, alice, newer, count):
        newer = result("newer", effectiveDateTime="2026-01-02", **newer)
        vital = {"category": [{"coding": [{"code": "vital-signs"}]}]}
        keep(make_connection(alice), result("older"), newer, result("v1", **vital), {**newer, "id": "v2", **vital})
        found = Summarized(alice)
        assert len(found.told(RESULTS)) == len(found.told(VITALS)) == count


class TestANewerReport:
    @pytest.mark.parametrize(
        ("older", "count"),
        [
            ({}, 1),
            ({"conclusion": "Normal"}, 2),
            ({"codedDiagnosis": [{"text": "Anemia"}]}, 2),
            ({"contained": [result("in")]}, 2),
            ({"result": []}, 2),
        ],
    )
    def test_takes_the_place_only_of_one_that_groups_results_and_says_nothing_itself(self, alice, older, count):
        report = {**result("r1", result=[{"reference": "Observation/o1"}]), "resourceType": "DiagnosticReport"}
        keep(make_connection(alice), report, {**report, "id": "r2", "effectiveDateTime": "2024-01-02", **older})
        assert len(Summarized(alice).of_type("DiagnosticReport")) == count
