"""A word of any length breaks at the edge of the narrowest phone, on every page that shows one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from config import env

pytestmark = pytest.mark.browser

STYLESHEET = Path(env.ROOT / "static" / "holdfast.css").read_text()
WORD = "N" * 200
OFFICIAL = "Fasting glucose [Mass/volume] in Capillary blood by Glucometer"
PLACES = {
    "a heading": f"<h1>{WORD}</h1>",
    "a paragraph": f"<p class='lead'>{WORD}</p>",
    "a row that is a link": f"<ul class='rows'><li><a class='row-link' href='/'><div>{WORD}</div></a></li></ul>",
    "a row": f"<ul class='rows'><li><a class='row-title' href='/'>{WORD}</a></li></ul>",
    "a choice": f"<fieldset class='field'><p class='choice'><input type='radio'><label>{WORD}</label></p></fieldset>",
    "a notice": f"<div class='notice info'><div><p class='title'>{WORD}</p></div></div>",
    "a button": f"<div class='actions'><a class='button' href='/'>{WORD}</a></div>",
    "a fact": f"<dl class='facts'><div><dt>{WORD}</dt><dd>{WORD}</dd></div></dl>",
    "a link in a fact": f"<dl class='facts'><div><dd><a href='/'>{WORD}</a> {WORD}</dd></div></dl>",
    "a further entry": f"<div class='under'><ul><li><a href='/'>{WORD}</a></li></ul></div>",
    "a filter": f"<nav class='filters'><a class='chip' href='/'>{WORD}</a></nav>",
    "a status": f"<p><span class='status'><svg class='icon'></svg>{WORD}</span></p>",
}


class TestALongWord:
    @pytest.mark.parametrize("width", [320, 1280])
    def test_makes_no_page_scroll_sideways(self, new_page: Callable[..., Page], width: int) -> None:
        page, overflows = new_page(width=width), {}
        for place, markup in PLACES.items():
            page.set_content(f"<main class='band'><div class='column'>{markup}</div></main>")
            page.add_style_tag(content=STYLESHEET)
            overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if overflow > 0:
                overflows[place] = overflow
        assert overflows == {}


class TestALongName:
    @pytest.mark.parametrize("name", [WORD, "Harbor " * 28])
    def test_leaves_room_for_others_on_a_phone(self, new_page: Callable[..., Page], name: str) -> None:
        page = new_page(width=360)
        row = f"<li><a class='row-link' href='/'><div><span class='row-title name'>{name}</span></div></a></li>"
        page.set_content(f"<main class='band'><div class='column'><ul class='rows'>{row}</ul></div></main>")
        page.add_style_tag(content=STYLESHEET)
        box = page.locator("li").bounding_box()
        assert box is not None
        assert box["height"] < 180

    def test_that_a_test_officially_has_is_whole_beside_ours_on_the_narrowest_phone(
        self, new_page: Callable[..., Page]
    ) -> None:
        page = new_page(width=320)
        name = f"Azúcar en sangre en ayunas, con medidor <span class='theirs'>({OFFICIAL})</span>"
        row = f"<li><a class='row-link' href='/'><div><span class='row-title name'>{name}</span></div></a></li>"
        page.set_content(f"<main class='band'><div class='column'><ul class='rows'>{row}</ul></div></main>")
        page.add_style_tag(content=STYLESHEET)
        hidden = page.locator(".name").evaluate("name => name.scrollHeight - name.clientHeight")
        assert hidden == 0

    def test_leaves_no_line_empty_where_it_follows_a_date(self, new_page: Callable[..., Page]) -> None:
        page = new_page(width=360)
        parts = f"<span>Collected March 9</span> <span id='name'><span>\u00b7 </span>{WORD}</span>"
        page.set_content(f"<main class='band'><p class='row-detail parts'>{parts}</p></main>")
        page.add_style_tag(content=STYLESHEET)
        above = page.evaluate("""() => {
          const part = document.querySelector('#name'), name = document.createRange();
          name.selectNodeContents(part.lastChild);
          return name.getBoundingClientRect().top - part.getBoundingClientRect().top;
        }""")
        assert above < 10


class TestAWideTable:
    @pytest.mark.parametrize("region", ["table-region", "values-region"])
    def test_scrolls_by_itself_also_where_words_for_the_ear_stand_in_it(
        self, new_page: Callable[..., Page], region: str
    ) -> None:
        page = new_page(width=320)
        cells = f"<th>{OFFICIAL.replace(' ', '_')}</th><td><span class='visually-hidden'>millimeters</span></td>"
        page.set_content(f"<main class='band'><div class='{region}'><table><tr>{cells}</tr></table></div></main>")
        page.add_style_tag(content=STYLESHEET)
        assert page.evaluate("document.querySelector('table').scrollWidth") > 320
        assert page.evaluate("document.scrollingElement.scrollWidth") == 320


class TestACardToCarry:
    @pytest.mark.parametrize("part", [f"<p>{WORD}</p>", "<span class='carried-blank'></span>"])
    def test_holds_all_that_is_on_it_where_letters_are_twice_as_large(
        self, new_page: Callable[..., Page], part: str
    ) -> None:
        page = new_page(width=320)
        item = f"<div class='carried-item'><dl><div><dt>{WORD}:</dt><dd>{part}</dd></div></dl></div>"
        card = f"<article class='carried'><section>{item}</section></article>"
        page.set_content(f"<main class='band'><div class='column'>{card}</div></main>")
        page.add_style_tag(content=f"{STYLESHEET} html {{ font-size: 200% }}")
        outside = page.evaluate("""() => {
          const edge = document.querySelector('.carried').getBoundingClientRect().right;
          const all = [...document.querySelectorAll('.carried *')];
          return all.filter(each => each.getBoundingClientRect().right > edge).length;
        }""")
        assert outside == 0


class TestARowOnPaper:
    def test_stays_whole_unless_further_entries_stand_under_it(self, new_page: Callable[..., Page]) -> None:
        """Firefox left a heading and an empty frame behind where a row went to the next sheet whole."""
        page = new_page(width=1280)
        others = "<ul class='summary-others'><li>Finished</li></ul>"
        page.set_content(f"<ul class='rows summary-rows'><li>aspirin</li><li>lisinopril{others}</li></ul>")
        page.add_style_tag(content=STYLESHEET)
        page.emulate_media(media="print")
        rows = page.locator(".rows > li")
        assert rows.evaluate_all("rows => rows.map(row => getComputedStyle(row).breakInside)") == ["avoid", "auto"]
