"""RTF is shown as its text, and the page says what that leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.prose import rich_text
from apps.records.presenters.prose.blocks import Block, BlockKind
from tests.records.attachments.test_reading import RTF


def read(content):
    return rich_text.of_text(content.decode("cp1252"))


class TestRichText:
    def test_reads_as_its_text(self):
        assert read(RTF).blocks == (Block(text="Heart clinic"), Block(text="café €5"))

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"Seen by {\upr{Nu?ez}{\*\ud{Nu\u241?ez}}} today", "Seen by Nu\u00f1ez today"),
            (r"Seen by {\upr{Nu?ez}} today", "Seen by Nu?ez today"),
            (r"Seen by {\upr{Nu?ez}{\*\other{Nu\u241?ez}}} today", "Seen by Nu?ez today"),
            (r"Seen {\v {\upr{Nu?ez}{\*\ud{Nu\u241?ez}}}} today", "Seen today"),
            (r"Seen {\*\bkmkstart {\upr{a}{\*\ud{b}}}} today", "Seen today"),
            (r"{\upr{a}{\*\ud{b}}}{\*\ud{c}}", "b"),
        ],
        ids=["both", "the older alone", "something else", "hidden", "left out", "by itself"],
    )
    def test_says_once_what_is_written_for_older_readers_as_well(self, content, said):
        assert rich_text.of_text("{\\rtf1 " + content + "}").plain == said

    def test_has_rows(self):
        found = read(rb"{\rtf1\trowd Drug\cell Dose\cell\row after}")
        assert found.blocks == (Block(BlockKind.ROW, cells=("Drug", "Dose")), Block(text="after"))

    @pytest.mark.parametrize(
        "content",
        [
            r"\pard\intbl Drug\cell Dose\cell{\trowd\cellx1\row}\pard\intbl A\cell B\cell{\trowd\row}",
            r"{\trowd\cellx1}\pard\intbl Drug\cell Dose\cell\row\pard\intbl A\cell B\cell\row",
            r"\trowd\pard\intbl Drug\cell Dose\cell\row\trowd\intbl A\cell B\cell\row",
            r"Drug\cell Dose\cell\row A\cell B\cell\row",
        ],
        ids=["described at the end", "described once", "described at the beginning", "not described"],
    )  # fmt: skip
    def test_has_rows_wherever_they_are_described(self, content):
        found = rich_text.of_text("{\\rtf1 Before\\par " + content + "\\pard after}").blocks
        assert [" ".join(block.cells) or block.text for block in found] == ["Before", "Drug Dose", "A B", "after"]

    def test_has_a_table_in_a_cell_between_what_stands_before_and_behind_it(self):
        row = r"\pard\intbl\itap2 %s\nestcell %s\nestcell{\*\nesttableprops\trowd\cellx1\nestrow}{\nonesttables\par X}"
        nested = row % ("Na", "140") + row % ("K", "4.1")
        content = r"\trowd\pard\intbl Salts\cell " + nested + r"\pard\intbl\itap1 today\cell low\cell\row\pard after"
        found = rich_text.of_text("{\\rtf1 " + content + "}").blocks
        assert [block.cells or block.text for block in found] == [
            ("Salts",), ("Na", "140"), ("K", "4.1"), ("today", "low"), "after",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"caf\'e9 {\f1\'cf\'f0\'e8} \f2\'e1\plain\'e1", "caf\u00e9 \u041f\u0440\u0438 \u03b1\u00e1"),
            (r"{\f3\'93\'fa\'83A}", "\u65e5\u30a2"),
            (r"\mac\'8e", "\u00e9"),
            (r"\ansicpg1250\'b3", "\u0142"),
            (r"\u-10179?\u-8704?, \u-10179?x", "\U0001f600, \ufffdx"),
            (r"\uc2\u8364 ab5\uc0\u8805 7", "\u20ac5\u22657"),
        ],
    )
    def test_is_read_in_its_own_characters(self, content, said):
        fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\cpg1253 C;}{\f3\fcharset128 D;}}"
        assert rich_text.of_text("{\\rtf1\\deff0" + fonts + content + "}").plain == said

    @pytest.mark.parametrize(
        ("field", "result", "said"),
        [
            (r"\fftype1\ffres1\ffdefres0", "", "[x]"),
            (r"\fftype1\ffres0\ffdefres1", "", "[ ]"),
            (r"\fftype1\ffres25\ffdefres1", "", "[x]"),
            (r"\fftype1", "", "[ ]"),
            (r"\fftype2\ffres1{\*\ffl Never}{\*\ffl Former}", "", "Former"),
            (r"\fftype2\ffres1{\*\ffl Never}{\*\ffl Former}", "Former", "Former"),
            (r"\fftype2\ffres9{\*\ffl Never}", "", "____"),
            (r"\fftype0{\*\ffdeftext x}", "72 kg", "72 kg"),
        ],
    )
    def test_tells_what_was_filled_in(self, field, result, said):
        content = r"{\field{\*\fldinst FORM {\*\formfield{" + field + r"{\*\ffname a}}}}{\fldrslt " + result + "}}"
        found = rich_text.of_text("{\\rtf1 Before: " + content + " after}")
        assert (found.plain, found.has_marks) == (f"Before: {said} after", said[0] in "[_")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"{\header Clinic}{\footerf Page 1}Body", "Clinic\nPage 1\nBody"),
            (
                r"Body{\shp{\*\shpinst{\sp{\sn x}}{\shptxt In it\par}}{\shprslt{\*\do{\dptxbxtext In it}}}}x",
                "Body\nIn it\nx",
            ),
            (r"Body{\*\do{\dptxbxtext In a box}}x", "Body\nIn a box\nx"),
            (r"Body{\*\atnid 1}{\*\annotation Or 6?}", "Body (Or 6?)"),
            (r"Body{\object\objemb{\*\objdata 01}{\result in it}}", "Bodyin it"),
            (r"10{\up6 9}/L a\dn4 1\dn0 2{\xe Index}", "10^9/L a12"),
        ],
    )  # fmt: skip
    def test_tells_what_stands_elsewhere_on_the_page(self, content, said):
        assert rich_text.of_text("{\\rtf1 " + content + "}").plain == said

    def test_shows_no_link_and_no_object(self):
        hostile = rb"{\rtf1 a{\field{\*\fldinst HYPERLINK canary}{\fldrslt b}}{\object\objdata canary}{\*\x canary}c}"
        assert read(hostile).plain == "abc"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"No {\strike known }allergies", "No […]allergies"),
            (r"a\strike b\strike0 c", "a[…]c"),
            (r"a\striked1 b\plain c", "a[…]c"),
            (r"Take {\deleted 2{\b  or 3}}4", "Take […]4"),
            (r"a\strike b{\strike0 c}d\par e", "a[…]c[…]\n[…]"),
        ],
    )
    def test_has_a_gap_for_what_was_crossed_out(self, content, said):
        found = rich_text.of_text("{\\rtf1 " + content + "}")
        assert (found.plain, found.has_gaps) == (said, True)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"5.4{\super 1} m{\super 2} H{\sub 2}O", "5.4¹ m² H2O"),
            (r"5.4{\super\chftn}{\footnote \chftn See {\b below}}, 6", "5.4 (See below), 6"),
        ],
    )
    def test_shows_nothing_as_a_digit_that_is_none(self, content, said):
        found = rich_text.of_text("{\\rtf1 " + content + "}")
        assert (found.plain, found.has_gaps, found.has_hidden) == (said, False, False)

    @pytest.mark.parametrize(
        ("content", "said"), [(r"a{\v b}c", "ac"), (r"a\v b\v0 c", "ac"), (r"{\super\v x\v0 2}", "²")]
    )
    def test_says_that_it_hides_something(self, content, said):
        found = rich_text.of_text("{\\rtf1 " + content + "}")
        assert (found.plain, found.has_hidden) == (said, True)

    @pytest.mark.parametrize("picture", [r"{\pict 0101}", r"{\*\shppict{\pict 0101}}{\nonshppict{\pict 01}}"])
    def test_says_that_it_has_pictures(self, picture):
        found = rich_text.of_text("{\\rtf1 a" + picture + "b}")
        assert (found.plain, found.has_pictures) == ("ab", True)
        assert not rich_text.of_text(r"{\rtf1 a\pard b}").has_pictures

    def test_skips_binary_data_by_its_length(self):
        assert read(rb"{\rtf1 a{\pict\bin6 }}}{{{}b}").plain == "ab"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"a\bin9999 Allergic to penicillin}", "aAllergic to penicillin"),
            (r"a{\pict\bin9999 0101}b}", "ab"),
            ("a{\\pict\\bin9999 \0\1}{b}\\par c", "a"),
            (r"a{\info b", "a"),
            (r"Take one tabl", "Take one tabl"),
        ],
        ids=["a wrong length", "a wrong length of a picture", "data that is cut", "a part without end", "no end"],
    )
    def test_that_is_damaged_tells_what_can_be_read_and_says_so(self, content, said):
        found = rich_text.of_text("{\\rtf1 " + content)
        assert (found.plain, found.is_damaged) == (said, True)

    def test_that_is_whole_is_not_said_to_be_damaged(self):
        assert not rich_text.of_text(r"{\rtf1 a{\pict\bin6 }}}{{{}b}").is_damaged
        assert not read(RTF).is_damaged

    @pytest.mark.parametrize(
        "content",
        [
            b"{" * 100_000,
            b"}" * 100_000,
            b"\\" * 500_001,
            rb"\'e9" * 200_000,
            rb"\u99999999 " * 50_000,
            rb"\bin9999999999",
            rb"\bin9999999999 " * 300_000,
            rb"{\fonttbl\f1" * 100_000,
            rb"\itap2\nestcell\itap3\nestrow" * 50_000,
            rb"{\field\fftype2\ffl a" * 100_000,
            rb"\fonttbl " + b"a" * 1_000_000 + rb"\f1{}x" * 100_000,
            rb"\ansicpg932\'93" * 100_000,
        ],
        ids=lambda content: content[:8].decode(),
    )
    def test_made_to_hurt_is_read_in_one_pass(self, content):
        assert isinstance(read(rb"{\rtf1 " + content).plain, str)

    @given(
        st.lists(st.sampled_from((b"{", b"}", b"\\par ", b"\\u-1?", b"\\'c3", b"\\*", b"\\uc3 ", b"\\bin2 ", b"ab")))
    )
    def test_never_raises(self, parts):
        assert isinstance(read(b"{\\rtf1" + b"".join(parts)).plain, str)
