"""The steps of linking a record as a patient takes them, pressing what they read."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

VERSIONS = {"dstu2": "FHIR DSTU2", "r4": "FHIR R4"}
PROVIDER = "Harbor Family Medicine"


def password(username: str) -> str:
    """Of an invented person in the sandbox."""
    return f"{username}-pass-1"


def tab_to(page: Page, wanted: str) -> None:
    """Press Tab until the focus is on what says (or is called) `wanted`."""
    for _press in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate("[document.activeElement.innerText?.trim(), document.activeElement.id]")
        if wanted in focused:
            return
    pytest.fail(f"The keyboard does not reach {wanted!r}.")


class Walk:
    """One patient's way through one page of a browser. `see` is called on every page of ours that they stop at."""

    def __init__(self, page: Page, site: str, see: Callable[[Page], None] = lambda _page: None) -> None:
        self.page = page
        self.site = site
        self.see = see

    def to(self, path: str) -> None:
        """Open an address of the site."""
        self.page.goto(self.site + path)
        self.see(self.page)

    def press(self, name: str | re.Pattern[str]) -> None:
        """A button, or a link that looks like one, by its words."""
        button = self.page.get_by_role("button", name=name, exact=isinstance(name, str))
        link = self.page.get_by_role("link", name=name, exact=isinstance(name, str))
        button.or_(link).first.click()

    def expect_heading(self, words: str | re.Pattern[str], *, within_seconds: float = 15) -> None:
        """The page's one heading of the first level."""
        heading = self.page.get_by_role("heading", level=1)
        expect(heading).to_have_text(words, timeout=within_seconds * 1000)
        self.see(self.page)

    def find_provider(self, version: str, provider: str = PROVIDER) -> None:
        """From the search to "before you go"."""
        self.to("/providers/")
        self.page.get_by_label("Provider name, city, or portal address").fill(provider)
        with self.page.expect_navigation():  # what is found while typing is there before the page that is asked for
            self.page.get_by_role("button", name="Search").click()
        self.see(self.page)
        self.page.get_by_role("link", name=re.compile(provider)).first.click()
        self.expect_heading("Choose how to connect")
        self.page.get_by_label(re.compile(VERSIONS[version])).check()
        self.press("Continue")
        self.expect_heading(f"You are about to sign in at {provider}")

    def leave(self) -> None:
        """Continue to the provider, as far as its sign-in page."""
        self.press(re.compile("^Continue to"))
        expect(self.page.get_by_label("User name")).to_be_visible()

    def sign_in_there(self, username: str) -> None:
        """The provider's own page."""
        self.page.get_by_label("User name").fill(username)
        self.page.get_by_label("Password").fill(password(username))
        self.page.get_by_role("button", name="Sign in", exact=True).click()

    def allow_there(self) -> None:
        """The provider's own consent."""
        self.page.get_by_role("button", name="Allow", exact=True).click()

    def go_to_confirm(self, version: str, username: str = "ruth") -> None:
        """From the search to "is this the right person?"."""
        self.find_provider(version)
        self.leave()
        self.sign_in_there(username)
        self.allow_there()
        self.expect_heading("Is this the right person?")

    def link(self, version: str, username: str = "ruth") -> None:
        """The whole way, to the record's first page."""
        self.go_to_confirm(version, username)
        self.press("Yes, get this record")
        self.expect_heading(re.compile("Your record from"), within_seconds=40)
