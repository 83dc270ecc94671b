"""After looking at a provider, the search still has what was typed."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestTheWayBackToASearch:
    def test_finds_what_was_typed_and_its_results(
        self, new_page: Callable[..., Page], site: str, signed_in: Callable[[Page], None]
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        page.goto(f"{site}/providers/")
        page.locator("#q").press_sequentially("willow creek")
        result = page.locator("#results a.row-link").first
        expect(page.locator("#results h2")).to_contain_text("found")
        expect(page).to_have_url(re.compile(r"/providers/\?q=willow(\+|%20)creek$"))
        result.click()
        expect(page.locator("#q")).to_have_count(0)
        page.go_back()
        expect(page.locator("#q")).to_have_value("willow creek")
        expect(page.locator("#results a.row-link").first).to_be_visible()
        expect(page.locator("h1")).to_have_count(1)

    def test_keeps_no_page_in_the_browser(
        self, new_page: Callable[..., Page], site: str, signed_in: Callable[[Page], None]
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        page.goto(f"{site}/providers/")
        page.locator("#q").press_sequentially("willow creek")
        expect(page).to_have_url(re.compile(r"\?q=willow"))
        kept = page.evaluate("[...Object.values(localStorage), ...Object.values(sessionStorage)].join()")
        assert "<" not in kept
