"""Refusals: consent by resource type, and the forms of an OperationOutcome (interface facts 2.14, 2.15 and 5.5)."""

import json

import pytest

from apps.sandbox import scenarios


@pytest.fixture(params=["dstu2", "r4"])
def version(request):
    return request.param


@pytest.fixture
def refused(person, token_of, get, version):
    """A read of nothing."""
    person("ines")
    token = token_of("ines", version)
    return lambda: get(f"/a/{version}/fhir/{version}/Patient/nobody", token)


class TestTypeThePatientDidNotShare:
    @pytest.mark.conformance("X23")
    def test_is_forbidden_while_the_rest_works(self, person, token_of, get, version):
        person("theo")
        token = token_of("theo", version, denied=["Condition", "DocumentReference"])
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        answer = get(f"{base}/Condition?patient={patient}", token)
        assert answer.status_code == 403
        issue = answer.json()["issue"][0]
        assert issue == {"severity": "error", "diagnostics": "Access was denied by the user"}
        assert get(f"{base}/Condition/anything", token).status_code == 403
        assert get(f"{base}/document/pdf-anything", token).status_code == 403
        assert get(f"{base}/Binary/pdf-anything", token, "application/pdf").status_code == 403
        assert get(f"{base}/Encounter?patient={patient}", token).json()["total"] > 0
        assert get(f"{base}/AllergyIntolerance?patient={patient}", token).json()["total"] == 3

    @pytest.mark.conformance("X23")
    def test_does_not_come_along_with_others(self, person, token_of, get, version):
        person("theo")
        token = token_of("theo", version, denied=["Provenance"])
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        bundle = get(f"{base}/Condition?patient={patient}&_revinclude=Provenance:target", token).json()
        assert {entry["resource"]["resourceType"] for entry in bundle["entry"]} == {"Condition"}


class TestOutcome:
    @pytest.mark.conformance("X24")
    def test_has_no_code_as_observed(self, refused, version):
        answer = refused()
        assert answer["Content-Type"] == ("application/json+fhir" if version == "dstu2" else "application/fhir+json")
        assert answer.json()["resourceType"] == "OperationOutcome"
        assert set(answer.json()["issue"][0]) == {"severity", "diagnostics"}

    @pytest.mark.conformance("X24")
    def test_has_a_code_when_switched(self, refused):
        scenarios.choose("outcome", "with-code")
        assert refused().json()["issue"][0]["code"] == "not-found"

    @pytest.mark.conformance("X24")
    def test_carries_a_stack_trace_beside_it_when_switched(self, refused):
        scenarios.choose("outcome", "stack-trace")
        first, second = refused().json()["issue"]
        assert first["severity"] == "error"
        assert second["severity"] == "information"
        assert "SearchHandler" in second["diagnostics"]

    @pytest.mark.conformance("X24")
    @pytest.mark.parametrize(
        ("form", "content_type", "content"),
        [("plain-text", "text/plain", b"There is no such resource"), ("html", "text/html", b"<!doctype html>"),
         ("empty", "application/", b"")],
    )  # fmt: skip
    def test_is_something_else_when_switched(self, refused, form, content_type, content):
        scenarios.choose("outcome", form)
        answer = refused()
        assert answer.status_code == 404
        assert answer["Content-Type"].startswith(content_type)
        assert answer.content.startswith(content) if content else answer.content == b""

    def test_keeps_the_status_in_every_form(self, get, db, version):
        for form in ("no-code", "with-code", "stack-trace", "plain-text", "html", "empty"):
            scenarios.choose("outcome", form)
            answer = get(f"/a/{version}/fhir/{version}/Patient")
            assert answer.status_code == 401
            assert answer["WWW-Authenticate"]

    def test_is_valid_json(self, refused):
        assert json.loads(refused().content)["issue"]
