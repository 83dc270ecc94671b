"""Text that a browser shows apart stays apart, and text that it shows as one word stays one word."""

import pytest

from apps.records.presenters.prose import blocks
from tests.effort import at_most


def said(markup):
    return blocks.of_markup(markup).plain


class TestAnElementInALine:
    @pytest.mark.parametrize(
        "style", ["display:block", "color:red; display: flex", "DISPLAY:table-row", "display:list-item"]
    )
    def test_that_is_a_block_by_its_style_has_lines_of_its_own(self, style):
        spans = f"<span style='{style}'>Dose</span><span style='{style}'>5 <span>m</span><span>g</span></span>"
        assert said(f"<p>{spans} daily</p>") == "Dose\n5 mg\ndaily"

    @pytest.mark.parametrize(
        "style",
        [
            "display:inline-block", "display:table-cell", "float:right", "position:absolute; left:9px",
            "x:y;float:left", "margin-left:2em", "padding-right: 12px", "margin-left:.5em",
        ],
    )  # fmt: skip
    def test_that_stands_apart_by_its_style_is_no_part_of_a_word(self, style):
        assert said(f'<p>Dose<span style="{style}">5 mg</span>now</p>') == "Dose 5 mg now"
        assert said(f'<p>(<span style="{style}">5 mg</span>),</p>') == "( 5 mg),"

    @pytest.mark.parametrize(
        "showing",
        ["", "style='display:inline'", "style='margin-left:0px'", "class='display:block'", "style='margin-left:2px'"],
    )
    def test_that_only_looks_different_is_a_part_of_its_word(self, showing):
        assert said(f"<p><b>10</b><span {showing}>0</span> mg, <i>peni</i><u>cillin</u></p>") == "100 mg, penicillin"

    @pytest.mark.parametrize("name", ["button", "output", "meter", "progress", "option", "td", "th"])
    def test_that_is_shown_apart_by_its_kind_is_no_part_of_a_word(self, name):
        assert said(f"<p>Pain<{name}>-7</{name}><{name}>10</{name}></p>") == "Pain -7 10"

    def test_that_we_do_not_know_holds_words_of_its_own(self):
        assert said("<n:name>Aspirin</n:name><n:dose>81</n:dose>") == "Aspirin 81"
        assert said("<p>In <st1:city>Boston</st1:city>'s (<st1:state>MA</st1:state>).</p>") == "In Boston's (MA)."

    def test_that_is_a_block_leaves_its_item_one(self):
        found = blocks.of_markup("<ol><li><span style='display:block'>Dose</span>5 mg</li></ol>")
        assert [(block.kind, block.text) for block in found.blocks] == [("numbered", "1. Dose\n5 mg")]

    def test_made_to_hurt_is_read_in_one_pass(self):
        with at_most(million_steps=1000):
            for style in ("display:", "margin-left:", "margin-left:" + "9" * 200_000, "display:inline-" * 20_000):
                said(f"<span style='{style * (1 if len(style) > 99 else 30_000)}'>x")
            said("<span style='float:left'>" * 100_000 + "</span>" * 100_000)


class TestABlock:
    @pytest.mark.parametrize(
        "name",
        ["main", "nav", "aside", "details", "figcaption", "center", "hgroup", "dialog", "search", "noscript", "summary",
         "legend"],
    )  # fmt: skip
    def test_is_told_apart_from_the_next(self, name):
        assert said(f"<{name}>Dose</{name}><{name}>5 mg</{name}>") == "Dose\n5 mg"


class TestALine:
    @pytest.mark.parametrize("ending", ["<br>", "<br/>", "<BR clear=all />", "</br>", "<br></br>"])
    def test_ends_as_in_a_browser(self, ending):
        assert said(f"<p>Dose{ending}5 mg</p>") == "Dose\n5 mg"


class TestACell:
    def test_begins_the_row_that_it_has_none_of(self):
        found = blocks.of_markup("<table><td>Dose</td><td>5 mg</td></table><p>Daily</p>")
        assert [block.cells or block.text for block in found.blocks] == [("Dose", "5 mg"), "Daily"]

    def test_behind_a_table_in_its_row_is_told(self):
        inner = "<table><tr><td>Sodium</td><td>140</td></tr></table>"
        found = blocks.of_markup(f"<table><tr><td>Salts{inner}</td><td>Range</td><td>low</td></tr></table>")
        assert [block.cells for block in found.blocks] == [("Salts",), ("Sodium", "140"), ("Range", "low")]


class TestAQuotation:
    def test_is_told_as_one(self):
        assert said("<p>He said <q>no pain</q>.</p>") == 'He said "no pain".'
