"""Staff try registrations at the desk, in a real browser, against the sandbox."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.connections.models import Connection, PendingRevocation, StoredTokenSet, Trial
from apps.directory.models import ClientRegistration, Endpoint, SystemAccount
from apps.records.models import Record
from tests.connections.deployments import RIVERSIDE, Deployment, deploy
from tests.fixtures.cast import PASSWORD
from tests.fixtures.sandbox import Sandbox
from tests.journeys.walking import PROVIDER, Walk

__all__ = ["deploy"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("Alder", "Ruth", "February 11")  # of whom the sandbox's account "ruth" is about


@pytest.fixture
def at_the_desk(site: str, stella: Any) -> Callable[[Page], None]:
    """Signs Stella in, who works here and has agreed to no notice."""

    def sign_in(page: Page) -> None:
        page.goto(f"{site}/accounts/login/?next=/desk/")
        page.get_by_label("E-mail address").fill(stella.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Registration desk")

    return sign_in


@pytest.fixture
def registration(site: str) -> ClientRegistration:
    """Ours at Harbor's newer patient access API, switched off: at its last steps."""
    endpoint = Endpoint.objects.get(providers__name=PROVIDER, interface="patient-access", fhir_version="r4")
    assert endpoint.authorization_server is not None
    found = endpoint.authorization_server.registrations.get()
    ClientRegistration.objects.filter(pk=found.pk).update(is_switched_on=False)
    return found


@pytest.fixture
def deployed(site: str, deploy: Callable[..., Deployment], settings: Any) -> Deployment:
    """Riverside's R4 endpoint, registered with the running site's own addresses, and not yet approved."""
    settings.SITE_ORIGIN = site
    made = deploy(provider=RIVERSIDE)
    made.set(status="provisional", is_switched_on=False)
    return made


class Trier(Walk):
    """Stella, at the desk."""

    def try_at(self, registration: ClientRegistration, endpoint: Endpoint | None = None) -> None:
        """As far as what is published was looked at."""
        self.to(f"/desk/registrations/{registration.pk}/try/out/")
        if endpoint is not None:
            self.page.get_by_label(re.compile(re.escape(endpoint.fhir_base_url))).check()
        self.press("Look at what they publish")
        self.expect_heading(re.compile("^Trying "), within_seconds=30)

    def go_there(self) -> None:
        """To the provider's sign-in page."""
        self.press("Sign in as a test patient")
        expect(self.page.get_by_label("User name")).to_be_visible()

    def expect_outcome(self, words: str) -> None:
        """Back at the desk, the trial says how it ended."""
        expect(self.page.get_by_role("status")).to_contain_text(words, timeout=30_000)
        assert re.search(r"/desk/trials/[0-9a-f-]{36}/$", self.page.url)
        self.see(self.page)

    def expect_step(self, title: str, word: str, *words: str) -> None:
        """One step of the trial says this."""
        step = self.page.get_by_role("listitem").filter(has=self.page.get_by_role("heading", name=title, exact=True))
        expect(step).to_contain_text(word)
        for more in words:
            expect(step).to_contain_text(more)


def assert_nothing_is_kept(page: Page) -> None:
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()
    assert not Record.objects.exists()
    assert not PendingRevocation.objects.exists()
    shown, kept = page.content(), repr(list(Trial.objects.values()))
    for name in NAMES:
        assert name not in shown
        assert name not in kept


class TestTryingThePatientAccessApi:
    def test_goes_the_whole_way_while_it_is_switched_off(
        self,
        site: str,
        registration: ClientRegistration,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360, java_script_enabled=False)
        at_the_desk(page)
        trier = Trier(page, site)
        trier.try_at(registration)
        trier.expect_step("What their server says about itself", "Works", "speaks this FHIR version")
        trier.go_there()
        trier.sign_in_there("ruth")
        trier.allow_there()
        trier.expect_outcome("The whole link works")
        trier.expect_step("Whose record it is", "Works", "1 person was found.")
        trier.expect_step("Renewing the permission", "Works")
        trier.expect_step("Reading something", "Works")
        trier.expect_step("Giving the permission back", "Works")
        assert_nothing_is_kept(page)
        registration.refresh_from_db()
        assert not registration.is_switched_on
        trier.press("Back to the registration")
        trier.expect_heading(re.compile("."))
        page.get_by_role("button", name="Switch it on").click()
        expect(page.get_by_role("main")).to_contain_text("On: patients can connect")

    @pytest.mark.parametrize(
        ("break_it", "step", "words", "turn"),
        [
            ({"scenario": "token-html"}, "Getting permission for the app", "could not read", "Their turn"),
            ({"scenario": "token-down"}, "Getting permission for the app", "did not answer", "Wait, then try again"),
            ({"secret": True}, "Getting permission for the app", "does not know our client id", "Your turn"),
        ],
        ids=["html", "down", "invalid_client"],
    )
    def test_names_what_is_broken(
        self,
        site: str,
        sandbox: Sandbox,
        registration: ClientRegistration,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
        break_it: dict[str, Any],
        step: str,
        words: str,
        turn: str,
    ) -> None:
        page = new_page()
        at_the_desk(page)
        trier = Trier(page, site)
        if "secret" in break_it:
            sandbox.post(
                "/control/applications",
                name="Holdfast",
                client_id=registration.client_id,
                client_secret="another-secret-than-ours",
                redirect_uris=[f"{site}/connect/return/{registration.redirect_id}/"],
                versions=["r4"],
                status="approved",
            )
        trier.try_at(registration)
        trier.go_there()
        trier.sign_in_there("ruth")
        if "scenario" in break_it:
            sandbox.post("/control/scenarios", name=break_it["scenario"])
        trier.allow_there()
        trier.expect_outcome("Something does not work")
        trier.expect_step(step, "Does not work", words, turn)
        trier.expect_step("Reading something", "Not tried")
        assert_nothing_is_kept(page)

    def test_says_that_somebody_said_no(
        self,
        site: str,
        registration: ClientRegistration,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
    ) -> None:
        page = new_page()
        at_the_desk(page)
        trier = Trier(page, site)
        trier.try_at(registration)
        trier.go_there()
        trier.sign_in_there("ruth")
        page.get_by_role("button", name="Cancel").click()
        trier.expect_outcome("Something does not work")
        trier.expect_step("Signing in, and coming back", "Does not work", "said no", "Your turn")
        assert_nothing_is_kept(page)

    def test_says_that_nobody_was_found(
        self,
        site: str,
        sandbox: Sandbox,
        registration: ClientRegistration,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
    ) -> None:
        sandbox.post(
            "/control/accounts",
            username="nobody",
            password="nobody-pass-1",
            display_name="Nobody",
            patients={"r4": ["gone"]},
        )
        sandbox.post("/control/scenarios", name="records-as-bundles")
        page = new_page()
        at_the_desk(page)
        trier = Trier(page, site)
        trier.try_at(registration)
        trier.go_there()
        trier.sign_in_there("nobody")
        trier.allow_there()
        trier.expect_outcome("Something does not work")
        trier.expect_step("Whose record it is", "Does not work", "no person was found", "Their turn")
        trier.expect_step("Giving the permission back", "Works")
        assert_nothing_is_kept(page)


class TestTryingADeployment:
    def test_goes_the_whole_way_before_it_is_approved(
        self,
        site: str,
        deployed: Deployment,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page()
        at_the_desk(page)
        trier = Trier(page, site, see=assert_accessible)
        trier.try_at(deployed.registration, deployed.endpoint)
        trier.expect_step("Where patients sign in", "Works")
        trier.go_there()
        trier.sign_in_there("ruth")
        trier.allow_there()
        trier.expect_outcome("The whole link works")
        trier.expect_step("Proof of who signed in", "Works")
        trier.expect_step("What may be read", "Works", "All that we asked for was given")
        trier.expect_step("Renewing the permission", "Not tried", "only after 60 seconds")
        trier.expect_step("Giving the permission back", "Works")
        assert_nothing_is_kept(page)

    def test_says_that_the_organization_has_not_turned_it_on(
        self,
        site: str,
        sandbox: Sandbox,
        deployed: Deployment,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
    ) -> None:
        sandbox.post("/control/enablements", client_id=deployed.registration.client_id, is_enabled=False)
        page = new_page()
        at_the_desk(page)
        trier = Trier(page, site)
        trier.try_at(deployed.registration, deployed.endpoint)
        trier.press("Sign in as a test patient")
        trier.expect_outcome("Something does not work")
        expect(page.get_by_role("main")).to_contain_text("has not turned this application on")
        assert_nothing_is_kept(page)


class TestSystemAccess:
    def test_is_tried_without_a_patient(
        self,
        site: str,
        sandbox: Sandbox,
        deployed: Deployment,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        applications = sandbox.get("/control/smart-applications")["applications"]
        ours = next(one for one in applications if one["client_id"] == deployed.registration.client_id)
        now = timezone.now()
        account = SystemAccount.objects.create(
            account_id=ours["system_account"], status="approved", description="D", requested_at=now, approved_at=now
        )
        deployed.set(system_account=account, status="approved", is_switched_on=True)
        page = new_page()
        at_the_desk(page)
        walk = Walk(page, site, see=assert_accessible)
        walk.to(f"/desk/registrations/{deployed.registration.pk}/try/out/")
        page.get_by_role("link", name="Try system access, without a patient").click()
        page.get_by_role("button", name="Ask for a token").click()
        notice = page.get_by_role("status")
        expect(notice).to_contain_text("Their server gives us system access")
        expect(notice).to_contain_text("system/Patient.rs")
        assert_accessible(page)
        assert "eyJ" not in page.content()
        SystemAccount.objects.update(account_id="3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35")
        page.get_by_role("button", name="Ask for a token").click()
        expect(notice).to_contain_text("does not know the system account")
        assert_accessible(page)
        assert_nothing_is_kept(page)


class TestTheDeskWithoutHaste:
    @pytest.mark.parametrize("width", [360, 1280])
    def test_is_accessible_on_every_page(
        self,
        site: str,
        registration: ClientRegistration,
        deployed: Deployment,
        new_page: Callable[..., Page],
        at_the_desk: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
        width: int,
    ) -> None:
        page = new_page(width=width)
        at_the_desk(page)
        walk = Walk(page, site, see=assert_accessible)
        for path in addresses(registration, deployed):
            walk.to(path)


def addresses(registration: ClientRegistration, deployed: Deployment) -> Iterator[str]:
    """Every page of the desk that needs no trial."""
    yield from ("/desk/", "/desk/?q=harbor", "/desk/start/", "/desk/start/?q=riverside")
    yield f"/desk/start/{deployed.endpoint.pk}/"
    portal = ("account", "application", "credentials", "approval", "versions", "try", "switch")
    yield from (f"/desk/registrations/{registration.pk}/?step={step}" for step in portal)
    console = ("choices", "system-account", "client-id", "proof", "approval", "organizations")
    yield from (f"/desk/registrations/{deployed.registration.pk}/?step={step}" for step in console)
    yield f"/desk/registrations/{deployed.registration.pk}/try/out/"
    yield f"/desk/registrations/{deployed.registration.pk}/try/system/"
