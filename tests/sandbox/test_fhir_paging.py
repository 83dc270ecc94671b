"""Pages of a search, and the ways in which they can go wrong (interface facts 1.4)."""

import json
from typing import Any

import pytest

from apps.sandbox import scenarios

HOST = "http://testserver"


@pytest.fixture(params=["dstu2", "r4"])
def search(request, person, token_of, get):
    """A search of 13 blood pressures, and the token that may ask it."""
    person("theo")
    token = token_of("theo", request.param)
    base = f"/a/{request.param}/fhir/{request.param}"
    patient = get(f"{base}/Patient", token).json()["id"]
    return f"{base}/Observation?patient={patient}&code=85354-9", token


def relation(bundle, name):
    return next((link["url"] for link in bundle["link"] if link["relation"] == name), None)


def walk(get, path, token, most=20):
    """Every page, following next links."""
    pages: list[dict[str, Any]] = []
    while path and len(pages) < most:
        assert path.startswith(("/", HOST))
        pages.append(get(path.removeprefix(HOST), token).json())
        path = relation(pages[-1], "next")
    return pages


def ids(pages):
    return [entry["resource"]["id"] for page in pages for entry in page.get("entry", [])]


class TestPagesOfASearch:
    @pytest.mark.conformance("X22")
    def test_hold_25_rows_when_nothing_is_said(self, person, token_of, get):
        person("george")
        token = token_of("george", "r4")
        patient = get("/a/r4/fhir/r4/Patient", token).json()["id"]
        page = get(f"/a/r4/fhir/r4/Observation?patient={patient}&category=laboratory", token).json()
        assert len(page["entry"]) == 25
        assert page["total"] > 200

    @pytest.mark.conformance("X22")
    def test_give_every_row_once_and_end_without_a_next_link(self, get, search):
        pages = walk(get, f"{search[0]}&_count=5", search[1])
        assert [len(page["entry"]) for page in pages] == [5, 5, 3]
        assert len(set(ids(pages))) == 13
        assert {page["total"] for page in pages} == {13}
        assert relation(pages[-1], "next") is None

    @pytest.mark.conformance("X22")
    def test_that_end_on_a_full_page_have_no_next_link(self, get, search):
        page = get(f"{search[0]}&_count=13", search[1]).json()
        assert len(page["entry"]) == 13
        assert relation(page, "next") is None

    @pytest.mark.conformance("X22")
    def test_name_themselves_and_an_opaque_next_page(self, get, search):
        first = get(f"{search[0]}&_count=5", search[1]).json()
        assert [link["relation"] for link in first["link"]] == ["next", "self"]
        assert relation(first, "self").startswith(HOST)
        assert "&page=2-" in relation(first, "next")
        assert "patient=" in relation(first, "next")

    def test_come_back_under_the_version_in_capitals(self, get, search):
        first = get(f"{search[0]}&_count=5", search[1]).json()
        version = search[0].split("/")[2]
        assert relation(first, "next").startswith(f"{HOST}/a/{version}/fhir/{version.upper()}/Observation?")
        assert first["entry"][0]["fullUrl"].startswith(f"{HOST}/a/{version}/fhir/{version.upper()}/Observation/")

    def test_can_be_counted_without_rows(self, get, search):
        page = get(f"{search[0]}&_count=0", search[1]).json()
        assert page["total"] == 13
        assert "entry" not in page

    def test_are_never_larger_than_the_server_allows(self, get, search):
        scenarios.choose("page_limit", "25")
        scenarios.choose("page_size", "5")
        assert len(get(search[0], search[1]).json()["entry"]) == 5
        assert len(get(f"{search[0]}&_count=1000", search[1]).json()["entry"]) == 13

    @pytest.mark.parametrize("page", ["2", "nonsense", "2-!!!!", "2-AAAA", "9999999-MToy"])
    def test_that_nobody_gave_out_are_refused(self, get, search, page):
        assert get(f"{search[0]}&page={page}", search[1]).status_code == 400

    def test_of_nothing_are_a_bundle_without_entries(self, get, search):
        page = get(search[0].replace("85354-9", "no-such-code"), search[1]).json()
        assert page["total"] == 0
        assert "entry" not in page


class TestPagesThatGoWrong:
    @pytest.mark.conformance("X22")
    def test_stop_before_the_promised_total(self, get, search):
        scenarios.choose("paging", "stops-short")
        pages = walk(get, f"{search[0]}&_count=5", search[1])
        assert len(ids(pages)) == 10
        assert pages[-1]["total"] == 13

    @pytest.mark.conformance("X22")
    def test_repeat_a_row_of_the_page_before(self, get, search):
        scenarios.choose("paging", "repeats")
        assert len(get(f"{search[0]}&_count=5", search[1]).json()["entry"]) == 5  # before the first there is none
        found = ids(walk(get, f"{search[0]}&_count=5", search[1]))
        assert len(found) == 15
        assert len(set(found)) == 13

    @pytest.mark.conformance("X22")
    def test_lead_to_another_host(self, get, search):
        scenarios.choose("paging", "foreign-host")
        url = relation(get(f"{search[0]}&_count=5", search[1]).json(), "next")
        assert url.startswith("https://elsewhere.example/a/")

    @pytest.mark.conformance("X22")
    def test_lead_back_to_themselves(self, get, search):
        scenarios.choose("paging", "loops")
        pages = walk(get, f"{search[0]}&_count=5", search[1], most=4)
        assert len(pages) == 4
        assert len(set(ids(pages))) == 5

    @pytest.mark.conformance("X22")
    @pytest.mark.parametrize(("way", "total"), [("wrong-total", 20), ("no-total", None)])
    def test_count_wrongly_or_not_at_all(self, get, search, way, total):
        scenarios.choose("paging", way)
        assert get(f"{search[0]}&_count=5", search[1]).json().get("total") == total

    @pytest.mark.conformance("X22")
    def test_leave_modes_out_and_spell_full_urls_in_lower_case(self, get, search):
        scenarios.choose("entry_mode", "absent")
        scenarios.choose("full_url", "lower-case")
        entry = get(search[0], search[1]).json()["entry"][0]
        assert "search" not in entry
        assert "/observation/" in entry["fullUrl"]
        assert entry["resource"]["resourceType"] == "Observation"

    @pytest.mark.conformance("X22")
    def test_keep_the_case_of_the_request_when_switched(self, get, search):
        scenarios.choose("link_case", "as-asked")
        version = search[0].split("/")[2]
        first = get(f"{search[0]}&_count=5", search[1]).json()
        assert f"/fhir/{version}/Observation" in relation(first, "next")

    def test_can_hold_a_row_of_a_stranger_and_a_warning(self, get, search, person):
        person("ines")
        scenarios.choose("stray_rows", "both")
        page = get(search[0], search[1]).json()
        subjects = {row["resource"].get("subject", {}).get("display") for row in page["entry"]}
        assert {"Theodore Marsh", "Ines Quill"} <= subjects
        assert page["entry"][-1]["resource"]["resourceType"] == "OperationOutcome"
        assert page["entry"][-1]["search"]["mode"] == "outcome"


class TestBundle:
    def test_is_valid_json_with_awkward_query_strings(self, client, search):
        path, _, query = search[0].partition("?")
        answer = client.generic("GET", path, QUERY_STRING=query + '&x="}]', HTTP_AUTHORIZATION=f"Bearer {search[1]}")
        assert json.loads(answer.content)["total"] == 13
