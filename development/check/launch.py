"""An EHR launch, step by step: somebody without an account here starts the site from their provider's portal."""

from collections.abc import Iterator
from dataclasses import dataclass

from development.check.walk import Step, Walk, name


@dataclass
class Launch:
    """A newcomer who starts at the provider. `application` is the provider's name for the site."""

    walk: Walk
    application: str

    def steps(self) -> Iterator[Step]:
        """From the provider's portal to the record."""
        walk = self.walk
        yield "the sandbox says whose record it holds", walk.ask_the_provider
        yield "the provider's portal offers the site", self.open_the_portal
        yield "a stranger who is sent here is asked to sign in first", self.start
        yield "signing up asks for the code that was mailed", self.sign_up
        yield "the launch survives signing up", self.enter_code
        yield "and agreeing to the notice; the page names the account", self.agree
        yield "the leaving page goes to the provider's sign-in", walk.leave
        yield "the provider asks for consent after its own sign-in", walk.sign_in_there
        yield "the way back asks whether this is the right person", walk.come_back
        yield "the record shows what the sandbox holds", walk.read

    def open_the_portal(self) -> None:
        browser, walk = self.walk.newcomer.browser, self.walk
        browser.open(f"{walk.provider.origin}/b/launch/")
        browser.fill({"User name": walk.person.username, "Password": walk.person.password}, "Sign in")
        version = walk.way.place.version.upper()
        browser.fill({"Organization and FHIR version": f"{walk.way.practice}, {version}"}, "Go there")
        browser.page.must_show("What to open", walk.provider.display_name(walk.person), self.application)

    def start(self) -> None:
        page = self.walk.newcomer.browser.fill(
            {"Person, and a visit": f"{name(self.walk.held.patient)}, no visit"}, "Start"
        )
        page.must_show("Sign in to continue", f"{self.walk.way.practice} sent you here")

    def sign_up(self) -> None:
        self.walk.newcomer.browser.follow("Create an account")
        self.walk.newcomer.sign_up()

    def enter_code(self) -> None:
        self.walk.newcomer.enter_code()
        self.walk.newcomer.browser.page.must_show("Privacy notice")

    def agree(self) -> None:
        newcomer = self.walk.newcomer
        newcomer.agree()
        newcomer.browser.page.must_show(
            f"You are about to sign in at {self.walk.way.practice}",
            f"The record goes to your account {newcomer.email}",
            "Nothing is copied until",
        )
