"""Documents of either version become one entry, which describes its files but does not contain them."""

from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import attachments, documents
from apps.records.presenters.documents import Group, How, Relation, Status
from apps.records.presenters.entry import NOT_GIVEN, Context
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

NAMES = (
    "type", "class", "category", "author", "custodian", "created", "indexed", "date", "docStatus", "status", "content",
    "attachment", "contentType", "data", "size", "title", "creation", "format", "context", "encounter", "relatesTo",
    "target", "description", "photo", "valueAttachment",
)  # fmt: skip
NOTE = {"coding": [{"system": "http://loinc.org", "code": "18842-5", "display": "Discharge summary"}]}
FILE = {"contentType": "application/pdf", "url": "document/pdf-1", "title": "Stay", "size": 10, "language": "en"}
FORMAT = {"system": "urn:oid:1", "code": "x", "display": "C-CDA 2.1"}
SHARED = {
    "resourceType": "DocumentReference",
    "id": "d1",
    "status": "current",
    "type": NOTE,
    "author": [{"display": "Dr. Finch"}, {"reference": "http://terminology.hl7.org/CodeSystem/v3-RoleCode"}],
    "custodian": {"reference": "Organization/1"},
    "description": "Your stay in May",
}
DSTU2 = {
    **SHARED,
    "class": {"text": "Heart"},
    "created": "2026-05-03T10:00:00Z",
    "indexed": "2026-05-04T10:00:00Z",
    "docStatus": {"coding": [{"code": "amended"}]},
    "content": [{"attachment": FILE, "format": [FORMAT]}],
    "context": {"encounter": {"reference": "Encounter/7"}, "period": {"start": "2026-05-01", "end": "2026-05-03"}},
    "relatesTo": [{"code": "replaces", "target": {"reference": "DocumentReference/d0"}}],
}
R4 = {
    **SHARED,
    "category": [{"text": "Heart"}],
    "date": "2026-05-03T10:00:00Z",
    "docStatus": "amended",
    "content": [{"attachment": FILE, "format": FORMAT}],
    "context": {"encounter": [{"reference": "Encounter/7"}], "period": {"start": "2026-05-01", "end": "2026-05-03"}},
    "relatesTo": [{"code": "replaces", "target": {"reference": "DocumentReference/d0"}}],
}
CONTEXT = Context(others={"Organization/1": {"resourceType": "Organization", "id": "1", "name": "Harbor"}})


def present(**sent):
    return documents.present({"resourceType": "DocumentReference", "id": "d", "status": "current", **sent}, Context())


class TestADocument:
    def test_is_the_same_from_both_versions(self):
        entry = documents.present(DSTU2, CONTEXT)
        assert entry == documents.present(R4, CONTEXT)
        assert (entry.title, entry.name) == ("Discharge summary", "Your stay in May")
        assert entry.people == ("Dr. Finch",)
        assert entry.custodian == "Harbor"
        assert entry.relations == (Relation(How.NEW_VERSION),)
        assert (entry.when.means, entry.when.starts) == ("seen", "2026-05-01")
        assert (entry.written.means, entry.written.starts) == ("written-down", "2026-05-03T10:00:00Z")
        (file,) = entry.files
        assert file.number == 0
        assert (file.described.media_type, file.described.size) == ("application/pdf", 10)

    def test_never_carries_the_content_of_its_files(self):
        entry = present(content=[{"attachment": {"contentType": "text/plain", "data": "Q0FOQVJZ"}}])
        assert entry.files[0].described.has_content
        assert "Q0FOQVJZ" not in repr(entry)

    @pytest.mark.parametrize(
        ("status", "doc_status", "shown", "group"),
        [
            ("current", None, Status.FINAL, Group.CURRENT),
            ("current", "final", Status.FINAL, Group.CURRENT),
            ("current", "preliminary", Status.DRAFT, Group.CURRENT),
            ("current", "amended", Status.CHANGED, Group.CURRENT),
            ("superseded", "final", Status.REPLACED, Group.EARLIER),
            ("what", None, NOT_GIVEN, NOT_GIVEN),
        ],
    )
    def test_has_one_status(self, status, doc_status, shown, group):
        entry = present(status=status, docStatus=doc_status, type=NOTE)
        assert (entry.status, entry.group) == (shown, group)

    @pytest.mark.parametrize("name", ["status", "docStatus"])
    def test_says_nothing_where_it_was_entered_in_error(self, name):
        entry = present(**{"type": NOTE, name: "entered-in-error"})
        assert entry.is_withdrawn
        assert entry.title == ""

    def test_is_called_by_its_description_or_its_file_where_it_has_no_kind(self):
        assert present(description="A letter").title == "A letter"
        assert present(content=[{"attachment": {"title": "Scan", "url": "x"}}]).title == "Scan"

    def test_is_not_said_to_be_a_note_as_every_one_is(self):
        coded = [{"coding": [{"code": "clinical-note", "display": "Clinical Note"}]}, {"text": "Heart"}]
        entry = present(type=NOTE, category=coded)
        assert (entry.categories, entry.category_codes) == (("Heart",), ())

    @given(odd(*NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(documents.present, content)


class TestDocumentsOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(documents.present, "DocumentReference")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "date", "indexed", "created") >= 0.98


class TestFilesOfAResource:
    def test_keep_their_numbers_whatever_is_contained(self):
        inner = {"resourceType": "Media", "id": "m", "content": {"contentType": "image/png", "url": "b"}}
        forms = [{"contentType": "text/plain", "data": "YQ=="}, {"contentType": "application/pdf", "url": "c"}]
        sent = attachments.sent_by({"resourceType": "DiagnosticReport", "contained": [inner], "presentedForm": forms})
        assert list(sent) == [*forms, inner["content"]]

    def test_begin_with_the_forms_of_a_report_though_an_extension_was_sent_before(self):
        form, other = {"contentType": "text/plain", "data": "YQ=="}, {"contentType": "application/pdf", "url": "c"}
        before = [{"url": "http://a.example/x", "valueAttachment": other}]
        resource = {"resourceType": "DiagnosticReport", "extension": before, "presentedForm": [form]}
        assert list(attachments.sent_by(resource)) == [form, other]

    def test_are_none_for_a_binary_and_for_extensions(self):
        assert attachments.files({"resourceType": "Binary", "contentType": "image/png", "data": "YQ=="}) == ()
        assert attachments.files({"extension": [{"url": "http://a.example/x", "valueString": "y"}]}) == ()

    @given(odd(*NAMES))
    def test_never_raise(self, content):
        resource = content if isinstance(content, dict) else {}
        assert len(attachments.files(resource)) == len(attachments.sent_by(resource))

    def test_are_found_only_so_deep(self):
        nested: dict[str, Any] = {"contentType": "text/plain", "data": "YQ=="}
        for _ in range(900):
            nested = {"inner": [nested]}
        assert attachments.files(nested) == ()
