"""RTF reads as its text, and says what it leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.prose import rich_text
from apps.records.presenters.prose.blocks import Block, BlockKind
from tests.records.downloading.test_reading import RTF


class TestRichText:
    def test_reads_as_its_text(self):
        assert rich_text.read(RTF).blocks == (Block(text="Heart clinic"), Block(text="café €5"))

    def test_has_rows(self):
        found = rich_text.read(rb"{\rtf1\trowd Drug\cell Dose\cell\row after}")
        assert found.blocks == (Block(BlockKind.ROW, cells=("Drug", "Dose")), Block(text="after"))

    def test_shows_no_link_and_no_object(self):
        hostile = rb"{\rtf1 a{\field{\*\fldinst HYPERLINK canary}{\fldrslt b}}{\object\objdata canary}{\*\x canary}c}"
        assert rich_text.read(hostile).plain == "abc"

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
        assert rich_text.read(rb"{\rtf1 a{\pict\bin6 }}}{{{}b}").plain == "ab"

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
        assert not rich_text.read(RTF).is_damaged

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
        ],
        ids=lambda content: content[:8].decode(),
    )
    def test_made_to_hurt_is_read_in_one_pass(self, content):
        assert isinstance(rich_text.read(rb"{\rtf1 " + content).plain, str)

    @given(
        st.lists(st.sampled_from((b"{", b"}", b"\\par ", b"\\u-1?", b"\\'c3", b"\\*", b"\\uc3 ", b"\\bin2 ", b"ab")))
    )
    def test_never_raises(self, parts):
        assert isinstance(rich_text.read(b"{\\rtf1" + b"".join(parts)).plain, str)
