"""A patient links a record on a SMART deployment in a real browser: from our page, and from the provider's portal."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from playwright.sync_api import Page, expect

from apps.accounts.models import Consent, User
from apps.connections.models import Connection
from apps.records.models import Record
from tests.connections.deployments import RIVERSIDE, Deployment, deploy
from tests.fixtures.cast import PASSWORD
from tests.journeys.walking import Walk

__all__ = ["deploy"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Whom the sandbox's account "ruth" is about, at every organization.
NAME, BORN = "Ruth Ann Alder", "February 11, 1963"
CODE = re.compile(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", re.MULTILINE)


@pytest.fixture
def deployed(site: str, deploy: Callable[..., Deployment], settings: Any) -> Deployment:
    """Riverside's R4 endpoint, registered with the running site's own addresses."""
    settings.SITE_ORIGIN = site
    return deploy(provider=RIVERSIDE)


def assert_is_linked(page: Page) -> None:
    """The record, and whose."""
    expect(page.get_by_role("main")).to_contain_text(NAME)
    expect(page.get_by_role("main")).to_contain_text(BORN)
    connection = Connection.objects.get()
    assert connection.status == Connection.Status.ACTIVE
    assert connection.provider.name == RIVERSIDE


class TestLinkingFromOurPage:
    def test_ends_with_the_person_the_sandbox_holds(
        self, site: str, deployed: Deployment, new_page: Callable[..., Page], signed_in: Callable[[Page], None]
    ) -> None:
        page = new_page(width=360, java_script_enabled=False)
        signed_in(page)
        walk = Walk(page, site)
        walk.to(deployed.before_you_go)
        walk.expect_heading(f"You are about to sign in at {RIVERSIDE}")
        walk.leave()
        walk.sign_in_there("ruth")
        expect(page.get_by_role("heading", level=1)).to_contain_text("read your record?")
        walk.allow_there()
        walk.expect_heading("Is this the right person?")
        expect(page.get_by_role("main")).to_contain_text(NAME)
        assert Record.objects.count() == 0
        walk.press("Yes, get this record")
        walk.expect_heading(f"Your record from {RIVERSIDE}", within_seconds=40)
        assert_is_linked(page)


class TestAStartFromThePortal:
    def test_takes_a_new_visitor_through_signing_up_to_the_record(
        self,
        site: str,
        deployed: Deployment,
        new_page: Callable[..., Page],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360)
        walk = Walk(page, site, see=assert_accessible)
        start_in_the_portal(page, deployed)
        walk.expect_heading("Sign in to continue")
        expect(page.get_by_role("main")).to_contain_text(f"{RIVERSIDE} sent you here.")
        assert "launch=" not in page.url
        walk.press("Create an account")
        sign_up(page)
        walk.expect_heading("Before you connect")
        page.get_by_label(re.compile("I am 18 or older")).check()
        page.get_by_label(re.compile("I have read this")).check()
        walk.press("Agree and continue")
        walk.expect_heading(f"You are about to sign in at {RIVERSIDE}")
        expect(page.get_by_role("main")).to_contain_text("The record goes to your account luis@example.org")
        walk.leave()
        walk.sign_in_there("ruth")
        walk.allow_there()
        walk.expect_heading("Is this the right person?")
        walk.press("Yes, get this record")
        walk.expect_heading(f"Your record from {RIVERSIDE}", within_seconds=40)
        assert_is_linked(page)
        luis = User.objects.get(email="luis@example.org")
        assert Connection.objects.get().user == luis
        assert Consent.objects.get().user == luis

    def test_can_be_left_for_the_right_account(
        self,
        site: str,
        deployed: Deployment,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        sam: User,
    ) -> None:
        page = new_page()
        signed_in(page)
        walk = Walk(page, site)
        start_in_the_portal(page, deployed)
        walk.expect_heading(f"You are about to sign in at {RIVERSIDE}")
        walk.press("Log out, this is not my account")
        walk.expect_heading("Sign in to continue")
        page.get_by_role("main").get_by_role("link", name="Sign in", exact=True).click()
        page.get_by_label("E-mail address").fill(sam.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        walk.expect_heading("Before you connect")  # Sam has not agreed to it yet


class TestAStartFromAVisit:
    @pytest.mark.conformance("C37")
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    def test_leads_to_that_visit_and_a_later_start_to_its_own(
        self,
        site: str,
        deploy: Callable[..., Deployment],
        settings: Any,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
        version: str,
    ) -> None:
        settings.SITE_ORIGIN = site
        deployed = deploy(provider=RIVERSIDE, version=version)
        page = new_page(width=360)
        signed_in(page)
        visit_id = confirm_from_a_visit(page, site, deployed, number=2)
        walk = Walk(page, site, see=assert_accessible)
        walk.expect_heading(f"Your record from {RIVERSIDE}", within_seconds=40)
        page.get_by_role("link", name="The visit you came from").click()
        assert_is_at_visit(page, visit_id)
        later = new_page(width=360)
        signed_in(later)
        later_id = confirm_from_a_visit(later, site, deployed, number=1)
        assert later_id != visit_id
        assert_is_at_visit(later, later_id)
        walk.to(f"/connections/{Connection.objects.get().pk}/record/")
        page.get_by_role("link", name="The visit you came from").click()
        assert_is_at_visit(page, later_id)


def confirm_from_a_visit(page: Page, site: str, deployed: Deployment, *, number: int) -> str:
    """Start the site from the latest visit but some, and say that the person is the right one. Returns its id."""
    walk = Walk(page, site)
    visit_id = start_in_the_portal(page, deployed, visit=number)
    walk.leave()
    walk.sign_in_there("ruth")
    walk.allow_there()
    walk.expect_heading("Is this the right person?")
    walk.press("Yes, get this record")
    return visit_id


def assert_is_at_visit(page: Page, visit_id: str) -> None:
    """The page of that visit."""
    page.wait_for_url(re.compile(r"/record/visits/\d+/"))
    found = re.search(r"/visits/(\d+)/", page.url)
    assert found is not None
    assert Record.objects.get(pk=found[1]).logical_id == visit_id
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()


def start_in_the_portal(page: Page, deployed: Deployment, *, visit: int = 0) -> str:
    """Sign in to the provider's own portal, and start the site there: with no visit open, or one of the latest. Returns
    the id of the visit."""
    page.goto(f"{deployed.sandbox.origin}/b/launch/")
    page.get_by_label("User name").fill("ruth")
    page.get_by_label("Password").fill("ruth-pass-1")
    page.get_by_role("button", name="Sign in", exact=True).click()
    version = deployed.endpoint.fhir_version.upper()
    page.get_by_label("Organization and FHIR version").select_option(f"{RIVERSIDE}, {version}")
    page.get_by_role("button", name="Go there").click()
    (opened,) = page.get_by_label("Person, and a visit if you like").select_option(index=visit)
    page.get_by_label(re.compile(deployed.registration.client_id)).check()
    page.get_by_role("button", name="Start", exact=True).click()
    return opened.partition("|")[2]


def sign_up(page: Page) -> None:
    """Fill in the form, and the code from the mail."""
    page.get_by_label("First name").fill("Luis")
    page.get_by_label("E-mail address").fill("luis@example.org")
    page.get_by_label("Password", exact=True).fill("a sentence that nobody would guess")
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_label("Code")).to_be_visible()
    code = CODE.search(str(mail.outbox[-1].body))
    assert code is not None
    page.get_by_label("Code").fill(code.group())
    page.get_by_role("button", name="Continue").click()
