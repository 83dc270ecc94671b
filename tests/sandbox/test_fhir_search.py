"""Searches: whose rows they find, what is required, and what each parameter narrows (interface facts 1.3 and 1.4)."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sandbox import scenarios

R4 = "/a/r4/fhir/r4"
DSTU2 = "/a/dstu2/fhir/dstu2"


@pytest.fixture
def theo(person, token_of, get):
    """Theo's token and id in R4."""
    person("theo")
    token = token_of("theo", "r4")
    return token, get(f"{R4}/Patient", token).json()["id"]


@pytest.fixture
def found(get, theo):
    """The resources of an R4 search of Theo's."""
    token, patient = theo

    def found(search):
        answer = get(f"{R4}/{search.format(patient=patient)}", token)
        assert answer.status_code == 200, answer.content
        return [entry["resource"] for entry in answer.json().get("entry", [])]

    return found


class TestPatientParameter:
    @pytest.mark.conformance("X17")
    @pytest.mark.parametrize("search", ["Condition", "Observation?category=laboratory", "Encounter?date=ge2020"])
    def test_is_compulsory(self, get, theo, search):
        assert get(f"{R4}/{search}", theo[0]).status_code == 400

    @pytest.mark.conformance("X17")
    def test_of_somebody_else_is_refused(self, person, token_of, get, theo):
        person("ines")
        ines = get(f"{R4}/Patient", token_of("ines", "r4")).json()["id"]
        answer = get(f"{R4}/Immunization?patient={ines}", theo[0])
        assert answer.status_code == 403
        assert b"FX2609" not in answer.content

    @pytest.mark.conformance("X17")
    def test_of_somebody_else_beside_the_own_is_refused(self, person, token_of, get, theo):
        person("ines")
        ines = get(f"{R4}/Patient", token_of("ines", "r4")).json()["id"]
        assert get(f"{R4}/Immunization?patient={theo[1]}&patient={ines}", theo[0]).status_code == 403

    @pytest.mark.conformance("X17")
    @pytest.mark.parametrize("spelling", ["patient={id}", "patient=Patient/{id}", "subject:Patient={id}"])
    def test_is_taken_in_each_spelling(self, get, theo, spelling):
        bundle = get(f"{R4}/Condition?{spelling.format(id=theo[1])}", theo[0]).json()
        assert bundle["total"] == 2

    def test_is_not_needed_for_what_belongs_to_the_practice(self, get, theo):
        names = [entry["resource"]["name"] for entry in get(f"{R4}/Organization", theo[0]).json()["entry"]]
        assert "Willow Creek Family Medicine" in names

    def test_may_be_left_out_beside_an_id_of_the_own(self, get, theo, found):
        own = found("Condition?patient={patient}")[0]["id"]
        assert [row["id"] for row in found(f"Condition?_id={own}")] == [own]

    def test_left_out_beside_an_id_finds_nobody_elses(self, person, token_of, get, theo):
        person("ines")
        token = token_of("ines", "r4")
        ines = get(f"{R4}/Patient", token).json()["id"]
        foreign = get(f"{R4}/Immunization?patient={ines}", token).json()["entry"][0]["resource"]["id"]
        assert get(f"{R4}/Immunization?_id={foreign}", theo[0]).json()["total"] == 0


class TestCompulsoryParameters:
    @pytest.mark.conformance("X21")
    @pytest.mark.parametrize(
        ("dialect", "care_plan", "observation"), [("a-like", 404, 400), ("b-like", 400, 400), ("lenient", 200, 200)]
    )
    @pytest.mark.parametrize("base", [R4, DSTU2])
    def test_follow_the_dialect(self, person, token_of, get, base, dialect, care_plan, observation):
        person("theo")
        token = token_of("theo", base.rpartition("/")[2])
        patient = get(f"{base}/Patient", token).json()["id"]
        scenarios.choose("required_parameters", dialect)
        assert get(f"{base}/CarePlan?patient={patient}", token).status_code == care_plan
        assert get(f"{base}/Observation?patient={patient}", token).status_code == observation
        assert get(f"{base}/CarePlan?patient={patient}&category=assess-plan", token).json()["total"] == 1
        assert get(f"{base}/Observation?patient={patient}&category=vital-signs", token).status_code == 200
        assert get(f"{base}/Observation?patient={patient}&code=72166-2", token).status_code == 200

    @pytest.mark.conformance("X21")
    def test_are_refused_in_plain_text_by_the_b_like_dialect(self, get, theo):
        scenarios.choose("required_parameters", "b-like")
        answer = get(f"{R4}/Observation?patient={theo[1]}", theo[0])
        assert answer["Content-Type"].startswith("text/plain")

    @pytest.mark.conformance("X21")
    def test_unknown_parameters_are_refused_by_the_b_like_dialect_alone(self, get, theo):
        search = f"{R4}/Condition?patient={theo[1]}&shoe-size=44"
        assert get(search, theo[0]).status_code == 200
        scenarios.choose("required_parameters", "b-like")
        assert get(search, theo[0]).status_code == 400

    @pytest.mark.conformance("X21")
    def test_can_include_a_status(self, get, theo):
        scenarios.choose("required_parameters", "status-demanded")
        search = f"{R4}/Immunization?patient={theo[1]}"
        assert get(search, theo[0]).status_code == 400
        assert get(f"{search}&status=completed,not-done,entered-in-error", theo[0]).json()["total"] == 9


class TestSearchOfAType:
    @pytest.mark.parametrize("resource_type", ["Appointment", "Account", "Nonsense"])
    def test_that_is_not_served_is_forbidden(self, get, theo, resource_type):
        assert get(f"{R4}/{resource_type}?patient={theo[1]}", theo[0]).status_code == 403

    def test_of_provenance_is_not_implemented(self, get, theo):
        assert get(f"{R4}/Provenance?patient={theo[1]}", theo[0]).status_code == 400

    def test_with_an_id_that_is_none_is_a_bad_request(self, get, theo):
        assert get(f"{R4}/Organization/not_an_id", theo[0]).status_code == 400


class TestToken:
    def test_finds_a_code_of_any_system(self, found):
        rows = found("Observation?patient={patient}&code=85354-9&_count=250")
        assert len(rows) == 13
        assert {row["code"]["coding"][0]["code"] for row in rows} == {"85354-9"}

    def test_finds_a_code_of_its_system_only(self, found):
        assert len(found("Observation?patient={patient}&code=http://loinc.org|85354-9")) == 13
        assert found("Observation?patient={patient}&code=http://snomed.info/sct|85354-9") == []

    def test_with_a_comma_means_or(self, found):
        rows = found("Observation?patient={patient}&code=85354-9,http://loinc.org|72166-2&_count=250")
        assert {row["code"]["coding"][0]["code"] for row in rows} == {"85354-9", "72166-2"}

    def test_given_twice_means_and(self, found):
        assert found("Observation?patient={patient}&code=85354-9&code=72166-2") == []

    def test_narrows_a_plain_code_element(self, found):
        assert [row["status"] for row in found("MedicationRequest?patient={patient}&status=stopped")] == ["stopped"]

    def test_narrows_conditions_by_clinical_status_in_both_versions(self, person, token_of, get, found):
        assert len(found("Condition?patient={patient}&clinical-status=active")) == 1
        token = token_of("theo", "dstu2")
        patient = get(f"{DSTU2}/Patient", token).json()["id"]
        bundle = get(f"{DSTU2}/Condition?patient={patient}&clinicalstatus=resolved", token).json()
        assert [entry["resource"]["clinicalStatus"] for entry in bundle["entry"]] == ["resolved"]


class TestDate:
    @pytest.mark.parametrize(
        ("date", "days"),
        [
            ("2023-05-09", ["2023-05-09"]),
            ("le2017", ["2017-05-09"]),
            ("lt2017-05-09", []),
            ("2023", ["2023-03-20", "2023-03-22", "2023-05-09"]),
            ("ge2023-03-01&date=lt2023-04-01", ["2023-03-20", "2023-03-22"]),
            ("ge2024-05-09", ["2024-05-09", "2025-05-09", "2026-05-09"]),
            ("gt2024-05-09", ["2025-05-09", "2026-05-09"]),
            ("gt2025-05-09T14:00:00-05:00", ["2025-05-09", "2026-05-09"]),
        ],
    )
    def test_narrows_by_prefix_and_by_what_a_partial_date_means(self, found, date, days):
        rows = found(f"Encounter?patient={{patient}}&date={date}")
        assert sorted(row["period"]["start"][:10] for row in rows) == days

    def test_that_is_none_is_a_bad_request(self, get, theo):
        assert get(f"{R4}/Encounter?patient={theo[1]}&date=yesterday", theo[0]).status_code == 400

    @pytest.mark.parametrize("prefix", ["ge", "gt", "le", "lt"])
    def test_of_the_last_update_splits_the_rows(self, found, prefix):
        rows = found(f"Immunization?patient={{patient}}&_lastUpdated={prefix}2022-01-01T00:00:00Z")
        later = [row["meta"]["lastUpdated"] >= "2022-01-01" for row in rows]
        assert rows
        assert all(later) if prefix in ("ge", "gt") else not any(later)


class TestText:
    def test_finds_names_by_their_beginning_in_any_case(self, get, theo):
        bundle = get(f"{R4}/Practitioner?name=fin", theo[0]).json()
        assert [entry["resource"]["name"][0]["family"] for entry in bundle["entry"]] == ["Finch"]

    def test_takes_wildcards_as_letters(self, get, theo):
        assert get(f"{R4}/Practitioner?name=%25", theo[0]).json()["total"] == 0


class TestAnySearch:
    @pytest.mark.parametrize("path", ["Condition?_id=%00&patient={}", "Condition/%00", "Observation?patient=%00"])
    def test_with_a_nul_is_a_bad_request(self, get, theo, path):
        assert get(f"{R4}/{path.format(theo[1])}", theo[0]).status_code == 400

    @given(
        pairs=st.lists(
            st.tuples(
                st.sampled_from(["_id", "_lastUpdated", "_count", "page", "category", "code", "date", "status", "x"]),
                st.text(max_size=30) | st.from_regex(r"(ge|lt|ap)?\d{1,5}(-\d{1,3}){0,2}(T\d\d)?", fullmatch=True),
            ),
            max_size=5,
        )
    )
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
    def test_is_answered_or_refused_and_never_fails(self, get, theo, pairs):
        query = urlencode([("patient", theo[1]), ("category", "vital-signs"), *pairs])
        answer = get(f"{R4}/Observation?{query}", theo[0])
        assert answer.status_code in (200, 400, 403)
        assert json.loads(answer.content)["resourceType"] in ("Bundle", "OperationOutcome")
