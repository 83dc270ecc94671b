"""A letter in a symbol font is shown as its symbol: 5 μg must not become 5 mg."""

import pytest

from apps.records.presenters.prose import blocks, rich_text, symbols
from tests.effort import at_most

FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f3\froman\fcharset2\fprq2{\*\panose 0505}Symbol;}"
    r"{\f4\fcharset2 Wingdings;}{\f5 Wingdings 2;}}"
)


class TestASignOfHtml:
    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("5 <font face='Symbol'>m</font>g", "5 μg"),
            ("5 <span style='font-family:Symbol'>m</span>g", "5 μg"),
            ('5 <FONT FACE="symbol, serif">m</FONT>g', "5 μg"),
            ("""5 <i style='color:red;font: 12pt "Symbol"'>m</i>g""", "5 μg"),
            ("""5 <span style="font:italic 12pt/1.5 Symbol, serif">m</span>g""", "5 μg"),
            ("Sodium <font face=Symbol>\xa3 \uf0b3</font> 7", "Sodium ≤ ≥ 7"),
            ("<font face=Wingdings>þ</font> Fever <font face=Wingdings>\xa8 </font>Cough", "☑ Fever ☐ Cough"),
            ("<b><font face=Symbol><b>m</font>g</b> more", "μg more"),
            ("<font face=Symbol>m<span>m</span><span style='font-family:Arial'>m</span>m</font>m", "μμmμm"),
            ("<font face=Symbol>a<br>b</font>c", "\u03b1\nβc"),
        ],
    )
    def test_is_told_as_one(self, markup, said):
        assert blocks.of_markup(f"<p>{markup}</p>").plain == said

    def test_of_a_list_in_a_word_processor_is_a_bullet(self):
        inner = (
            """<span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span>"""
        )
        found = blocks.of_markup(f"<p><span style='font-family:Symbol;color:red'>{inner}</span>milk</p>")
        assert found.plain == "• milk"

    def test_stands_in_its_cell_alone(self):
        row = "<tr><td style='font-family:Wingdings'>þ</td><td>o</td></tr>"
        assert blocks.of_markup(f"<table>{row}</table>").blocks[0].cells == ("☑", "o")

    @pytest.mark.parametrize(
        "font",
        ["face=Arial", "face='Segoe UI Symbol'", "style='font-family:Arial, Symbol'", "class=Symbol", "title='Symbol'"],
    )
    def test_is_a_letter_in_any_other_font(self, font):
        assert blocks.of_markup(f"<p>5 <span {font}>m</span>g").plain == "5 mg"

    def test_that_never_ends_ends_with_its_block(self):
        assert blocks.of_markup("<p>5 <font face=Symbol>m<p>mg").plain == "5 μ\nmg"

    def test_made_to_hurt_is_read_in_one_pass(self):
        with at_most(million_steps=1000):
            for markup in ("<font face=Symbol>" * 100_000, "<b face=Symbol></i>" * 80_000):
                blocks.of_markup(markup)
            for style in ("font:", "font-family:", "font: a "):
                blocks.of_markup(f"<b style='{style * 100_000}Symbol'>x")


class TestASignOfRichText:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (r"5 {\f3 m}g", "5 μg"),
            (r"5 \f3 m\f0 g", "5 μg"),
            (r"5 \f3 m\plain g", "5 μg"),
            (r"{\f3\'a3}7, {\f3\u-3917?}9", "≤7, ≥9"),
            (r"{\f4\'fe}Fever {\f4\'a8}Cough {\f4 o}Rash {\f5 R}Pain", "☑Fever ☐Cough ☐Rash ☑Pain"),
            (r"{\pntext\f3\'B7\tab}milk", "• milk"),
            (r"5 {\f0 m}g {\f9 m}g", "5 mg mg"),
        ],
    )
    def test_is_told_as_one(self, content, said):
        assert rich_text.of_text("{\\rtf1\\deff0" + FONTS + content + "}").plain == said


class TestAFont:
    def test_has_a_sign_in_every_place(self):
        for name in ("Symbol;", " wingdings", '"Wingdings 2"'):
            signs = symbols.of_font(name)
            assert signs is not None
            assert all(len(signs[place]) == 1 and signs[0xF000 + place] == signs[place] for place in range(0x20, 0x100))

    def test_of_letters_has_none(self):
        assert symbols.of_font("Times New Roman") is None

    @pytest.mark.parametrize(("letter", "sign"), [*zip("mabgDWS\xb0\xb1\xae\xac\xb7", "μαβγΔΩΣ°±→←•", strict=True)])
    def test_of_symbols_is_as_its_maker_says(self, letter, sign):
        signs = symbols.of_font("Symbol")
        assert signs is not None
        assert signs[ord(letter)] == sign
