"""A part of the record is shown to somebody without an account: by its link and, apart from it, its passcode."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from development.check.browser import Browser
from development.check.newcomer import Newcomer
from development.check.page import NotThere
from development.check.provider import Person, Place, Provider
from development.check.walk import Step, name

# A button that copies the link may stand between the two.
_GIVEN = re.compile(r"^Link\n(?P<link>\S+)\n(?:.+\n)?Passcode\n(?P<passcode>\d{3} \d{3})$", re.MULTILINE)
_SHARED = "Allergies and reactions"
_NOT_FOUND = 404


@dataclass
class Sharing:
    """Somebody who has linked the record of one person, and a doctor with a browser of their own."""

    newcomer: Newcomer
    provider: Provider
    person: Person
    place: Place
    doctor: Browser = field(default_factory=Browser)
    link: str = ""
    passcode: str = ""

    def steps(self) -> Iterator[Step]:
        """From the menu to its end. A later one needs the earlier ones."""
        yield "sharing: what is shown is chosen, and a link and a passcode are given", self.make
        yield "sharing: the link asks for the passcode, and shows the record for it", self.read
        yield "sharing: its owner reads who came", self.look
        yield "sharing: once it is ended the link opens nothing", self.end

    def make(self) -> None:
        browser = self.newcomer.browser
        browser.open(f"{self.newcomer.site}/")
        browser.follow("Share with someone")
        if browser.follow("Choose what they may see").address.partition("?")[0].endswith("/reauthenticate/"):
            browser.fill({"Password": self.newcomer.password}, "Continue")
        browser.press("Make the link").must_show("Share ready until", _SHARED)
        given = _GIVEN.search(browser.page.text)
        if given is None:
            raise NotThere(f"{browser.page.address} gives a link and a passcode")
        self.link, self.passcode = given["link"], given["passcode"]

    def read(self) -> None:
        called = name(self.provider.held(self.person, self.place).patient)
        self.doctor.open(self.link).must_show("Enter the passcode")
        if called in self.doctor.page.text:
            raise NotThere("a page before the passcode that says nothing of whose record it is")
        self.doctor.fill({"Your name": "Dr. Poole", "Passcode": self.passcode}, "Open")
        self.doctor.page.must_show(f"Health record of {called}", "Shared by the person themselves", _SHARED)

    def look(self) -> None:
        browser = self.newcomer.browser
        browser.open(browser.page.address).must_show("Opened 1 time", "Dr. Poole")

    def end(self) -> None:
        self.newcomer.browser.press("End now").must_show("This share has ended")
        page = self.doctor.open(self.link)
        page.must_show("This link no longer works")
        if page.status != _NOT_FOUND:
            raise NotThere(f"{_NOT_FOUND} for a share that is over, not {page.status}")
