"""One way to link a record, step by step, from the search to the record. Every step that shows data compares it with
what the sandbox says it holds (`provider`).
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from development.check.newcomer import Newcomer
from development.check.page import NotThere
from development.check.provider import Held, Person, Place, Provider

Patient = dict[str, Any]
Step = tuple[str, Callable[[], None]]

_COPY_SECONDS = 60


@dataclass(frozen=True)
class Way:
    """A provider, and which of its ways: `choice` is what the page that lists them calls it."""

    place: Place
    practice: str
    choice: str


@dataclass
class Walk:
    """One person on one way. A later step needs the earlier ones."""

    newcomer: Newcomer
    provider: Provider
    person: Person
    way: Way
    known: Held | None = None

    @property
    def held(self) -> Held:
        """What the sandbox said that it holds."""
        if self.known is None:
            raise NotThere("the sandbox did not say what it holds")
        return self.known

    def steps(self) -> Iterator[Step]:
        """From choosing the way to reading the record."""
        yield "the sandbox says whose record it holds", self.ask_the_provider
        yield "the way is chosen, and what will be asked is said", self.choose
        yield "the leaving page goes to the provider's sign-in", self.leave
        yield "the provider asks for consent after its own sign-in", self.sign_in_there
        yield "the way back asks whether this is the right person", self.come_back
        yield "the record shows what the sandbox holds", self.read

    def ask_the_provider(self) -> None:
        self.known = self.provider.held(self.person, self.way.place)

    def choose(self) -> None:
        browser, practice = self.newcomer.browser, self.way.practice
        browser.open(f"{self.newcomer.site}/providers/")
        browser.fill({"Provider name": practice}, "Search")
        browser.follow(practice)
        browser.fill({self.way.choice: True}, "Continue")
        browser.page.must_show(f"You are about to sign in at {practice}", "What we ask for", "Nothing is copied until")

    def leave(self) -> None:
        browser, practice = self.newcomer.browser, self.way.practice
        browser.press(f"Continue to {practice}").must_show(f"You are leaving for {practice}")
        browser.refresh().must_show("Sign in at your practice")
        if not browser.page.address.startswith(self.provider.sign_in_page(self.way.place)):
            raise NotThere(f"led to the sign-in at {browser.page.address.partition('?')[0]}")

    def sign_in_there(self) -> None:
        browser = self.newcomer.browser
        browser.fill({"User name": self.person.username, "Password": self.person.password}, "Sign in")
        browser.page.must_show("read your record?", self.provider.display_name(self.person))

    def come_back(self) -> None:
        patient = self.held.patient
        self.newcomer.browser.press("Allow").must_show(
            name(patient), f"born {in_words(patient['birthDate'])}", self.way.practice
        )

    def read(self) -> None:
        browser = self.newcomer.browser
        browser.press("Yes, get this record")
        deadline = time.monotonic() + _COPY_SECONDS
        while "What came" not in browser.page.text and time.monotonic() < deadline:
            time.sleep(0.5)
            browser.open(browser.page.address)
        browser.page.must_show(f"Your record from {self.way.practice}", "Personal details", *facts(self.held.patient))
        ledger = browser.page.text.partition("What came")[2].partition("Allergies and reactions")[2]
        if not ledger.startswith(allergies(self.held)):
            raise NotThere(f"{allergies(self.held)!r} is not what the page says of allergies: {ledger[:100]!r}")


def facts(patient: Patient) -> list[str]:
    """What a page about this Patient must show, read from the resource as the sandbox sent it."""
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


def allergies(held: Held) -> str:
    """How the ledger begins its line about allergies: it counts them as their list does."""
    counted = held.allergies - held.mistaken
    if not counted:
        return "\nNothing sent"
    return f"\nComplete\n{counted} {'entry' if counted == 1 else 'entries'}. Complete as of"


def name(patient: Patient) -> str:
    """The name as the provider spells it out."""
    return str(patient["name"][0]["text"])


def in_words(iso: str) -> str:
    """`1963-02-11` as a page says it."""
    day = date.fromisoformat(iso)
    return f"{day:%B} {day.day}, {day.year}"
