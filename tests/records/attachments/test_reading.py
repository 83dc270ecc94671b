"""The type of a file is recognized by its content, and it is read as harmless text, whatever it contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.attachments import reading, sniffing
from apps.records.attachments.sniffing import Form
from apps.records.presenters.prose import blocks, rich_text
from apps.records.presenters.prose.blocks import Block, BlockKind
from tests.effort import at_most

MARKUP = sniffing.FileType(Form.MARKUP, "text/plain", "txt")
RTF = rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator Canary;}Heart \b clinic\b0\par caf\'e9 \u8364?5{\pict 0101}}"
CCDA = """<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="https://styles.example.com/cda.xsl"?>
<ClinicalDocument xmlns="urn:hl7-org:v3"><title>Stay</title><recordTarget><name>Canary</name></recordTarget>
<component><structuredBody><component><section><title>Allergies</title>
<text><table><tr><th>Substance</th><th>Reaction</th></tr><tr><td>Penicillin</td><td/></tr></table>
<list><item>None <content>other</content></item></list></text>
<entry><act><text>Canary</text><title>Canary</title></act></entry>
</section></component></structuredBody></component></ClinicalDocument>"""


def read(content, declared="text/plain"):
    found = reading.read(content, sniffing.type_of(content, declared=declared), declared=declared)
    return found.plain if found else None


class TestAFile:
    @pytest.mark.parametrize(
        ("content", "declared", "form", "media_type"),
        [
            (b"%PDF-1.4", "text/html", Form.PDF, "application/pdf"),
            (b"\n%PDF-1.4", "application/pdf", Form.PDF, "application/pdf"),
            (b"\x89PNG\r\n\x1a\nrest", "image/svg+xml", Form.PICTURE, "image/png"),
            (b"\xff\xd8\xff\xe0", "", Form.PICTURE, "image/jpeg"),
            (b"<svg onload=alert(1)>", "image/svg+xml", Form.MARKUP, "text/plain"),
            (b"<!DOCTYPE html><p>x", "application/pdf", Form.MARKUP, "text/plain"),
            (b"<p>x", "text/plain", Form.MARKUP, "text/plain"),
            (CCDA.encode(), "application/xml", Form.CLINICAL_DOCUMENT, "text/plain"),
            (CCDA.encode("utf-16"), "application/xml", Form.CLINICAL_DOCUMENT, "text/plain"),
            (CCDA.encode("utf-16-le"), "application/xml", Form.CLINICAL_DOCUMENT, "text/plain"),
            (CCDA.encode("utf-32"), "application/xml", Form.CLINICAL_DOCUMENT, "text/plain"),
            (RTF, "text/rtf", Form.RICH_TEXT, "text/plain"),
            (b"Plain words", "text/plain; charset=utf-8", Form.TEXT, "text/plain"),
            (b"Plain words", "", Form.TEXT, "text/plain"),
            (b"PK\x03\x04", "application/zip", Form.OTHER, "application/octet-stream"),
            (b"\x00\x01", "text/plain", Form.OTHER, "application/octet-stream"),
            (b"R\x00I\x00F\x00F\x00\x01\x00", "text/plain", Form.OTHER, "application/octet-stream"),
            (b"MZ\x90\x00", "text/html", Form.OTHER, "application/octet-stream"),
            (b"", "text/plain", Form.TEXT, "text/plain"),
            (b"\xef\xbb\xbf" + RTF, "text/rtf", Form.RICH_TEXT, "text/plain"),
            (RTF.decode().encode("utf-16"), "text/rtf", Form.RICH_TEXT, "text/plain"),
            (
                f"<?xml?><!--{'x' * 9000}-->{CCDA.partition('?>')[2]}".encode(),
                "text/xml",
                Form.CLINICAL_DOCUMENT,
                "text/plain",
            ),
            (b"Sodium 140\0\x01\nPotassium 4.1", "text/plain", Form.TEXT, "text/plain"),
            (b"<p>Sodium 140\0</p>", "text/html", Form.MARKUP, "text/plain"),
            (b"Sodium 140\0\x01\nPotassium 4.1", "image/bmp", Form.OTHER, "application/octet-stream"),
            (b"Sodium\0\0\0\0", "text/plain", Form.OTHER, "application/octet-stream"),
            (bytes(range(256)) * 16, "text/plain", Form.OTHER, "application/octet-stream"),
        ],
    )
    def test_is_what_its_content_says(self, content, declared, form, media_type):
        file_type = sniffing.type_of(content, declared=declared)
        assert (file_type.form, file_type.media_type) == (form, media_type)

    @given(st.binary(max_size=200), st.text(max_size=30) | st.none() | st.integers())
    def test_is_never_handed_out_as_anything_a_browser_runs(self, content, declared):
        file_type = sniffing.type_of(content, declared=declared)
        is_harmless = file_type.media_type in {"text/plain", "application/pdf", "application/octet-stream"}
        assert is_harmless or file_type.form == "picture"
        reading.read(content, file_type, declared=declared)

    @pytest.mark.parametrize(
        ("content", "declared", "said"),
        [
            ("Zürich".encode(), "text/plain", "Zürich"),
            ("Zürich".encode("latin-1"), "text/plain; charset=iso-8859-1", "Zürich"),
            ("Zürich".encode("latin-1"), "text/plain", "Zürich"),
            ("Zürich".encode("latin-1"), "text/plain; charset=no-such-thing", "Zürich"),
            ("Zürich".encode("utf-16"), "text/plain", "Zürich"),
            ("Zürich".encode("utf-16-le"), "text/plain", "Zürich"),
            ("Zürich".encode("utf-16-be"), "text/plain; charset=utf-8", "Zürich"),
            ("Zürich".encode("utf-32"), "text/plain", "Zürich"),
            ("Zürich".encode("utf-32-be"), "text/plain; charset=utf-32", "Zürich"),
            (b'<?xml version="1.0" encoding="iso-8859-2"?><p>\xb3ysy</p>', "text/xml", "łysy"),
            (b'<html><meta charset="windows-1251"><p>\xcf\xf0</p>', "text/html", "Пр"),
            (b"<html><meta charset=koi8-r><p>\xcf\xf0</p>", "text/html; charset=windows-1251", "Пр"),
            (b'<?xml version="1.0" encoding="UTF-16"?><p>Z\xfcrich</p>', "text/xml", "Zürich"),
            (b"Z\xfcrich!", "text/plain; charset=utf-16", "Zürich!"),
            (b"It\x92s", "text/plain; charset=iso-8859-1", "It\u2019s"),
            (b"\xef\xbb\xbfone\r\ntwo\r\n\r\nthree", "text/plain", "one\ntwo\nthree"),
        ],
    )
    def test_is_read_in_its_own_characters(self, content, declared, said):
        assert read(content, declared) == said

    @pytest.mark.parametrize("filler", ["", "x", "xx", "xxx"])
    def test_that_is_long_is_cut_between_two_characters(self, filler):
        content = (filler + "\u20ac" * (blocks.LONGEST_MARKUP * 2 // 3 + 2)).encode()
        assert set(read(content)) <= {"x", "\u20ac", "\n"}

    def test_names_no_character_set_that_is_one_for_hosts(self):
        content = b"xn--a-0ga." * 50_000 + b"\xe9"
        with at_most(million_steps=10):
            assert sniffing.decoded(content, declared="text/plain; charset=idna").endswith("xn--a-0ga.\u00e9")

    @pytest.mark.parametrize("charset", ["punycode", "idna", "utf-7", "unicode_escape", "hex", "rot13", "undefined"])
    def test_is_read_whatever_character_set_it_names(self, charset):
        with at_most(million_steps=250):
            assert read(b"xn--" + b"\xe9a-9.\\x" * 200_000, f"text/plain; charset={charset}")

    def test_that_is_no_text_is_not_read(self):
        assert read(b"%PDF-1.4") is None

    def test_is_a_page_instead_of_a_picture_where_html_came(self):
        assert sniffing.is_page_instead(b"<html>Sign in", declared="image/png")
        assert not sniffing.is_page_instead(b"<html>A note", declared="text/html")
        assert not sniffing.is_page_instead(b"%PDF-1.4 <html>", declared="application/pdf")


class TestALongFile:
    """What is no text in it cuts nothing that is written behind it."""

    def test_of_html_is_read_past_its_pictures(self):
        picture = "<img src='data:image/png;base64," + "iVBORw0K" * 800_000 + "'>"
        found = reading.read(f"<p>Before{picture} after</p>".encode(), MARKUP, declared="text/html")
        assert found is not None
        assert (found.plain, found.is_cut, found.has_pictures) == ("Before after", False, True)

    def test_of_rich_text_is_read_past_its_pictures(self):
        content = b"{\\rtf1 Before{\\pict " + b"0123456789abcdef\r\n" * 400_000 + b"} after}"
        found = reading.read(content, sniffing.type_of(content, declared=""), declared="")
        assert found is not None
        assert (found.plain, found.is_cut, found.has_pictures) == ("Before after", False, True)

    def test_with_lengths_in_it_keeps_them(self):
        content = "{\\rtf1 a{\\pict\\bin2000 " + "}" * 2000 + "}b" + "c" * blocks.LONGEST_MARKUP
        assert rich_text.of_text(content).plain.startswith("abc")


class TestText:
    def test_has_a_line_wherever_a_page_ends(self):
        assert read(b"Page 1\fPage 2\x0bEnd") == "Page 1\nPage 2\nEnd"
        assert read(b"<p>Page 1\fPage 2") == "Page 1 Page 2"

    def test_keeps_the_spaces_of_what_is_aligned_by_them(self):
        table = "  Test      Result\n  Sodium    140\n  Potassium\t4.1"
        read = blocks.of_text(f"LAB REPORT\n  as of today\n\n{table}  \n\nEnd.   Signed\n")
        assert read.blocks == (
            Block(BlockKind.PARAGRAPH, "LAB REPORT\nas of today"),
            Block(BlockKind.ALIGNED, table),
            Block(BlockKind.PARAGRAPH, "End. Signed"),
        )

    def test_is_read_past_empty_lines_as_wide_as_a_page(self):
        read = blocks.of_text("Report" + ("\r\n" + " " * 132) * 3000 + "\r\n  Signed\r\n")
        assert (read.plain, read.is_cut) == ("Report\nSigned", False)

    def test_made_to_hurt_is_read_in_one_pass(self):
        with at_most(million_steps=250):
            assert blocks.of_text(("x" + " " * 50_000) * 100).plain
            assert blocks.of_text("\n" * 10_000_000 + "x").plain == "x"
            assert blocks.of_text("x\n \n \n" * 1_000_000).is_cut
            assert blocks.of_text((" " * 1000 + "\n") * 10_000 + "x").plain == "x"


class TestHtml:
    def test_keeps_the_spaces_and_lines_of_preformatted_text(self):
        read = blocks.of_markup("<p>Of\n  today</p><pre>\n  WBC   5.1\n  RBC   4.5\n</pre><p>a  b</p><pre> \n </pre>")
        assert read.blocks == (
            Block(BlockKind.PARAGRAPH, "Of today"),
            Block(BlockKind.ALIGNED, "  WBC   5.1\n  RBC   4.5"),
            Block(BlockKind.PARAGRAPH, "a b"),
        )

    def test_is_read_without_what_it_would_do(self):
        markup = "<html><title>x</title><style>p{}</style><h1>Reminder</h1><script>alert('Canary')</script>"
        markup += "<p onclick='Canary()'>Come on <b>Monday</b><br>at 9<img src=x onerror=Canary></p>"
        markup += (
            "<ul><li>fasting<li>with your card</ul><svg onload=Canary()><script>Canary()</script>"
            "<text onclick=Canary>Drawn</text></svg><iframe srcdoc='Canary'></iframe>"
        )
        assert blocks.of_markup(markup).blocks == (
            Block(BlockKind.HEADING, "Reminder"),
            Block(BlockKind.PARAGRAPH, "Come on Monday\nat 9"),
            Block(BlockKind.ITEM, "fasting"),
            Block(BlockKind.ITEM, "with your card"),
            Block(BlockKind.PARAGRAPH, "[Drawn]"),
        )

    def test_expands_no_entity_of_its_own(self):
        bomb = '<!DOCTYPE x [<!ENTITY a "Canary"><!ENTITY b "&a;&a;">]><p>&b; &amp; &#60;</p>'
        assert blocks.of_markup(bomb).plain == "&b; & <"
        outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><p>&a;</p>'
        assert blocks.of_markup(outside).plain == "&a;"

    def test_drops_accents_that_no_letter_has_and_a_page_would_be_covered_with(self):
        assert (
            blocks.of_markup("<p>Cafe\u0301 a" + "\u0301" * 300 + "b</p>").plain == "Cafe\u0301 a" + "\u0301" * 4 + "b"
        )

    def test_drops_characters_that_turn_text_around(self):
        assert blocks.of_markup("<p>a\u202eb&#x202e;c&#0;</p>").plain == "abc\ufffd"

    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("10<sup>9</sup>/L", "10^9/L"),
            ("10<sup>1<b>2</b></sup>", "10^12"),
            ("10<sup>-3</sup>", "10^-3"),
            ("m<sup>2</sup>", "m²"),
            ("5.10<sup>1</sup>", "5.10¹"),
            ("110<sup>2</sup>", "110²"),
            ("5.4<sup>a</sup>", "5.4^a"),
            ("2<sup>nd</sup> dose", "2nd dose"),
            ("H<sub>2</sub>O, B<sub>12</sub>", "H2O, B12"),
            ("10<sub>2</sub>", "10₂"),
            ("<table><tr><td>10<sup>9</td><td>5</sup></td></tr></table>", "10^9 5"),
            ("2<sup>1</sup>/<sub>2</sub> tablets, H/<sub>2</sub>", "2¹/₂ tablets, H/2"),
            ("10<span style='font-size:70%; vertical-align: super'>9<span>/</span></span><span>L</span>", "10^9/L"),
            ('10<font style="VERTICAL-ALIGN:super">9</p><p>7</font> <b>5</b>', "10^9\n7 5"),
            ("5<img style='vertical-align:sub'>4", "54"),
            ("5.4<footnote ID='f'>See <b>below</b></footnote>, 6", "5.4 (See below), 6"),
        ],
    )
    def test_keeps_a_number_apart_from_what_stands_above_or_below_it(self, markup, said):
        assert blocks.of_markup(markup).plain == said

    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("No <s>known</s> allergies", "No […] allergies"),
            ("<strike>a</strike><strike>b</strike>c", "[…]c"),
            ("<del><p>a</p><del>b</del>c</del>d", "[…]d"),
            ("a<content revised='delete'>b<content>c</content><n1:content/>d</content>e", "a[…]e"),
            ('<span style="color:red; text-decoration: line-through">x</span>y', "[…]y"),
            ("""<b style="font-family:'Arial';text-decoration:line-through">x</b>y""", "[…]y"),
            ("""<b style='font-family:"Arial";text-decoration:line-through'>x</b>y""", "[…]y"),
        ],
    )
    def test_has_a_gap_for_what_was_crossed_out(self, markup, said):
        found = blocks.of_markup(markup)
        assert (found.plain, found.has_gaps) == (said, True)

    @pytest.mark.parametrize(
        "markup", ["<p>a<s>b</p>c", "<s/>a", "<p class='deleted'>a</p>", "<p revised='insert'>a", "<section>a"]
    )
    def test_keeps_what_was_not_crossed_out_for_certain(self, markup):
        found = blocks.of_markup(markup)
        assert "a" in found.plain
        assert not found.has_gaps

    @pytest.mark.parametrize(
        "hiding",
        [
            'style="display:none"', "style='color: red; DISPLAY : none !important'", "hidden", 'class="x" hidden=""',
            'style="visibility:hidden;"', "style=display:none", 'style="font-size: 0"', 'style="font-size:0.0px;x:y"',
            'style="mso-hide:all"', 'style="font:1em &quot;A&quot;;display:none"',
        ],
    )  # fmt: skip
    def test_leaves_out_what_no_browser_shows_and_says_so(self, hiding):
        found = blocks.of_markup(f"<p>No allergies<span {hiding}> but <b>penicillin</b></span>.</p>")
        assert (found.plain, found.has_hidden, found.has_gaps) == ("No allergies.", True, False)

    @pytest.mark.parametrize(
        "showing",
        [
            'class="hidden"', 'style="overflow:hidden"', 'style="font-size:0.8em"', 'aria-hidden="true"',
            'style="display:block"', 'data-hidden="1"', 'title="hidden"', 'style="--display:none"',
            'title="style=\'display:none\'"', 'style="font-size:0.5px"', "style='x-display:none'",
        ],
    )  # fmt: skip
    def test_tells_what_only_sounds_hidden(self, showing):
        found = blocks.of_markup(f"<p {showing}>Penicillin</p>")
        assert (found.plain, found.has_hidden) == ("Penicillin", False)

    def test_tells_what_is_hidden_and_never_ends(self):
        found = blocks.of_markup("<div><p hidden>Penicillin</div>")
        assert (found.plain, found.has_hidden) == ("Penicillin", False)

    @pytest.mark.parametrize(
        "picture",
        [
            "<img src='data:image/png;base64,iVBORw0='>",
            "<img title='image001.png'/>",
            "<IMG width=10>",
            "<svg><path d='M0 0'/></svg>",
        ],
    )
    def test_says_that_it_has_pictures(self, picture):
        found = blocks.of_markup(f"<p>The heart {picture} is large.</p>")
        assert (found.plain, found.lacks_pictures, found.has_pictures) == ("The heart is large.", True, True)

    @pytest.mark.parametrize("part", ["<iframe src='a.html'></iframe>", "<embed src=a.pdf>", "<object data='a'/>"])
    def test_says_that_a_part_of_it_did_not_come_with_it(self, part):
        assert blocks.of_markup(f"<p>Result:{part}</p>").is_damaged
        assert not blocks.of_markup(f"<p>Result:{part.replace(' ', ' width=1 height=1 ', 1)}</p>").is_damaged

    @pytest.mark.parametrize(
        "end", ["<!-- b", "<script>b", "<style>b", "<b", "<a href='x", "<![if b", "<?b", "<![CDATA[b"]
    )
    def test_of_which_something_takes_the_rest_is_not_said_to_be_all(self, end):
        found = blocks.of_markup(f"<p>a {end}")
        assert (found.plain[:1], found.is_damaged) == ("a", True)

    def test_that_is_cut_is_not_damaged_as_well(self):
        found = blocks.of_markup("<p>a<!--" + "b" * blocks.LONGEST_MARKUP + "-->")
        assert (found.plain, found.is_cut, found.is_damaged) == ("a", True, False)

    @pytest.mark.parametrize("markup", ["a<b>b</b>", "a<", "a<!-- b -->", "a<script></script>", "a<p", ""][:4])
    def test_that_ends_as_it_should_is_whole(self, markup):
        assert not blocks.of_markup(markup).is_damaged

    @pytest.mark.parametrize(
        "ornament",
        [
            "<img alt=''>",
            '<img src=x alt="" width=40>',
            "<img width='1' height=1>",
            "<imgx>",
            "<svg aria-hidden='true'>x</svg>",
        ],
    )
    def test_says_nothing_of_ornaments(self, ornament):
        assert not blocks.of_markup(f"<p>a{ornament}</p>").has_pictures

    @pytest.mark.parametrize(
        "markup",
        [
            "<s>" * 300_000, "<s>" + "<s " * 300_000, "<s>" + "<s " * 300_000 + ">", "<s>x</s>" * 100_000,
            "".join(f"<a{number} revised=delete>" for number in range(100_000)),
            "<p style='line-through" + ";" * 500_000, "<p hidden>" * 200_000, "<p hidden" + " hid" * 300_000 + ">",
            "<p style='" + "display:" * 100_000 + "'>x</p>", "".join(f"<a{n} hidden>" for n in range(50_000)),
            "<ol><li><p> " * 60_000, "<li>" + "<p> " * 200_000, "<ol>" * 300_000,
            "<sup>" * 300_000, "</sup>x" * 100_000, "<sup>x" * 100_000,
        ],
        ids=lambda markup: markup[:12],
    )  # fmt: skip
    def test_made_to_be_looked_through_for_ends_is_read_in_one_pass(self, markup):
        with at_most(million_steps=1500):
            assert isinstance(blocks.of_markup(markup).plain, str)

    @pytest.mark.parametrize(
        "markup",
        [
            "<div>" * 10_000 + "x" + "</div>" * 10_000, "<!--" * 200_000, "<svg>" * 200_000, '<a "' * 200_000,
            '<a =">"' * 100_000, "<" * 500_000, "&#" * 300_000, "&#" + "1" * 5000 + ";", "<!" * 300_000,
            "<![CDATA[" * 100_000, "<table><tr><td>" * 50_000, "<p>" * 500_000, "<a " + "=" * 500_000, "<?" * 300_000,
        ],
        ids=lambda markup: markup[:12],
    )  # fmt: skip
    def test_made_to_hurt_is_read_in_one_pass(self, markup):
        assert isinstance(blocks.of_markup(markup).plain, str)

    def test_says_where_it_was_cut(self):
        assert blocks.of_markup("<p>" + "word " * 100_000).is_cut
        assert blocks.of_markup("<p>a</p>" * 20_000).is_cut
        assert not blocks.of_markup("<p>a</p>").is_cut

    @given(st.text(alphabet="<>!-/ =\"'abpscripttdr&;#0\x00\n", max_size=300))
    def test_never_raises(self, markup):
        assert isinstance(blocks.of_markup(markup).plain, str)
