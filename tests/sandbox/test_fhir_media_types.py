"""Accept and Content-Type (specification P4, interface facts 1.7)."""

import pytest

from apps.sandbox import scenarios

FITTING = {"dstu2": "application/json+fhir", "r4": "application/fhir+json"}


@pytest.fixture(params=["dstu2", "r4"])
def version(request):
    return request.param


@pytest.fixture
def ask(person, token_of, get, version):
    person("ines")
    token = token_of("ines", version)
    return lambda accept, path="Patient": get(f"/a/{version}/fhir/{version}/{path}", token, accept)


class TestAccept:
    @pytest.mark.conformance("X19")
    @pytest.mark.parametrize(
        "accept",
        ["application/json", "application/fhir+json", "application/json+fhir", "*/*", "application/*", None,
         "text/html, application/json;q=0.5", "Application/JSON; charset=utf-8"],
    )  # fmt: skip
    def test_of_json_is_answered_in_the_type_of_the_version(self, ask, version, accept):
        answer = ask(accept)
        assert answer.status_code == 200
        assert answer["Content-Type"] == FITTING[version]

    @pytest.mark.conformance("X19")
    @pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/fhir+xml", "application/json;q=0"])
    @pytest.mark.parametrize("path", ["Patient", "Organization", "metadata"])
    def test_of_anything_else_is_not_acceptable(self, ask, accept, path):
        answer = ask(accept, path)
        assert answer.status_code == 406
        assert answer.content == b""

    @pytest.mark.conformance("X19")
    def test_is_echoed_when_switched(self, ask, version):
        scenarios.choose("data_content_type", "asked")
        assert ask("application/json")["Content-Type"] == "application/json"
        assert ask("*/*")["Content-Type"] == FITTING[version]

    def test_gets_a_charset_when_switched(self, ask, version):
        scenarios.choose("data_content_type", "charset")
        assert ask("application/json")["Content-Type"] == f"{FITTING[version]}; charset=utf-8"

    def test_yields_to_the_format_parameter(self, ask, version):
        assert ask("text/html", "metadata?_format=json")["Content-Type"] == FITTING[version]
        assert ask("application/json", "metadata?_format=xml").status_code == 406
