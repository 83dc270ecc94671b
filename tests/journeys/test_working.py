"""A button says that it is working if the answer takes longer than a second."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# The page is not asked while its answer is awaited: it writes down itself what the button says meanwhile.
WRITE_DOWN = """button => new MutationObserver(() => { sessionStorage.said = button.textContent; })
    .observe(button, { childList: true })"""


def late(route: Route) -> None:
    if route.request.is_navigation_request():
        time.sleep(2)
    route.continue_()


class TestAButton:
    def test_says_that_it_is_seen_to_until_the_answer_comes(
        self, site: str, new_page: Callable[..., Page], signed_in: Callable[[Page], None]
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        page.goto(f"{site}/providers/")
        page.route("**/providers/?q=*", late)
        button = page.get_by_role("main").locator("form button").first
        page.get_by_role("main").get_by_role("searchbox").fill("nobody of that name")
        button.evaluate(WRITE_DOWN)
        with page.expect_event("domcontentloaded"):  # what is found while typing changes the address, too
            button.click()
        assert page.evaluate("sessionStorage.said") == "Working…"
        expect(button).to_have_text("Search")
        page.unroute("**/providers/?q=*")
        page.go_back()
        expect(button).to_have_text("Search")

    def test_that_asks_for_a_file_stays_as_it_is(
        self, site: str, new_page: Callable[..., Page], signed_in: Callable[[Page], None]
    ) -> None:
        """Nothing tells the page that the file is there: it would say for long that it works."""
        page = new_page(width=360)
        signed_in(page)
        page.goto(f"{site}/activity/")
        button = page.get_by_role("button", name="Save all activity as a CSV file")
        with page.expect_download():
            button.click()
        page.wait_for_timeout(1200)
        expect(button).to_be_visible()
