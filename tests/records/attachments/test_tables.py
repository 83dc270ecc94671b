"""Tables, lists and sections in a provider's text: each row has everything that applies to it, each text its
heading."""

import pytest

from apps.records.attachments import clinical_documents
from apps.records.presenters.prose import blocks
from apps.records.presenters.prose.blocks import Block, BlockKind
from tests.effort import at_most


def rows(markup):
    return [block.cells for block in blocks.of_markup(markup).blocks if block.kind is BlockKind.ROW]


class TestACell:
    def test_that_is_as_high_as_several_rows_stands_in_each(self):
        table = (
            "<table><tr><td rowspan='3'>Sodium</td><td>140</td><td rowspan=\"2\">mmol/L</td></tr>"
            "<tr><td>141</td></tr><tr><td>142</td><td>mEq/L</td></tr><tr><td>Glucose</td><td>99</td></tr></table>"
        )
        assert rows(table) == [
            ("Sodium", "140", "mmol/L"), ("Sodium", "141", "mmol/L"), ("Sodium", "142", "mEq/L"), ("Glucose", "99"),
        ]  # fmt: skip

    def test_that_is_as_wide_as_several_columns_moves_no_other(self):
        table = (
            "<table><tr><th colspan='2'>Salts</th><th rowspan='2'>Range</th></tr>"
            "<tr><td>Sodium</td><td>140</td></tr></table>"
        )
        assert rows(table) == [("Salts", "Range"), ("Sodium", "140", "Range")]

    def test_reaches_into_no_other_table(self):
        high = "<table><tr><td rowspan='9'>Sodium</td><td>140</td></tr></table>"
        assert rows(f"{high}<table><tr><td>99</td></tr></table>") == [("Sodium", "140"), ("99",)]

    def test_that_is_empty_keeps_its_place_before_another_alone(self):
        found = blocks.of_markup("<tr><td></td><td>Dose</td><td> </td><td>Route</td><td></td><td>&nbsp;</td></tr>")
        assert [block.cells for block in found.blocks] == [("", "Dose", "", "Route")]

    def test_that_is_empty_is_told_as_empty(self):
        (row,) = blocks.of_markup("<tr><td/><td>Dose</td><td> </td><td>Route</td><td/></tr>").blocks
        assert row.told == ("\u2014", "Dose", "\u2014", "Route")
        assert row.plain == "\u2014 Dose \u2014 Route"

    def test_without_a_row_stands_in_that_of_its_part_of_the_table(self):
        parts = "<thead><th>Test</th><th>Value</th></thead><tbody><td>Sodium</td><td>140</td></tbody>"
        assert rows(f"<table>{parts}</table>") == [("Test", "Value"), ("Sodium", "140")]

    def test_that_is_not_closed_ends_where_the_next_begins(self):
        assert rows("<table><tr><td>Sodium<td>140<tr><td>Glucose<td>99</table>") == [
            ("Sodium", "140"),
            ("Glucose", "99"),
        ]

    def test_keeps_the_items_of_a_list_apart(self):
        cell = "<td><list><item>Hives</item><item>Rash:<br/>red</item></list></td><td><p>a</p><p>b</p></td>"
        assert rows(f"<table><tr>{cell}</tr></table>") == [("Hives; Rash: red", "a; b")]

    @pytest.mark.parametrize(
        "table",
        [
            "<tr>" + "<td rowspan=999>" * 20_000 + "<tr><td>x</td></tr>" * 20_000,
            "<tr><td rowspan=999>" + "x" * 200 + "</td></tr>" + "<tr><td>x</td></tr>" * 20_000,
            "<tr>" + "<td colspan=99 rowspan=999>x</td>" * 50_000,
            "<tr><td rowspan=" + "9" * 500_000 + ">x</td></tr>",
        ],
        ids=["many-columns", "long-cells", "wide-cells", "long-number"],
    )
    def test_made_to_hurt_is_read_in_one_pass(self, table):
        with at_most(million_steps=1500):
            read = blocks.of_markup(f"<table>{table}</table>")
        assert len(read.plain) < blocks.MOST_CHARACTERS * 2


class TestAnItem:
    def test_begins_with_its_caption(self):
        section = (
            "<ClinicalDocument><section><title>Plan</title><text><list><caption>Steps</caption>"
            "<item><caption>First</caption>walk</item><item>Second</item></list></text></section>"
        )
        assert clinical_documents.read(section).blocks == (
            Block(BlockKind.HEADING, "Plan"),
            Block(BlockKind.HEADING, "Steps"),
            Block(BlockKind.ITEM, "First walk"),
            Block(BlockKind.ITEM, "Second"),
        )


class TestASectionOfAClinicalDocument:
    @pytest.mark.parametrize("title", ["", "<title/>", "<title nullFlavor='UNK'> </title>"])
    def test_without_a_title_is_called_by_its_code(self, title):
        code = "<code code='48765-2' displayName='Allergies &amp;  reactions'><translation displayName='x'/></code>"
        inner = (
            "<component><section><code displayName='Inner'/><title>Food</title><text>milk</text></section></component>"
        )
        section = f"<section>{code}{title}<text>none</text>{inner}</section><section><text>loose</text></section>"
        found = clinical_documents.read(f"<ClinicalDocument><code displayName='CCD'/>{section}")
        assert [(block.kind, block.text) for block in found.blocks] == [
            (BlockKind.HEADING, "Allergies & reactions"), (BlockKind.PARAGRAPH, "none"),
            (BlockKind.HEADING, "Food"), (BlockKind.PARAGRAPH, "milk"), (BlockKind.PARAGRAPH, "loose"),
        ]  # fmt: skip
