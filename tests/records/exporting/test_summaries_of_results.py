"""Results in a patient summary keep what is said beside a value, because it can change what the value means."""

import pytest

from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import MEDICINES, RESULTS, Summarized
from tests.records.linked import make_connection

pytestmark = pytest.mark.django_db

TABLE = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation"


def result(logical_id="o1", **elements):
    return {
        "resourceType": "Observation", "id": logical_id, "status": "final", "code": {"text": "Canary"}, **elements,
    }  # fmt: skip


def told(alice, **elements):
    keep(make_connection(alice), result(**elements))
    found = Summarized(alice)
    (only,) = found.told(RESULTS)
    return only, found.words(RESULTS)


class TestAResult:
    @pytest.mark.parametrize(
        ("sent", "written"),
        [
            ({"coding": [{"system": "http://hl7.org/fhir/v2/0078", "code": "H"}]}, {"system": TABLE, "code": "H"}),
            ({"coding": [{"code": "H"}]}, {"system": TABLE, "code": "H"}),
            ({"coding": [{"system": "urn:lab", "code": "A"}]}, {"system": "urn:lab", "code": "A"}),
        ],
    )
    def test_has_a_mark_of_the_standard_only_where_it_was_of_its_table(self, alice, sent, written):
        only, _words = told(alice, valueString="v", interpretation=sent)
        assert only["interpretation"] == [{"coding": [written]}]

    def test_says_of_a_part_without_a_value_what_the_laboratory_says(self, alice):
        works = [{"coding": [{"code": "R", "display": "Resistant"}]}]
        only, words = told(alice, component=[{"code": {"text": "Ciprofloxacin"}, "interpretation": works}])
        assert only["component"][0]["interpretation"] == [{"coding": [{"system": TABLE, "code": "R"}]}]
        assert "Ciprofloxacin: In the lab the medicine does not work against the germ" in words

    def test_says_what_its_range_is_of_and_for_whom(self, alice):
        aim = {"coding": [{"code": "treatment"}]}
        sent = {"low": {"value": 2}, "high": {"value": 3}, "appliesTo": [{"text": "With a new valve"}],
                "age": {"low": {"value": 18, "unit": "a"}}}  # fmt: skip
        only, _words = told(alice, valueString="v", referenceRange=[{**sent, "type": aim}, {**sent, "meaning": aim}])
        assert only["referenceRange"] == [{**sent, "type": aim}] * 2

    @pytest.mark.parametrize("high", [{"value": 9, "comparator": "about"}, {"value": 9, "comparator": "<"}])
    def test_makes_no_other_range_of_one_that_cannot_be_read(self, alice, high):
        only, _words = told(alice, valueString="v", referenceRange=[{"low": {"value": 2}, "high": high}])
        assert only["referenceRange"] == [{"text": f"2 - {high['comparator']} 9"}]

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ({"valueDateTime": "about Easter"}, "“about Easter”"),
            ({"valuePeriod": {"start": "2019-01-01", "end": "2019-02-01"}}, "January 1 to February 1, 2019"),
            ({"valuePeriod": {"start": "2019-02-01", "end": "2019-01-01"}}, "February 1, 2019 to January 1, 2019"),
            ({"valueAttachment": {"title": "Curve", "url": "https://lab.example/1"}}, "Curve"),
        ],
    )
    def test_says_in_words_what_it_says_stands_there(self, alice, value, said):
        only, words = told(alice, **value)
        assert f"<td>{said}</td>" in words
        is_as_text = "as-text" in str(only.get("dataAbsentReason"))
        assert is_as_text or only["valuePeriod"] == value["valuePeriod"]

    @pytest.mark.parametrize(("low", "high", "is_range"), [("9", "2", False), ("2", "9", True)])
    def test_writes_no_range_that_ends_before_it_begins(self, alice, low, high, is_range):
        bounds = {"low": {"value": low}, "high": {"value": high}}
        only, words = told(alice, valueRange=bounds, referenceRange=[{"text": "Canary", "age": bounds}])
        assert ("valueRange" in only) is is_range
        assert ("age" in only["referenceRange"][0]) is is_range
        assert (only["referenceRange"][0].get("appliesTo") == [{"text": "9 - 2"}]) is not is_range
        assert f"<td>{low} to {high}</td>" in words

    @pytest.mark.parametrize(
        ("value", "code"),
        [({"valueInteger": 9}, {"text": "Canary"}), ({}, {"coding": [{"code": "9"}], "text": "Canary"})],
    )
    def test_has_no_part_of_its_own_code_beside_a_value(self, alice, value, code):
        same = {"coding": [{"code": "9"}], "text": "Canary"}
        only, _words = told(alice, code=same, component=[{"code": same, "valueInteger": 8}], **value)
        assert [part["code"] for part in only["component"]] == [code]

    @pytest.mark.parametrize(
        "members",
        [
            {"hasMember": [{"reference": "Observation/o2"}]},
            {"related": [{"type": "has-member", "target": {"reference": "Observation/o2"}}]},
        ],
    )
    def test_is_no_unknown_value_where_its_members_have_the_values(self, alice, members):
        only, _words = told(alice, **members)
        assert only["dataAbsentReason"]["coding"][0]["code"] == "not-applicable"

    @pytest.mark.parametrize(("sent", "code"), [("imaging", "imaging"), ("SURVEY", "survey"), ("LAB", "laboratory")])
    def test_is_of_the_kind_that_its_provider_says_also_inside_a_report(self, alice, sent, code):
        of_kind = result(category=[{"coding": [{"code": sent}]}], valueString="v")
        report = {**of_kind, "resourceType": "DiagnosticReport", "id": "r1", "contained": [of_kind]}
        keep(make_connection(alice), of_kind, report)
        kinds = [each["category"][0]["coding"][0]["code"] for each in Summarized(alice).of_type("Observation")]
        assert kinds == [code, code]

    def test_that_is_about_somebody_else_says_so(self, alice):
        only, words = told(alice, valueString="140", focus=[{"display": "Unborn child"}])
        assert only["focus"] == [{"display": "Unborn child"}]
        assert "Canary (Unborn child)" in words


class TestADate:
    def test_of_a_zone_that_is_none_is_a_day(self, alice):
        only, _words = told(alice, effectiveDateTime="2019-01-01T10:00:00+23:00")
        assert only["effectiveDateTime"] == "2019-01-01"

    @pytest.mark.parametrize(
        ("start", "end", "is_written"),
        [
            ("2020-01-01", "2019-01-01", False), ("2020-05", "2020", True), ("2021-05", "2020", False),
            ("2020-01-02T01:00:00+12:00", "2020-01-01T20:00:00Z", True),
        ],
    )  # fmt: skip
    def test_of_a_period_is_not_written_where_it_ends_before_it_starts(self, alice, start, end, is_written):
        period = {"start": start, "end": end}
        taken = {"resourceType": "MedicationStatement", "id": "m1", "status": "active", "effectivePeriod": period}
        keep(make_connection(alice), {**taken, "medicationCodeableConcept": {"text": "Canary"}})
        (only,) = Summarized(alice).told(MEDICINES)
        assert (only.get("effectivePeriod") == period) is is_written
        assert ("_effectiveDateTime" in only) is not is_written
