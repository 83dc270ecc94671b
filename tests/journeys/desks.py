"""Both sides of a registration, in a browser: the provider's developer pages, and our desk.

The provider's pages are those of the sandbox, where one person is the developer and also approves requests as the
administrator.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect

DEVELOPER = "integrations@holdfast.example"
APPLICATION = "Holdfast, by hand"  # unlike those that other tests leave in the sandbox


@dataclass(frozen=True)
class Credentials:
    """What a developer copies from the provider's page."""

    client_id: str
    secret: str = field(default="", repr=False)


class TheirPages:
    """A developer at the provider's pages. Forms are filled by the words people read."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin

    def to(self, path: str) -> None:
        """Open a page there, signing in with the e-mail address where it asks."""
        self.page.goto(self.origin + path)
        if self.page.url.startswith(f"{self.origin}/developers/sign-in"):
            self.page.get_by_label("E-mail address").fill(DEVELOPER)
            self.press("Continue")

    def press(self, name: str) -> None:
        """A button by its words."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        """A link by its words."""
        self.page.get_by_role("link", name=name, exact=True).click()

    def read(self, name: str) -> str:
        """A value that the page shows to be copied."""
        return self.page.locator(f"#{name}").inner_text().strip()

    def approve(self, name: str) -> None:
        """As the provider's administrator."""
        self.to("/approvals/")
        self.press(f"Approve {name}")


class TheirPortal(TheirPages):
    """The developer portal of interface A."""

    def request(self, redirect_uri: str) -> Credentials:
        """Ask for an application, and take its provisional credentials."""
        self.to("/portal/")
        self.follow("Request an application")
        self.page.get_by_label("Name", exact=True).fill(APPLICATION)
        self.page.get_by_label("Redirect addresses").fill(redirect_uri)
        self.press("Send the request")
        self.press("Issue provisional credentials")
        return Credentials(self.read("client-id"), self.read("client-secret"))

    def add_version(self, name: str) -> None:
        """`FHIR R4`, at the one application there is."""
        self._open()
        self.press(f"Add {name}")

    def replace_secret(self) -> str:
        """A new secret; the old one is dead at once."""
        self._open()
        self.press("Make a new secret")
        return self.read("client-secret")

    def _open(self) -> None:
        self.to("/portal/")
        self.follow(APPLICATION)


class TheirConsole(TheirPages):
    """The developer console of interface B, with its system accounts."""

    def request_account(self, *, description: str, kind: str) -> None:
        """Ask for a system account, of the kind `secret` or `key`."""
        self.to("/system-accounts/")
        self.follow("Request a system account")
        self.page.get_by_label("Description").fill(description)
        self.page.get_by_label("Client Name").fill(APPLICATION)
        self.page.locator(f"input[name=kind][value={kind}]").check()
        self.press("Send the request")

    def open_account(self) -> str:
        """Its page; returns its id, once it was approved."""
        self.to("/system-accounts/")
        self.page.get_by_role("main").get_by_role("link", name=re.compile(APPLICATION)).first.click()
        return self.read("account-id")

    def register_keys(self, address: str) -> None:
        """The address of our key set."""
        self.open_account()
        self.follow("Register keys")
        self.page.get_by_label("Key set address").fill(address)
        self.press("Register the keys")

    def register(self, copied: Mapping[str, str], *, versions: Sequence[str], authentication: str) -> str:
        """A confidential application with what our desk says to copy. Returns its client id."""
        self.to("/console/")
        self.follow("Register an application")
        self.page.get_by_label("Name", exact=True).fill(APPLICATION)
        self.page.locator("input[name=persona][value=patient]").check()
        for version in versions:
            self.page.locator(f"input[name=versions][value={version}]").check()
        self.page.locator("input[name=smart_version][value=v2]").check()
        self.page.locator("input[name=client_type][value=confidential]").check()
        self.page.get_by_label("Client authentication").select_option(authentication)
        self.page.get_by_label("GUID").fill(copied["GUID"])
        self.page.get_by_label("Redirect addresses").fill(copied["Redirect URI"])
        self.page.get_by_label("Launch address").fill(copied["Launch URL"])
        self.page.get_by_label("Scopes").fill(copied["Scopes"])
        self.page.get_by_label("Support contact").fill(DEVELOPER)
        self.press("Register")
        expect(self.page.locator("#status")).to_contain_text("Authorized for FHIR")
        return self.read("client-id")

    def enable(self, organization: str) -> None:
        """As the organization that owns the records."""
        self.to("/b/desk/")
        self.press(f"Enable {APPLICATION} at {organization}")


class OurDesk:
    """A member of staff at our registration desk."""

    def __init__(self, page: Page, site: str) -> None:
        self.page = page
        self.site = site

    def begin(self, provider: str, *, way: str) -> str:
        """From the search for a provider to its registration, whose address it returns. `way` is what the desk calls
        one of the provider's addresses."""
        self.page.goto(f"{self.site}/desk/")
        self.page.get_by_role("link", name="Add a provider we want").click()
        self.page.get_by_label("Provider name, place, or an address").fill(provider)
        self.press("Search")
        self.page.get_by_role("link", name=re.compile(re.escape(way))).first.click()
        self.press("Begin")
        expect(self.page.get_by_role("heading", level=2, name="Steps")).to_be_visible()
        return self.page.url

    def expect_step(self, title: str, state: str = "To do now") -> None:
        """Which step is open, and its state."""
        step = self.page.locator("li.is-open")
        expect(step.get_by_role("heading", level=3)).to_have_text(title)
        expect(step).to_contain_text(state)

    def fill(self, fields: Mapping[str, str], submit: str = "Save") -> None:
        """The fields of the open step, by their labels."""
        step = self.page.locator("li.is-open")
        for label, value in fields.items():
            step.get_by_label(label, exact=True).fill(value)
        step.get_by_role("button", name=submit, exact=True).click()

    def choose(self, *options: str | re.Pattern[str]) -> None:
        """Radio buttons and boxes of the open step, by their labels."""
        for option in options:
            self.page.locator("li.is-open").get_by_label(option).check()

    def press(self, name: str) -> None:
        """A button by its words."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def copied(self) -> dict[str, str]:
        """What the open step says to copy, by the names it has there."""
        rows = self.page.locator("li.is-open dl > div")
        return {row.locator("dt").inner_text().strip(): row.locator("dd").inner_text().strip() for row in rows.all()}

    def open(self, step: str) -> None:
        """Another step than the one shown."""
        self.page.get_by_role("link", name=re.compile(f": {step}$")).click()

    def begin_trial(self) -> None:
        """As far as the provider's sign-in page."""
        self.page.locator("li.is-open").get_by_role("link", name="Try it").click()
        self.press("Look at what they publish")
        self.press("Sign in as a test patient")
        expect(self.page.get_by_label("User name")).to_be_visible()

    def allow_the_issuer(self) -> None:
        """After a trial that met one nobody had named."""
        self.press("It is right: allow it")
        expect(self.page.get_by_role("main")).to_contain_text("The issuer is allowed")

    def back_to_the_registration(self) -> None:
        """From a trial."""
        self.page.get_by_role("link", name="Back to the registration").click()
