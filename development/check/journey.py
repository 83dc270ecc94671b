"""The main journeys: a new person links a record in every way there is and shares a part of it, and another is sent
here by their provider.

A step is one short function; its name is the line that the terminal shows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from development.check.launch import Launch
from development.check.newcomer import Newcomer
from development.check.page import NotThere
from development.check.provider import Person, Place, Provider
from development.check.sharing import Sharing
from development.check.walk import Step, Walk, Way
from development.demo.preparing import APPLICATION

PRACTICE = "Willow Creek Family Medicine"
HOSPITAL = "Riverside University Hospital"
TENANTS = {PRACTICE: "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37", HOSPITAL: "-Zr8vQ2mXt5kWb7nJc4dLh9sPf3gYy1T"}

# The four ways, and what the page that lists them calls each.
WAYS = {
    "A r4": Way(Place("r4"), PRACTICE, "The newer way (FHIR R4), all at once"),
    "A dstu2": Way(Place("dstu2"), PRACTICE, "The older way (FHIR DSTU2), all at once"),
    "B r4": Way(Place("r4", TENANTS[PRACTICE]), PRACTICE, "The newer way (FHIR R4), kind by kind"),
    "B dstu2": Way(Place("dstu2", TENANTS[HOSPITAL]), HOSPITAL, "The older way (FHIR DSTU2)"),
}
LAUNCHED = Way(Place("r4", TENANTS[HOSPITAL]), HOSPITAL, "")


@dataclass
class Journey:
    """Two new people, one after the other."""

    site: str
    provider: Provider
    person: Person
    newcomer: Newcomer = field(init=False)
    sent_here: Newcomer = field(init=False)

    def __post_init__(self) -> None:
        self.newcomer = Newcomer(self.site, "Rosa", "rosa@example.org")
        self.sent_here = Newcomer(self.site, "Luis", "luis@example.org")

    def steps(self) -> Iterator[Step]:
        """Every step with its name, in order. A later one needs the earlier ones."""
        yield "the welcome page leads to signing up", self.welcome
        yield "signing up asks for the code that was mailed", self.newcomer.sign_up
        yield "the code from the mail opens an account", self.newcomer.enter_code
        yield "the provider is found by its name", self.find
        yield "the notice is agreed to before the first link", self.agree
        for name, way in WAYS.items():
            walk = Walk(self.newcomer, self.provider, self.person, way)
            yield from ((f"{name}: {what}", step) for what, step in walk.steps())
        yield "every connection is listed", self.connections
        yield from Sharing(self.newcomer, self.provider, self.person, WAYS["A r4"].place).steps()
        yield "signing out closes the record", self.sign_out
        launch = Launch(Walk(self.sent_here, self.provider, self.person, LAUNCHED), APPLICATION)
        yield from ((f"launch: {what}", step) for what, step in launch.steps())

    def welcome(self) -> None:
        self.newcomer.browser.open(f"{self.site}/")
        self.newcomer.browser.follow("Create an account").must_show("Password", "E-mail address")

    def find(self) -> None:
        browser = self.newcomer.browser
        browser.follow("Connect a provider")
        browser.fill({"Provider name": PRACTICE}, "Search").must_show("1 provider found", PRACTICE)

    def agree(self) -> None:
        self.newcomer.browser.follow(PRACTICE)
        self.newcomer.agree()
        choices = [way.choice for way in WAYS.values() if way.practice == PRACTICE]
        self.newcomer.browser.page.must_show("Choose how to connect", *choices)

    def connections(self) -> None:
        page = self.newcomer.browser.open(f"{self.site}/connections/")
        for practice in TENANTS:
            wanted = sum(way.practice == practice for way in WAYS.values())
            listed = sum(words == practice for words, _ in page.links)
            if listed != wanted:
                raise NotThere(f"{page.address} lists {listed} connections to {practice}, not {wanted}")

    def sign_out(self) -> None:
        self.newcomer.browser.press("Log out")
        page = self.newcomer.browser.open(f"{self.site}/connections/")
        page.must_show("Sign in")
        if any(practice in page.text for practice in TENANTS):
            raise NotThere("the connections are shown to nobody in particular")
