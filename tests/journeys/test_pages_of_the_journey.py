"""Every page a patient meets while linking: axe finds nothing and nothing scrolls sideways, in light and dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

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
