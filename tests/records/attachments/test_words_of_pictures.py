"""Pictures that no page can show are described in words instead."""

import pytest
from django.urls import reverse

from apps.records.attachments import opening
from apps.records.presenters.prose import blocks
from tests.effort import at_most
from tests.records.attachments.filing import hold, inline


def told(markup):
    """The text, and whether it says that pictures are lacking and that words stand for them."""
    found = blocks.of_markup(markup)
    return found.plain, found.lacks_pictures, found.has_captions


class TestAPicture:
    @pytest.mark.parametrize(
        ("picture", "said"),
        [
            ('<img src="x.png" alt="Chart of weight, 2024">', "[Chart of weight, 2024]"),
            ("<img alt='Chart of\n weight &lt; 80'/>", "[Chart of weight < 80]"),
            ('<img title="Rash on the arm">', "[Rash on the arm]"),
            ('<img aria-label="Rash" title="other">', "[Rash]"),
            ('<math alttext="x = 1/2"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', "[x = 1/2]"),
            ("<svg aria-label='Trend'/>", "[Trend]"),
            (
                "<svg><title>Weight</title><text>So<tspan>dium</tspan></text><g>140<tspan x=2>high</g></svg>",
                "[Weight; Sodium; 140 high]",
            ),
            (
                "<svg><style>.a{}</style><metadata>Program</metadata><defs><text>no</text></defs><text>5</text></svg>",
                "[5]",
            ),
            ("<svg><text style='display:none'>seen by nobody</text><text>72 kg</text></svg>", "[72 kg]"),
        ],
    )
    def test_is_told_in_its_place_by_what_its_author_says_of_it(self, picture, said):
        assert told(f"<p>Before {picture} behind</p>") == (f"Before {said} behind", True, True)

    @pytest.mark.parametrize("alt", ["image001.png", "", " ", "x", "X", "[x]", "[ ]", "____", "scan-12.jpeg"])
    def test_is_told_by_no_word_that_says_nothing_or_seems_to_be_a_mark(self, alt):
        plain, _lacks, has_captions = told(f"<p>Fever <img src='a' alt='{alt}'> none</p>")
        assert (plain, has_captions) == ("Fever none", False)

    def test_is_said_to_be_told_so_in_the_text_to_save(self):
        saved = opening._told(b"<p>Before <img alt='A chart'></p>", {"contentType": "text/html"}).handed_out.decode()
        remark = "The document has pictures. They are not in this text. What it says about them is in [ ]."
        assert saved == f"Before [A chart]\n\n{remark}\n"

    @pytest.mark.django_db
    def test_is_said_to_be_told_so_on_the_page(self, hers, linked):
        record = hold(linked, inline(b"<p>Before <img alt='A chart'></p>", "text/html"))
        page = hers.get(reverse("file", args=[record.pk, 0])).content.decode()
        assert "Before [A chart]" in page
        assert "What it says about them is in [ ]." in page

    def test_keeps_its_place_in_a_table(self):
        (row,) = blocks.of_markup("<table><tr><td>Weight<td><img alt='A chart'><td>5 kg</table>").blocks
        assert row.cells == ("Weight", "[A chart]", "5 kg")

    @pytest.mark.parametrize("of", ["aria-hidden=true", "width=1 height=1"])
    def test_that_nobody_sees_is_not_told(self, of):
        assert told(f"<p>Before <img alt='A chart' {of}> behind</p>")[0] == "Before behind"

    def test_says_where_its_words_are_cut(self):
        assert told(f"<img alt='{'long ' * 1000}'>")[0] == f"[{('long ' * 100)}…]".replace(" …", " …")
        drawn = told("<svg>" + "<text>long</text>" * 3000 + "</svg>")[0]
        assert drawn.endswith("…]")
        assert len(drawn) < 3000

    @pytest.mark.parametrize(
        "markup",
        [
            "<svg><text>a</text></svg>" * 150_000,
            "<svg>" * 400_000,
            "<svg><svg>" * 200_000 + "</svg>",
            "<img alt='" + "a" * 5_000_000,
            "<img " + "a=1 " * 1_200_000 + " alt=chart>",
            "<svg>" + "<g>" * 1_000_000 + "</svg>",
        ],
        ids=["many", "open", "nested", "without an end", "with many attributes", "deep"],
    )
    def test_made_to_keep_us_busy_takes_no_longer_than_other_markup(self, markup):
        with at_most(million_steps=250):
            blocks.of_markup(markup)
