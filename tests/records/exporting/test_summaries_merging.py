"""When entries are merged in a patient summary, nothing is lost that only one of them says."""

import pytest

from apps.records import shelving
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import PAST, PROBLEMS, RESULTS, VACCINES, VITALS, Summarized
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


def two(user, first, second):
    """A provider called Harbor that sends the first, and another called Brigid that sends the second."""
    for name, sent in (("Harbor", first), ("Brigid", second)):
        connection = make_connection(user, make_endpoint(f"https://{name.lower()}.example/r4"))
        connection.provider.name = name
        connection.provider.save()
        keep(connection, *sent)
        yield connection


class TestAConditionOfTwoProviders:
    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize(
        "other",
        [
            {"code": {**FRACTURE, "text": "Fracture of left femur"}},
            {"bodySite": [{"text": "Left"}]},
            {"verificationStatus": "provisional"},
            {"verificationStatus": "confirmed"},
            {"clinicalStatus": "remission"},
            {"onsetDateTime": "2020-01-01"},
            {"onsetString": "As a child"},
            {"recordedDate": "2024-05-06"},
            {"severity": {"text": "Severe"}},
            {"note": [{"text": "Never give her X"}]},
            {"severity": {"coding": [{"code": "24484000"}]}},
        ],
    )
    def test_stands_twice_where_anything_differs(self, alice, is_shelved, other):
        for connection in two(alice, [condition("c1")], [condition("c2", **other)]):
            if is_shelved:
                shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        assert len(found.told(PROBLEMS)) == 2
        assert "repeated" not in found.words(PROBLEMS)
        assert found.words(PROBLEMS).count("<td>Harbor</td>") == found.words(PROBLEMS).count("<td>Brigid</td>") == 1

    def test_never_has_a_date_of_one_beside_the_severity_of_the_other(self, alice):
        dated = condition("c1", onsetDateTime="2022-01-01")
        grave = condition("c2", onsetDateTime="2012-03-04", severity={"text": "Severe"}, note=[{"text": "Since birth"}])
        list(two(alice, [dated], [grave]))
        found = Summarized(alice)
        assert "Current</td><td>Started: January 1, 2022</td><td>Harbor</td>" in found.words(PROBLEMS)
        assert "Since birth</td><td>Started: March 4, 2012</td><td>Brigid</td>" in found.words(PROBLEMS)
        told = [(each.get("severity"), each["onsetDateTime"], each["identifier"]) for each in found.told(PROBLEMS)]
        assert told == [
            (None, "2022-01-01", [{"system": "https://harbor.example/r4/Condition", "value": "c1"}]),
            ({"text": "Severe"}, "2012-03-04", [{"system": "https://brigid.example/r4/Condition", "value": "c2"}]),
        ]

    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_is_said_by_both_where_they_say_the_very_same(self, alice, is_shelved):
        same = {"onsetDateTime": "2022-01-01", "severity": {"text": "Severe"}}
        for connection in two(alice, [condition("c1", **same)], [condition("c2", **same)]):
            if is_shelved:
                shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        assert "<td>Started: January 1, 2022</td><td>Harbor, Brigid</td>" in found.words(PROBLEMS)
        (told,) = found.told(PROBLEMS)
        assert [each["system"] for each in told["identifier"]] == [
            f"https://{name}.example/r4/Condition" for name in ("harbor", "brigid")
        ]
        targets = [each["target"] for each in found.of_type("Provenance")]
        assert targets == [[{"reference": f"urn:uuid:{told['id']}"}]] * 2

    def test_is_not_said_by_one_that_changed_it_since_its_shelf_was_built(self, alice):
        connections = list(two(alice, [condition("c1")], [condition("c2")]))
        for connection in connections:
            shelving.rebuild_all(connection, at=AT)
        keep(connections[0], condition("c1", severity={"text": "Severe"}))
        words = Summarized(alice).words(PROBLEMS)
        assert "<td>Current; Severity: Severe</td><td></td><td>Harbor</td>" in words
        assert "<td>Current</td><td></td><td>Brigid</td>" in words

    def test_stands_beside_what_the_other_calls_so(self, alice):
        asthma = {"code": {"text": "Asthma"}}
        mine = [condition("c1", onsetDateTime="2024-01-01"), condition("a1", onsetDateTime="2023-01-01", **asthma)]
        list(two(alice, mine, [condition("c2", onsetDateTime="2001-01-01")]))
        told = [each["code"]["text"] for each in Summarized(alice).told(PROBLEMS)]
        assert told == ["Fracture of femur", "Fracture of femur", "Asthma"]


class TestAConditionThatOneProviderSendsTwice:
    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize(
        ("older", "count"),
        [
            ({}, 1),
            ({"onsetDateTime": "2012-01-01"}, 2),
            ({"severity": {"text": "Severe"}}, 2),
            ({"note": [{"text": "Never give her X"}]}, 2),
        ],
    )
    def test_is_told_once_where_only_the_day_it_was_written_down_differs(self, alice, is_shelved, older, count):
        connection = make_connection(alice)
        older = condition("c1", recordedDate="2020-02-03", **older)
        keep(connection, older, condition("c2", recordedDate="2024-05-06"))
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        assert len(found.told(PROBLEMS)) == count
        assert ("older or repeated: 1." in found.words(PROBLEMS)) is (count == 1)
        assert "2024-05-06" in str(found.told(PROBLEMS))

    def test_is_told_as_of_the_newest_visit_at_which_it_was_noted(self, alice):
        at_a_visit = {"category": [{"coding": [{"code": "encounter-diagnosis"}]}]}
        visits = [condition(f"c{day}", onsetDateTime=f"2024-05-0{day}", **at_a_visit) for day in (1, 2, 3)]
        keep(make_connection(alice), *visits, condition("c4", severity={"text": "Severe"}, **at_a_visit))
        told = Summarized(alice).told(PROBLEMS)
        assert [each.get("onsetDateTime") for each in told] == ["2024-05-03", None]

    def test_is_not_called_over_among_those_of_the_past_where_it_is_of_now(self, alice):
        keep(make_connection(alice), condition("c1"))
        found = Summarized(alice)
        assert len(found.told(PROBLEMS)) == 1
        assert "over, ruled out" not in found.words(PAST)

    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_is_called_over_among_those_of_now_nowhere_where_it_is_of_the_past(self, alice, is_shelved):
        connection = make_connection(alice)
        over = {"clinicalStatus": {"coding": [{"code": "resolved"}]}}
        ruled_out = condition("c3", verificationStatus={"coding": [{"code": "refuted"}]}, code={"text": "Canary"})
        possible = {"verificationStatus": {"coding": [{"code": "provisional"}]}, "code": {"text": "Perhaps"}}
        keep(connection, condition("c1", **over), condition("c2", **over, **possible), ruled_out)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        assert (len(found.told(PAST)), "over, ruled out or not done: 1." in found.words(PROBLEMS)) == (2, True)


class TestWhatTwoProvidersSend:
    """Of any kind: code, date and all else are equal, or both stand (patient experience 3.0)."""

    FLU = {"resourceType": "Immunization", "id": "i1", "status": "completed", "vaccineCode": {"text": "Flu"}}
    PACEMAKER = {"resourceType": "Device", "id": "d1", "status": "active", "type": {"text": "Pacemaker"}}

    @pytest.mark.parametrize(
        ("other", "count"), [({}, 1), ({"lotNumber": "X2"}, 2), ({"occurrenceDateTime": "2021"}, 2)]
    )
    def test_stands_once_where_they_say_the_very_same(self, alice, other, count):
        given = {**self.FLU, "occurrenceDateTime": "2020-01-02", "lotNumber": "X1"}
        list(two(alice, [given], [{**given, **other}]))
        found = Summarized(alice)
        assert len(found.told(VACCINES)) == count
        assert ("<td>Harbor, Brigid</td>" in found.words(VACCINES)) is (count == 1)
        assert "repeated" not in found.words(VACCINES)

    @pytest.mark.parametrize(("other", "count"), [({}, 1), ({"serialNumber": "7"}, 2)])
    def test_is_one_device_only_where_it_is_in_every_part(self, alice, other, count):
        list(two(alice, [self.PACEMAKER], [{**self.PACEMAKER, **other}]))
        found = Summarized(alice)
        assert len(found.of_type("Device")) == count + 1  # the program that put it together
        assert sum(len(each["target"]) for each in found.of_type("Provenance")) == 4

    def test_is_told_as_often_as_one_of_them_tells_it(self, alice):
        twice = [self.FLU, {**self.FLU, "id": "i2"}]
        list(two(alice, twice, twice[:1]))
        words = Summarized(alice).words(VACCINES)
        assert words.count("<td>Flu</td>") == 2
        assert words.count("<td>Harbor, Brigid</td>") == 1

    def test_is_never_one_where_each_brings_results_of_its_own(self, alice):
        inside = {"contained": [result("in")], "result": [{"reference": "#in"}]}
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": {"text": "Salts"}, **inside}
        list(two(alice, [report], [report]))
        assert len(Summarized(alice).of_type("DiagnosticReport")) == 2


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
    def test_takes_the_place_only_of_one_that_groups_results_and_says_nothing_else(self, alice, older, count):
        report = {**result("r1", result=[{"reference": "Observation/o1"}]), "resourceType": "DiagnosticReport"}
        keep(make_connection(alice), report, {**report, "id": "r2", "effectiveDateTime": "2024-01-02", **older})
        assert len(Summarized(alice).of_type("DiagnosticReport")) == count

    def test_takes_the_place_of_one_that_says_the_very_same(self, alice):
        report = {**result("r1", result=[{"reference": "Observation/o1"}]), "resourceType": "DiagnosticReport"}
        said = {"conclusion": "Compare with the goal", "conclusionCode": [{"text": "Well"}]}
        older = {"id": "r2", "effectiveDateTime": "2024-01-02"}
        keep(make_connection(alice), {**report, **said}, {**report, **said, **older})
        (only,) = Summarized(alice).of_type("DiagnosticReport")
        assert only["effectiveDateTime"] == "2025-01-02"

    def test_keeps_a_result_that_another_provider_tells_in_the_very_same_words(self, alice):
        said = {"code": {}, "valueString": "5"}  # of no test that we know: the newest takes no other's place
        sent = {"resourceType": "DiagnosticReport", "result": [{"reference": "Observation/o1"}]}
        reports = [{**result(number), **sent} for number in ("r1", "r2")]
        list(two(alice, *([result("o1", **said), report] for report in reports)))
        found = Summarized(alice)
        assert len(found.of_type("Observation")) == 1
        (newest,) = found.of_type("DiagnosticReport")
        assert found.named(newest["result"]) == found.of_type("Observation")
