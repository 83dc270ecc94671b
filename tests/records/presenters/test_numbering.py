"""Ordered lists keep the numbers that their text refers to."""

import pytest

from apps.records.presenters.prose import blocks
from apps.records.presenters.prose.blocks import Block, BlockKind


class TestAnOrderedList:
    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("<ol><li>Stop it<li>Call us</ol>", "1. Stop it\n2. Call us"),
            ("<list listType='ordered'><item>a</item><item>b</item></list>", "1. a\n2. b"),
            ("<list listType='unordered'><item>a</item></list><list><item>b</item></list>", "a\nb"),
            ("<ol start='4'><li>a</li><li value='9'>b</li><li>c</li></ol>", "4. a\n9. b\n10. c"),
            ("<ol type='a'><li>a</li><li>b</li></ol>", "a. a\nb. b"),
            ("<ol type='A' start='27'><li>a</li></ol>", "AA. a"),
            ("<ol style='color:red;list-style-type:lower-roman' start=4><li>a</li><li>b</li></ol>", "iv. a\nv. b"),
            ("<list listType='ordered' styleCode='BigRoman'><item>a</item></list>", "I. a"),
            ("<list listType='ordered' styleCode='LittleAlpha'><item>a</item></list>", "a. a"),
            ("<ol type='i' start='4000'><li>a</li></ol>", "4000. a"),
            ("<ol start='0'><li>a</li></ol>", "0. a"),
            ("<ol start='-3'><li>a</li><li>b</li><li value='-1'>c</li></ol>", "-3. a\n-2. b\n-1. c"),
            ("<ol style='list-style-type:none'><li>a</li></ol><ol reversed><li>b</li></ol>", "a\nb"),
            ("<ol><li>a<ul><li>x</li></ul></li><li>b</li></ol>", "1. a\nx\n2. b"),
            ("<ol><li>a<ol><li>x</li></ol></li><li>b</li></ol>", "1. a\n1. x\n2. b"),
            ("<ol><li> <p>a</p><p>more</p></li><li></li><li>c</li></ol>", "1. a\nmore\n3. c"),
            ("<table><tr><td><ol><li>a</li><li>b</li></ol></td><td>c</td></tr></table>", "1. a; 2. b c"),
            ("</ol><li>a</li></ol>", "a"),
        ],
    )
    def test_has_its_numbers_as_they_are_written(self, markup, said):
        assert blocks.of_markup(markup).plain == said

    def test_is_told_apart_from_one_without_numbers(self):
        assert blocks.of_markup("<ol><li><p>a</p></li></ol><ul><li><p>b</p></li></ul>").blocks == (
            Block(BlockKind.NUMBERED, "1. a"),
            Block(BlockKind.ITEM, "b"),
        )
