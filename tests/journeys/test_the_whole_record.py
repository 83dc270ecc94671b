"""A patient reads the whole record: every subject, an entry of each, by date, by search, over time; and downloads it.

On every page axe finds nothing, nothing scrolls sideways, and nothing violates our content security policy.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.records.subjects import LISTED
from tests.journeys.walking import PROVIDER, Walk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestTheWholeRecord:
    def test_is_read_from_subject_to_entry(
        self,
        site: str,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        walk = Walk(page, site, see=assert_accessible)
        walk.go_to_confirm("r4", "george")
        walk.press("Yes, get this record")
        walk.expect_heading(f"Your record from {PROVIDER}", within_seconds=90)
        walk.to("/record/")
        for subject in LISTED:
            walk.to(f"/record/{subject.key}/")
            walk.expect_heading(str(subject.name))
            entries = page.get_by_role("main").locator(f'a[href^="/record/{subject.key}/"]')
            paths = [link.get_attribute("href") or "" for link in entries.all()]
            for path in [path for path in paths if re.fullmatch(r"/record/[a-z-]+/[0-9]+/", path)][:1]:
                walk.to(path)
        walk.to("/record/by-date/")
        walk.to("/record/results/")
        page.get_by_role("main").get_by_role("link", name=re.compile("Clotting time, compared")).first.click()
        page.get_by_role("link", name="All values over time").click()
        expect(page).to_have_title(re.compile("One test over time"))  # its heading is that of the entry
        assert_accessible(page)
        walk.to("/record/search/")
        page.get_by_role("main").get_by_role("searchbox").fill("clotting")
        page.get_by_role("main").get_by_role("button", name="Search").click()
        expect(page.get_by_role("main")).to_contain_text("Clotting time, compared")
        assert_accessible(page)
        page.get_by_role("main").get_by_role("link", name=re.compile("Clotting time, compared")).first.click()
        walk.expect_heading(re.compile("Clotting time, compared"))
        page.go_back()
        expect(page.get_by_role("main")).to_contain_text("Clotting time, compared")
        walk.to("/download/")
