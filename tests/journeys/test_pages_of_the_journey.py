"""Every page that a patient meets while linking: axe finds nothing and nothing scrolls sideways, in light and dark."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from development.control import Sandbox
from tests.journeys.walking import PROVIDER, Walk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
class TestThePagesOfLinking:
    def test_are_accessible(
        self,
        width: int,
        scheme: str,
        site: str,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=width, color_scheme=scheme)
        walk = Walk(page, site, see=assert_accessible)
        walk.to("/")
        signed_in(page)
        walk.to("/")
        walk.to("/connections/")
        walk.link("r4")
        for link in ("/connections/", "/activity/", "/", "/settings/", "/notice/"):
            walk.to(link)
        walk.to("/connections/")
        page.get_by_role("link", name=PROVIDER).click()
        walk.expect_heading(f"Connection to {PROVIDER}")


class TestThePageThatWaits:
    def test_is_accessible(
        self,
        site: str,
        sandbox: Sandbox,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        walk = Walk(page, site)
        walk.go_to_confirm("r4")
        sandbox.post("/control/faults", route="data", kind="slow", count=None, seconds=5)
        walk.press("Yes, get this record")
        walk.expect_heading(f"Getting your record from {PROVIDER}")
        # Until the first answer the page waits under the same heading, and then opens itself anew.
        expect(page.locator("#progress[hx-get*='state=first']")).to_be_visible()
        assert_accessible(page)
        expect(page.get_by_role("progressbar")).to_have_accessible_name(re.compile("kinds done"))
