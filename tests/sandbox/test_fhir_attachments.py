"""Files of documents: the document path and Binary (interface facts 1.3 and 1.7)."""

import base64
from urllib.parse import urlsplit

import pytest

from apps.sandbox import scenarios

FHIR = "application/fhir+json"


@pytest.fixture
def george(person, token_of, get):
    """What `george(version)` gives: a token, and George's attachments by title."""
    person("george")

    def george(version):
        token = token_of("george", version)
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        bundle = get(f"{base}/DocumentReference?patient={patient}", token).json()
        attachments = [entry["resource"]["content"][0]["attachment"] for entry in bundle["entry"]]
        return token, {attachment["title"]: attachment for attachment in attachments}

    return george


def path(url):
    return urlsplit(url).path


class TestDocumentPath:
    @pytest.mark.conformance("X25")
    @pytest.mark.parametrize(
        ("title", "folder", "content_type", "beginning"),
        [
            ("Echocardiography report", "document/pdf-", "application/pdf", b"%PDF-1.4"),
            ("Discharge summary, pacemaker", "document/xml-", "application/xml", b"<?xml version"),
        ],
    )
    @pytest.mark.parametrize("accept", ["application/json", FHIR, "application/pdf", "text/html"])
    def test_answers_the_file_whatever_is_accepted(self, george, get, title, folder, content_type, beginning, accept):
        token, attachments = george("r4")
        url = attachments[title]["url"]
        assert url.startswith("http://testserver/a/r4/fhir/R4/" + folder)
        answer = get(path(url), token, accept)
        assert answer.status_code == 200
        assert answer["Content-Type"] == content_type
        assert answer.content.startswith(beginning)
        assert len(answer.content) == attachments[title]["size"]

    @pytest.mark.conformance("X25")
    def test_needs_a_token_of_its_patient(self, george, person, token_of, get):
        _, attachments = george("r4")
        url = path(attachments["Echocardiography report"]["url"])
        assert get(url).status_code == 401
        person("ines")
        assert get(url, token_of("ines", "r4")).status_code == 404

    def test_carries_a_stylesheet_of_another_host_in_its_xml(self, george, get):
        token, attachments = george("r4")
        content = get(path(attachments["Discharge summary, pacemaker"]["url"]), token).content
        assert b'<?xml-stylesheet type="text/xsl" href="https://styles.example.com/cda.xsl"?>' in content

    @pytest.mark.parametrize(
        ("way", "beginning"),
        [("relative", "document/pdf-"), ("foreign-host", "https://elsewhere.example/fhir/document")],
    )
    def test_can_be_named_otherwise(self, george, way, beginning):
        scenarios.choose("attachment_address", way)
        assert george("r4")[1]["Echocardiography report"]["url"].startswith(beginning)


class TestBinary:
    @pytest.mark.conformance("X25")
    @pytest.mark.parametrize(("version", "element"), [("dstu2", "content"), ("r4", "data")])
    def test_is_raw_or_a_resource_by_what_is_accepted(self, george, get, version, element):
        token, attachments = george(version)
        attachment = attachments["Letter of the heart clinic"]
        url = path(attachment["url"])
        assert "/Binary/" in url
        raw = get(url, token, "text/rtf")
        assert raw["Content-Type"] == "text/rtf"
        assert raw.content.startswith(rb"{\rtf1")
        for accept in (FHIR, "application/json"):  # the latter as rule 3 of section 4.1 has it for every call
            resource = get(url, token, accept).json()
            assert resource["resourceType"] == "Binary"
            assert resource["contentType"] == "text/rtf"
            assert base64.b64decode(resource[element]) == raw.content

    @pytest.mark.conformance("X25")
    @pytest.mark.parametrize("accept", ["text/html", "application/pdf"])
    def test_is_not_acceptable_as_anything_else(self, george, get, accept):
        token, attachments = george("dstu2")
        assert get(path(attachments["Letter of the heart clinic"]["url"]), token, accept).status_code == 406

    @pytest.mark.conformance("X25")
    def test_needs_a_token_of_its_patient(self, george, person, token_of, get):
        _, attachments = george("dstu2")
        url = path(attachments["Letter of the heart clinic"]["url"])
        assert get(url, accept=FHIR).status_code == 401
        person("ines")
        assert get(url, token_of("ines", "dstu2"), FHIR).status_code == 404


class TestInlineContent:
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_is_in_the_resource(self, george, version):
        _, attachments = george(version)
        assert b"Pacemaker works" in base64.b64decode(attachments["Device check of 9 June 2026"]["data"])
        assert b"<script>" in base64.b64decode(attachments["Reminder"]["data"])

    def test_of_a_report_is_plain_text(self, person, token_of, get):
        person("george")
        token = token_of("george", "r4")
        patient = get("/a/r4/fhir/r4/Patient", token).json()["id"]
        bundle = get(f"/a/r4/fhir/r4/DiagnosticReport?patient={patient}&category=LP29684-5", token).json()
        form = bundle["entry"][0]["resource"]["presentedForm"][0]
        assert form["contentType"] == "text/plain"
        assert b"No pneumothorax." in base64.b64decode(form["data"])
