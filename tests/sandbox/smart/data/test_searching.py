"""Searches, pages, media types and refusals of interface B (interface facts 1.4, 1.7, 3.12, 5.5)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from tests.sandbox.smart.data.conftest import observation
from tests.sandbox.smart.literal import WILLOW

ROOT = f"/b/myrecord/r4/{WILLOW}"
LABORATORY = f"{ROOT}/Observation?patient=r-ada&category=laboratory"


@pytest.fixture
def opened(token):
    return token("launch/patient patient/Patient.read patient/Observation.read patient/Goal.read patient/Coverage.read")


class TestSearch:
    @pytest.mark.conformance("X21")
    @pytest.mark.parametrize("path", ["Goal", "Goal?lifecycle-status=active", "Observation?category=laboratory"])
    def test_without_a_patient_is_refused_in_plain_text(self, opened, get, path):
        answer = get(f"{ROOT}/{path}", opened)
        assert answer.status_code == 400
        assert answer["Content-Type"].startswith("text/plain")
        assert b"is searched by patient" in answer.content

    @pytest.mark.conformance("X21")
    def test_for_patients_names_what_it_needs(self, opened, get):
        answer = get(f"{ROOT}/Patient", opened)
        assert answer.status_code == 400
        assert answer["Content-Type"].startswith("text/plain")
        assert b"_id, _lastUpdated, identifier, name" in answer.content

    def test_for_patients_can_find_those_of_the_token(self, opened, get):
        scenarios.choose("smart_patient_search", "bundle")
        assert get(f"{ROOT}/Patient", opened).json()["resourceType"] == "Bundle"
        scenarios.choose("smart_patient_search", "patient")
        assert get(f"{ROOT}/Patient", opened).json()["id"] == "r-ada"

    @pytest.mark.conformance("X21")
    def test_with_an_unknown_parameter_is_refused(self, opened, get):
        answer = get(f"{LABORATORY}&colour=blue", opened)
        assert (answer.status_code, answer.content) == (400, b"colour is not supported")

    @pytest.mark.conformance("X21")
    def test_needs_less_when_switched(self, opened, get):
        scenarios.choose("smart_required_parameters", "lenient")
        assert get(f"{ROOT}/Observation?patient=r-ada&colour=blue", opened).json()["total"] == 1

    @pytest.mark.parametrize("parameter", ["_count=10", "_lastUpdated=ge2020-01-01", "_revinclude=Provenance:target"])
    def test_refuses_what_it_can_do_without_when_switched(self, opened, get, parameter):
        assert get(f"{LABORATORY}&{parameter}", opened).status_code == 200
        scenarios.choose("smart_optional_parameters", "refused")
        answer = get(f"{LABORATORY}&{parameter}", opened)
        assert answer.status_code == 400
        assert answer.content == f"{parameter.partition('=')[0]} is not supported".encode()
        assert get(LABORATORY, opened).status_code == 200

    def test_of_a_withheld_type_is_forbidden_whatever_was_granted(self, opened, get):
        scenarios.choose("withheld_type", "Observation")
        answer = get(LABORATORY, opened)
        assert answer.status_code == 403
        assert "WWW-Authenticate" not in answer
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200


class TestPages:
    @pytest.fixture
    def many(self, opened):
        rows = (observation(f"n-{number}", "r-ada", number) for number in range(119))
        store.keep([store.row(Realm("r4", WILLOW), "r-ada", body, at=clock.now()) for body in rows])
        return opened

    @pytest.mark.conformance("X22")
    def test_have_fifty_rows_and_an_opaque_link_to_the_next(self, many, get):
        seen, sizes = [], []
        address: str | None = LABORATORY
        while address:
            page = get(address, many).json()
            links = {link["relation"]: link["url"] for link in page["link"]}
            seen += [entry["resource"]["id"] for entry in page["entry"]]
            sizes.append(len(page["entry"]))
            assert page["total"] == 120
            address = links.get("next")
            if address:
                assert address.startswith(f"http://testserver{ROOT}/Observation?")
                query = parse_qs(urlsplit(address).query)
                assert query["direction"] == ["NEXT"]
                assert len(query["pageContext"]) == 1
                assert query["patient"] == ["r-ada"]
        assert sizes == [50, 50, 20]
        assert len(set(seen)) == len(seen) == 120

    @pytest.mark.conformance("X22")
    def test_are_of_another_size_when_switched(self, many, get):
        scenarios.choose("smart_page_size", "5")
        assert len(get(LABORATORY, many).json()["entry"]) == 5


class TestAnswer:
    @pytest.mark.parametrize(
        ("form", "media_type"),
        [("fhir", "application/fhir+json"), ("plain", "application/json"), ("asked", "application/json"),
         ("charset", "application/fhir+json; charset=utf-8")],
    )  # fmt: skip
    def test_has_the_media_type_that_is_switched(self, opened, get, form, media_type):
        scenarios.choose("smart_content_type", form)
        assert get(LABORATORY, opened)["Content-Type"] == media_type
        assert get(f"{ROOT}/metadata")["Content-Type"] == media_type

    @pytest.mark.conformance("X19")
    def test_is_empty_where_no_type_fits(self, opened, get):
        answer = get(LABORATORY, opened, "application/xml")
        assert (answer.status_code, answer.content) == (406, b"")

    def test_is_never_stored_and_can_be_asked_about(self, opened, get):
        answer = get(LABORATORY, opened)
        assert answer["Cache-Control"] == "no-store"
        assert len(answer["X-Request-Id"]) == 36


class TestRefusal:
    @pytest.mark.conformance("X24")
    def test_is_an_outcome_with_a_code(self, opened, get):
        answer = get(f"{ROOT}/Patient/nobody", opened)
        assert answer.status_code == 404
        assert answer.json()["issue"] == [
            {"severity": "error", "code": "not-found", "diagnostics": "There is no such resource"}
        ]

    @pytest.mark.conformance("X24")
    def test_is_text_or_nothing_when_switched(self, opened, get):
        scenarios.choose("smart_refusals", "text-or-empty")
        unauthorized, absent = get(LABORATORY), get(f"{ROOT}/Patient/nobody", opened)
        for answer, status in ((unauthorized, 401), (absent, 404)):
            assert answer.status_code == status
            assert answer["Content-Type"].startswith("text/plain")
            assert answer.content
        assert unauthorized["WWW-Authenticate"] == 'Bearer realm="myrecord"'
        wrong, forbidden = get(f"{ROOT}/Goal", opened), get(f"{ROOT}/Condition/x", opened)
        assert (wrong.status_code, wrong.content) == (400, b"")
        assert (forbidden.status_code, forbidden.content) == (403, b"")
        assert 'error="insufficient_scope"' in forbidden["WWW-Authenticate"]
