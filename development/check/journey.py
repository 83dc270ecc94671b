"""The main journey, step by step: a new person links a record in both FHIR versions and reads it.

Every step that shows something compares it with what the sandbox says it holds (`provider.py`). A step is one short
function; its docstring is the line that the terminal shows.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from development.check.browser import Browser
from development.check.page import NotThere
from development.check.provider import Person, Provider

PROVIDER = "Harbor Family Medicine"
WAYS = {"r4": "The newer way (FHIR R4)", "dstu2": "The older way (FHIR DSTU2)"}
_CODE = re.compile(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", re.MULTILINE)
_COPY_SECONDS = 60


@dataclass
class Journey:
    """One new person with one browser."""

    site: str
    provider: Provider
    person: Person
    email: str = "rosa@example.org"
    password: str = "a sentence that nobody would guess"
    browser: Browser = field(default_factory=Browser)

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Every step with its name, in order. A later one needs the earlier ones."""
        yield "the welcome page leads to signing up", self.welcome
        yield "signing up asks for the code that was mailed", self.sign_up
        yield "the code from the mail opens an account", self.enter_code
        yield "the provider is found by its name", self.find
        yield "the notice is agreed to before the first link", self.agree
        for version in WAYS:
            walk = Walk(self, version)
            for name, step in walk.steps():
                yield f"{version}: {name}", step
        yield "both connections are listed", self.connections
        yield "signing out closes the record", self.sign_out

    def welcome(self) -> None:
        self.browser.open(f"{self.site}/")
        self.browser.follow("Create an account").must_show("Password", "E-mail address")

    def sign_up(self) -> None:
        self.browser.fill(
            {"First name": "Rosa", "E-mail address": self.email, "Password": self.password}, "Create an account"
        )
        self.browser.page.must_show("Enter the code", self.email)

    def enter_code(self) -> None:
        mailbox = Browser().open(f"{self.site}/development/mail/")
        mailbox.must_show(f"To {self.email}")
        code = _CODE.search(mailbox.text)
        if code is None:
            raise NotThere("no code in the mail")
        self.browser.fill({"Code": code.group()}, "Continue").must_show(f"{self.email} is confirmed")

    def find(self) -> None:
        self.browser.follow("Connect a provider")
        self.browser.fill({"Provider name": PROVIDER}, "Search").must_show("1 provider found", PROVIDER)

    def agree(self) -> None:
        self.browser.follow(PROVIDER).must_show("Privacy notice", "HIPAA", "We never sell it")
        self.browser.fill({"I am 18 or older": True, "I have read this": True}, "Agree and continue")
        self.browser.page.must_show("Choose how to connect", *WAYS.values())

    def connections(self) -> None:
        page = self.browser.open(f"{self.site}/connections/")
        if page.text.count(PROVIDER) < len(WAYS):
            raise NotThere(f"{page.address} lists {page.text.count(PROVIDER)} connections instead of {len(WAYS)}")

    def sign_out(self) -> None:
        self.browser.press("Log out")
        page = self.browser.open(f"{self.site}/connections/")
        page.must_show("Sign in")
        if PROVIDER in page.text:
            raise NotThere("the connections are shown to nobody in particular")


@dataclass
class Walk:
    """The part of the journey that differs by FHIR version."""

    journey: Journey
    version: str
    held: dict[str, Any] = field(default_factory=dict)

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """From choosing the version to reading the record."""
        yield "the sandbox says whose record it holds", self.ask_the_provider
        yield "the way is chosen, and what will be asked is said", self.choose
        yield "the leaving page goes to the provider's sign-in", self.leave
        yield "the provider asks for consent after its own sign-in", self.sign_in_there
        yield "the way back asks whether this is the right person", self.come_back
        yield "the record shows what the sandbox holds", self.read

    def ask_the_provider(self) -> None:
        self.held = self.journey.provider.patient(self.journey.person, self.version)

    def choose(self) -> None:
        browser = self.journey.browser
        browser.open(f"{self.journey.site}/providers/")
        browser.fill({"Provider name": PROVIDER}, "Search")
        browser.follow(PROVIDER)
        browser.fill({WAYS[self.version]: True}, "Continue")
        browser.page.must_show(f"You are about to sign in at {PROVIDER}", "What we ask for", "Nothing is copied until")

    def leave(self) -> None:
        browser = self.journey.browser
        browser.press(f"Continue to {PROVIDER}").must_show(f"You are leaving for {PROVIDER}")
        browser.refresh().must_show("Sign in at your practice")

    def sign_in_there(self) -> None:
        browser, person = self.journey.browser, self.journey.person
        browser.fill({"User name": person.username, "Password": person.password}, "Sign in")
        browser.page.must_show("read your record?", self.journey.provider.display_name(person))

    def come_back(self) -> None:
        self.journey.browser.press("Allow").must_show(
            name(self.held), f"born {in_words(self.held['birthDate'])}", PROVIDER
        )

    def read(self) -> None:
        browser = self.journey.browser
        browser.press("Yes, get this record")
        deadline = time.monotonic() + _COPY_SECONDS
        while "Getting your record" in browser.page.text and time.monotonic() < deadline:
            time.sleep(0.5)
            browser.open(browser.page.address)
        browser.page.must_show(f"Your record from {PROVIDER}", "Personal details", *facts(self.held))


def facts(patient: dict[str, Any]) -> list[str]:
    """What a page about this Patient must say, read from the resource as the sandbox sent it."""
    address = patient["address"][0]
    return [
        name(patient),
        in_words(patient["birthDate"]),
        *(contact["value"] for contact in patient["telecom"]),
        *address["line"],
        address["city"],
        address["postalCode"],
        *(spoken["language"]["text"] for spoken in patient["communication"]),
    ]


def name(patient: dict[str, Any]) -> str:
    """The name as the provider spells it out."""
    return str(patient["name"][0]["text"])


def in_words(iso: str) -> str:
    """`1963-02-11` as a page says it."""
    day = date.fromisoformat(iso)
    return f"{day:%B} {day.day}, {day.year}"
