"""A C-CDA document's page shows what its text says, and nothing else in its place."""

from base64 import b64encode

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.records.attachments import clinical_documents, pictures, reading, sniffing
from apps.records.attachments.sniffing import Form
from apps.records.presenters.prose import blocks
from apps.records.presenters.prose.blocks import MOST_BLOCKS, Block, BlockKind
from tests.records.attachments.filing import FILE, PNG, PNG_BEGINNING, hold, inline, linked_to
from tests.records.linked import give_tokens
from tests.wire.servers import http

TIFF = b"II*\x00" + b"canary of a scan"


def media(name, content=PNG, *, kind="image/png", also=""):
    written = b64encode(content).decode()
    value = f'<value mediaType="{kind}" representation="B64"{also}>\n{written}\n</value>'
    return f'<entry><observationMedia classCode="OBS" ID="{name}"><id root="x"/>{value}</observationMedia></entry>'


def section(text, *entries, title="<title>Findings</title>"):
    return f"<component><section>{title}<text>{text}</text>{''.join(entries)}</section></component>"


def document(*sections):
    body = f"<component><structuredBody>{''.join(sections)}</structuredBody></component>"
    return f'<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3">{body}</ClinicalDocument>'


def read(markup):
    return clinical_documents.read(markup, pictures.of(markup))


class TestACover:
    def test_is_no_cover_for_a_word_in_a_comment(self):
        body = "<nonXMLBody><text mediaType='application/pdf' representation='B64'>JVBERg==</text></nonXMLBody>"
        markup = document(section(f"No allergies<!-- {body} -->"))
        assert clinical_documents.enclosed(markup) is None
        assert "No allergies" in read(markup).plain

    @pytest.mark.parametrize("is_first", [True, False])
    def test_hides_no_section(self, is_first):
        body = "<component><nonXMLBody><text representation='B64'>JVBERg==</text></nonXMLBody></component>"
        both = (body, section("No allergies")) if is_first else (section("No allergies"), body)
        markup = f"<ClinicalDocument>{''.join(both)}</ClinicalDocument>"
        assert clinical_documents.enclosed(markup) is None
        assert read(markup).plain == "Findings\nNo allergies"

    def test_of_a_file_that_did_not_come_is_not_said_to_be_empty(self):
        text = "<text mediaType='application/pdf'><reference value='letter.pdf'/></text>"
        found = read(f"<ClinicalDocument><nonXMLBody>{text}</nonXMLBody></ClinicalDocument>")
        assert (found.blocks, found.is_damaged) == ((), True)

    def test_of_megabytes_is_opened(self):
        content = b"%PDF-1.4 " + b"canary" * 1_000_000
        text = f"<text mediaType='application/pdf' representation='B64'>{b64encode(content).decode()}</text>"
        found = clinical_documents.enclosed(f"<ClinicalDocument><nonXMLBody>{text}</nonXMLBody></ClinicalDocument>")
        assert found == (content, "application/pdf")


class TestASection:
    @pytest.mark.parametrize(
        "text", ["<text/>", "<text> \n</text>", "<text><paragraph/></text>", "", "<text><br/></text>"]
    )
    def test_that_is_empty_says_so(self, text):
        markup = f"<ClinicalDocument><section><title>Allergies</title>{text}</section></ClinicalDocument>"
        assert read(markup).blocks == (
            Block(BlockKind.HEADING, "Allergies"),
            Block(BlockKind.REMARK, "Nothing is written here."),
        )

    @pytest.mark.parametrize("text", ["<text/>", ""])
    def test_that_is_empty_says_so_under_the_name_of_its_code(self, text):
        code = '<code code="48765-2" displayName="Allergies"/>'
        markup = f"<ClinicalDocument><section>{code}{text}</section></ClinicalDocument>"
        assert read(markup).plain == "Allergies\nNothing is written here."

    def test_goes_by_all_that_its_code_says(self):
        code = """<code displayName="Patient's wishes" code='8"x'/>"""
        assert read(document(section("No tubes", title=code))).plain == "Patient's wishes\nNo tubes"

    def test_dictated_without_a_comma_is_no_picture(self):
        words = "the patient reports no pain " * 40
        found = reading.read(
            document(section(words)).encode(), sniffing.FileType(Form.CLINICAL_DOCUMENT, "", ""), declared="text/xml"
        )
        assert found is not None
        assert found.plain == f"Findings\n{words.strip()}"

    def test_that_holds_others_is_not_empty(self):
        inner = section("None known", title="<title>Allergies</title>")
        markup = f"<ClinicalDocument><section><title>History</title>{inner}</section></ClinicalDocument>"
        assert read(markup).plain == "History\nAllergies\nNone known"

    def test_without_name_or_text_says_nothing(self):
        assert not read("<ClinicalDocument><section><entry/></section></ClinicalDocument>").blocks

    def test_whose_words_are_all_crossed_out_is_not_said_to_be_empty(self):
        found = read(document(section('<content revised="delete">Penicillin</content>')))
        assert (found.plain, found.has_gaps) == ("Findings\n[…]", True)

    def test_repeats_a_footnote_where_it_is_pointed_to(self):
        text = "<table><tr><td>5.4<footnote ID='n1'>Sample <b>hemolyzed</b></footnote></td></tr></table>"
        pointing = "<paragraph>Potassium 6.1<footnoteRef IDREF='n1'/>, sodium 140<footnoteRef IDREF='n2'/></paragraph>"
        said = read(document(section(text + pointing))).plain
        assert said == "Findings\n5.4 (Sample hemolyzed)\nPotassium 6.1 (Sample hemolyzed), sodium 140"

    def test_repeats_of_a_footnote_that_words_in_it_were_crossed_out(self):
        text = "<footnote ID='n1'>Not <content revised='delete'>my</content> blood</footnote>"
        assert "6.1 (Not […] blood)" in read(document(section(text + "6.1<footnoteRef IDREF='n1'/>"))).plain

    def test_has_a_footnote_with_its_caption_in_its_line(self):
        note = "<footnote ID='n1'><caption>*</caption>Sample hemolyzed</footnote>"
        assert read(document(section(f"Potassium 6.1{note}, repeated"))).plain == (
            "Findings\nPotassium 6.1 ( * Sample hemolyzed), repeated"
        )

    def test_has_lines_where_its_author_moved_a_text_in(self):
        text = "Plan:<content styleCode='xallIndent'>walk</content><content styleCode='Bold xallIndent'>rest</content>"
        assert read(document(section(text))).plain == "Findings\nPlan:\nwalk\nrest"

    @pytest.mark.parametrize("style", ["Strikethrough", "Bold StrikeThrough"])
    def test_has_a_gap_for_what_is_struck_by_its_style(self, style):
        found = read(document(section(f"<content styleCode='{style}'>Penicillin</content> Sulfa")))
        assert (found.plain, found.has_gaps) == ("Findings\n[…] Sulfa", True)

    def test_deeper_than_is_followed_is_not_said_to_be_all_or_empty(self):
        deep = "<component><section><title>A</title>" * 200 + "<text>Sulfa</text>" + "</section></component>" * 200
        found = read(f"<ClinicalDocument>{deep}{section('Penicillin')}</ClinicalDocument>")
        assert (found.is_damaged, found.plain.count("Nothing is written")) == (True, 0)
        assert found.plain.endswith("Findings\nPenicillin")

    def test_has_the_captions_of_its_tables_and_lists(self):
        text = "<table><caption>Labs</caption><tbody><tr><td>Na</td><td>140</td></tr></tbody></table>"
        text += "<list listType='ordered'><caption>Plan</caption><item><caption>Diet</caption> less salt</item></list>"
        assert read(document(section(text))).plain == "Findings\nLabs\nNa 140\nPlan\n1. Diet less salt"

    def test_has_the_words_of_links_and_styles_and_what_was_inserted(self):
        text = "<content styleCode='Bold'>No</content> <linkHtml href='https://x.example'>known</linkHtml>"
        text += " <content revised='insert'>allergies</content><br/>to <sub>any</sub> drug"
        assert read(document(section(text))).plain == "Findings\nNo known allergies\nto any drug"

    @pytest.mark.parametrize(("end", "is_damaged"), [("</section></ClinicalDocument>", False), ("", True)])
    def test_of_a_document_without_an_end_is_not_said_to_be_all(self, end, is_damaged):
        found = read(f"<ClinicalDocument><section><title>Allergies</title><text>Penicillin</text>{end}")
        assert (found.plain, found.is_damaged) == ("Allergies\nPenicillin", is_damaged)


class TestAPicture:
    def test_stands_where_the_text_shows_it(self):
        shown = "Before<renderMultiMedia referencedObject='m1'><caption>Chest</caption></renderMultiMedia>After"
        found = read(document(section(shown, media("m0"), media("m1"))))
        assert found.has_pictures
        assert found.blocks == (
            Block(BlockKind.HEADING, "Findings"),
            Block(text="Before"),
            Block(BlockKind.HEADING, "Chest"),
            Block(BlockKind.PICTURE, picture=2),
            Block(text="After"),
        )

    def test_of_an_element_that_never_ends_is_shown(self):
        found = read(document(section("<renderMultiMedia referencedObject='m1'>", media("m1"))))
        assert found.blocks[-1].kind is BlockKind.PICTURE

    def test_of_a_row_stands_beneath_the_row(self):
        shown = "<table><tr><td>ECG</td><td><renderMultiMedia referencedObject='m1'/></td></tr></table>"
        found = read(document(section(shown, media("m1"))))
        assert [block.kind for block in found.blocks] == ["heading", "row", "picture"]

    def test_is_shown_whole_where_the_text_points_to_a_part_of_it(self):
        region = f"<entry><regionOfInterest ID='r1'>{media('m1')}</regionOfInterest></entry>"
        found = read(document(section("<renderMultiMedia referencedObject='r1'/>", region)))
        assert found.blocks[-1] == Block(BlockKind.PICTURE, picture=1)

    @pytest.mark.parametrize(
        ("entry", "number"),
        [
            (media("m1", TIFF, kind="image/png"), 1),
            (media("m1", PNG_BEGINNING + b"damaged"), 1),
            (media("m1", b"<svg onload='alert(1)'/>", kind="image/png"), 1),
            (media("m1", also=' compression="DF"'), 0),
            (media("other"), 0),
            ('<observationMedia ID="m1"><value><reference value="a.gif"/></value></observationMedia>', 0),
            ('<observationMedia ID="m1"><value representation="B64">no base64!</value></observationMedia>', 0),
            ("", 0),
        ],
    )  # fmt: skip
    def test_that_no_page_shows_is_said_to_be_there(self, entry, number):
        found = read(document(section("<renderMultiMedia referencedObject='m1'/>", entry)))
        assert found.blocks[-1] == Block(BlockKind.UNSHOWN, picture=number)

    def test_of_megabytes_cuts_nothing_that_is_written_behind_it(self):
        large = media("m1", PNG + bytes(blocks.LONGEST_MARKUP))
        markup = document(section("<renderMultiMedia referencedObject='m1'/>", large), section("Last words"))
        content = markup.encode()
        file_type = sniffing.type_of(content, declared="text/xml")
        assert file_type.form is Form.CLINICAL_DOCUMENT
        found = reading.read(content, file_type, declared="text/xml", shown=pictures.of(markup))
        assert found is not None
        assert found.plain.endswith("Last words")
        assert not found.is_cut

    def test_is_found_by_its_number_alone_as_among_all(self):
        commented = f"<!-- {media('m0')} -->" + media("m0", also=" compression='DF'")
        region = f"<cda:regionOfInterest ID='r1'>{media('m2', TIFF)}</cda:regionOfInterest>"
        markup = document(section("", commented, media("m1"), region, media("m3")))
        found = pictures.of(markup)
        assert [sorted(picture.names) for picture in found] == [["m1"], ["m2", "r1"], ["m3"]]
        assert [pictures.numbered(markup, number) for number in range(5)] == [None, *found, None]

    @pytest.mark.parametrize(
        "markup",
        [
            "<observationMedia>" * 100_000,
            "<!--" * 500_000,
            "<regionOfInterest ID=" * 100_000,
            "<observationMedia ID='a'><value representation='B64'>" * 50_000,
        ],
    )
    def test_made_to_hurt_is_looked_for_in_one_pass(self, markup):
        assert pictures.of(markup) == ()
        assert pictures.of(document(*[media("a")] * 1000))[pictures.MOST - 1].content == PNG
        assert len(pictures.of(document(*[media("a")] * 1000))) == pictures.MOST

    @pytest.mark.parametrize(("around", "end"), [("", ""), ("<table><tr><td>", "</td></tr></table>")])
    def test_named_without_end_stands_a_page_full_of_times(self, around, end):
        shown = f"<renderMultiMedia referencedObject='{'m1 ' * 3000}'/>" * 300
        found = read(document(section(f"{around}{shown}{end}", media("m1"))))
        assert len(found.blocks) < MOST_BLOCKS + pictures.MOST


@pytest.mark.django_db
class TestThePage:
    @pytest.fixture
    def record(self, connection):
        shown = "<renderMultiMedia referencedObject='m1'/><renderMultiMedia referencedObject='m2'/>"
        shown += "<renderMultiMedia referencedObject='m3'/><list listType='ordered'><item>Rest</item></list>"
        markup = document(section(shown, media("m1"), media("m2", TIFF, kind="image/tiff")))
        return hold(connection, inline(markup.encode(), "text/xml", title="X-ray <b>"))

    def test_shows_a_picture_from_an_address_of_ours(self, hers, record):
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert f'src="{reverse("save_picture", args=[record.pk, 0, 1])}"' in said
        assert "There is a picture here that browsers cannot show." in said
        assert f'href="{reverse("save_picture", args=[record.pk, 0, 2])}"' in said
        assert "There is a picture here that is not shown. The provider has it." in said
        assert "1. Rest" in said
        assert "data:image" not in said

    def test_hands_a_picture_out_inertly_and_by_what_it_is(self, hers, record):
        answer = hers.get(reverse("save_picture", args=[record.pk, 0, 1]))
        assert answer.content == PNG
        assert answer["Content-Type"] == "image/png"
        assert answer["Content-Disposition"] == 'attachment; filename="X-ray b 1.png"'
        assert "sandbox" in answer["Content-Security-Policy"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in answer["Cache-Control"]

    def test_hands_a_picture_out_without_reading_the_text_around_it(self, hers, record, monkeypatch):
        monkeypatch.setattr(reading, "read", None)
        assert hers.get(reverse("save_picture", args=[record.pk, 0, 1])).content == PNG

    def test_says_why_a_picture_of_a_file_that_came_short_is_not_shown(self, hers, linked, provider):
        give_tokens(linked, issued_at=timezone.now())
        sent = document(section("<renderMultiMedia referencedObject='m1'/>", media("m1"))).encode()
        provider.answers[FILE] = http(body=sent, content_type="text/xml")
        record = hold(linked, linked_to("document/pdf-1", "text/xml", size=len(sent) + 9))
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert "There is a picture here. It is not shown, because this file may not be complete." in said
        assert "<img" not in said

    @pytest.mark.parametrize("number", [0, 3, 99])
    def test_has_no_other_pictures(self, hers, record, number):
        assert hers.get(reverse("save_picture", args=[record.pk, 0, number])).status_code == 404

    def test_says_in_the_saved_text_that_there_are_pictures(self, hers, record):
        said = hers.get(reverse("save_file", args=[record.pk, 0])).content.decode()
        assert "1. Rest" in said
        assert said.endswith("The document has pictures. They are not in this text.\n")

    def test_of_a_picture_is_not_found_by_a_stranger(self, client, sam, record):
        client.force_login(sam)
        assert client.get(reverse("save_picture", args=[record.pk, 0, 1])).status_code == 404

    @pytest.mark.parametrize("words", [b"Seen", b""])
    def test_says_that_a_page_of_html_has_pictures(self, hers, connection, words):
        record = hold(connection, inline(b"<html><p>" + words + b"<img src=x></p></html>", "text/html"))
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert "This text has pictures that are not shown here. The provider has them." in said
        assert "src=x" not in said

    def test_says_that_a_part_of_a_document_is_missing(self, hers, connection):
        record = hold(connection, inline(b"{\\rtf1 Take one tabl", "application/rtf"))
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert "Part of this file is damaged or missing." in said
        assert "Take one tabl" in said
        saved = hers.get(reverse("save_file", args=[record.pk, 0])).content.decode()
        assert saved.startswith("Take one tabl\n\nPart of this file is damaged or missing.")

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"{\\rtf1 {\\info x", "We could not read any text in what came."),
            (b"<p hidden>Canary</p>", "Part of this text is hidden from every reader. That part is not here."),
            (b"<p></p>", "There is no text in this file."),
        ],
    )
    def test_without_a_word_says_why(self, hers, connection, content, words):
        record = hold(connection, inline(content, "text/html"))
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert words in said
        assert ("There is no text in this file." in said) is (words == "There is no text in this file.")

    def test_says_that_a_document_hides_text(self, hers, connection):
        record = hold(connection, inline(b"<html><p>Seen</p><p hidden>Canary</p></html>", "text/html"))
        said = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert "Part of this text is hidden from every reader. That part is not here." in said
        assert "Canary" not in said
