"""A clinical document is shown as its sections or, if it only wraps another text, as that text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.attachments import clinical_documents, sniffing
from apps.records.attachments.sniffing import Form
from apps.records.presenters.prose import blocks
from apps.records.presenters.prose.blocks import Block, BlockKind
from config import env
from tests.effort import at_most
from tests.records.attachments.test_reading import CCDA, read


class TestAClinicalDocument:
    def test_reads_as_its_sections(self):
        assert clinical_documents.read(CCDA).blocks == (
            Block(BlockKind.HEADING, "Stay"),
            Block(BlockKind.HEADING, "Allergies"),
            Block(BlockKind.ROW, cells=("Substance", "Reaction")),
            Block(BlockKind.ROW, cells=("Penicillin",)),
            Block(BlockKind.ITEM, "None other"),
        )

    def test_without_sections_reads_as_any_markup(self):
        assert (
            read(b"<?xml version='1.0'?><ClinicalDocument><nonXMLBody>Words</nonXMLBody></ClinicalDocument>") == "Words"
        )

    def test_has_its_text_where_it_has_no_sections(self):
        body = "<nonXMLBody><text mediaType='text/plain'>Come on Monday</text></nonXMLBody>"
        markup = f"<ClinicalDocument><title>A letter</title><author>Canary</author><component>{body}</component>"
        assert clinical_documents.read(markup).plain == "A letter\nCome on Monday"

    @pytest.mark.parametrize(
        ("said", "written", "told"),
        [
            ("mediaType='text/html'", "<![CDATA[<p>Come on</p><p>Monday</p>]]>", ["Come on", "Monday"]),
            ("mediaType='text/html' representation='TXT'", "&lt;b&gt;Come&lt;/b&gt; &amp;amp; go", ["Come & go"]),
            ("", "<![CDATA[<div>Come on</div>Monday]]>", ["Come on", "Monday"]),
            ("", r"{\rtf1 Come on\par Monday}", ["Come on", "Monday"]),
            ("mediaType='text/plain'", "Come on\nMonday &lt; 9\n\nEnd", ["Come on\nMonday < 9", "End"]),
            ("mediaType='text/html'", "<p>Come on</p><p>Monday</p>", ["Come on", "Monday"]),
            ("mediaType='text/html'", "At<br/>once <b>now</b>", ["At\nonce now"]),
        ],
    )
    def test_has_its_text_in_whatever_form_it_came(self, said, written, told):
        body = f"<component><nonXMLBody><text {said}>{written}</text></nonXMLBody></component>"
        found = clinical_documents.read(f"<ClinicalDocument><title>A letter</title>{body}</ClinicalDocument>")
        assert [block.text for block in found.blocks] == ["A letter", *told]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ('<text mediaType="application/pdf" representation="B64">JVBE\nRg==</text>', (b"%PDF", "application/pdf")),
            ("<n1:text representation='B64'>JVBERg==</n1:text>", (b"%PDF", "")),
            ('<text representation="B64" compression="DF">JVBERg==</text>', (b"", "")),
            ('<text representation="B64">no base64!</text>', (b"", "")),
            ('<text representation="B64">n\u00f6</text>', (b"", "")),
            ('<text mediaType="text/plain">JVBERg==</text>', None),
            ('<text representation="B64"><reference value="a.pdf"/></text>', (b"", "")),
        ],
    )
    def test_may_be_no_more_than_a_cover_of_a_file(self, text, found):
        assert clinical_documents.enclosed(f"<ClinicalDocument><n1:nonXMLBody>\n{text}</n1:nonXMLBody>") == found

    @pytest.mark.parametrize(
        "markup", ["<nonXMLBody>" * 100_000, "<nonXMLBody><text " * 100_000, "<nonXMLBody " * 99_999]
    )
    def test_made_to_hurt_is_looked_through_in_one_pass(self, markup):
        with at_most(million_steps=250):
            assert clinical_documents.enclosed(markup) is None

    @pytest.mark.parametrize("name", ["ccda-ccd-example.xml", "epic-notereader-cda.xml"])
    def test_of_others_reads_as_its_sections(self, name):
        folder = env.fhir_examples()
        if folder is None:
            pytest.skip("FHIR_EXAMPLES names no folder of example data")
        content = (folder / "documents" / name).read_bytes()
        assert sniffing.type_of(content, declared="text/xml").form is Form.CLINICAL_DOCUMENT
        found = clinical_documents.read(content.decode())
        assert sum(block.kind is BlockKind.HEADING for block in found.blocks) >= 4
        assert sum(block.kind is BlockKind.ROW for block in found.blocks) >= 3

    @pytest.mark.parametrize(
        "markup",
        [
            "<section><text>" * 50_000,
            "<section>" * 10_000 + "<title>x",
            "</section>" * 100_000,
            "<x>" * 300 + "</y>" * 9,
        ],
        ids=lambda markup: markup[:12],
    )
    def test_made_to_hurt_is_read_in_one_pass(self, markup):
        assert isinstance(clinical_documents.read("<ClinicalDocument>" + markup).plain, str)

    def test_is_read_no_further_than_its_tags_are_too_many(self):
        section = "<section><title>Stay</title><text>Here</text></section>"
        found = clinical_documents.read(f"<ClinicalDocument>{section}{'</x>' * blocks.MOST_PIECES}{section}")
        assert (found.plain, found.is_cut) == ("Stay\nHere", True)

    @given(st.lists(st.sampled_from(("<section>", "</section>", "<title>", "<text>", "</text>", "a", "<tr>", "<td>"))))
    def test_never_raises(self, parts):
        assert isinstance(clinical_documents.read("<ClinicalDocument>" + "".join(parts)).plain, str)
