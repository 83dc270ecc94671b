"""Staff take a provider from "we want it" to "patients can link it", on the provider's own pages and at our desk."""

import io
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import ClientRegistration
from apps.records.models import Record, SyncRun
from apps.records.tasks import resume_syncs
from development.control import Sandbox
from tests.connections.deployments import RIVERSIDE
from tests.fixtures.cast import PASSWORD
from tests.fixtures.consent import agree
from tests.journeys.desks import APPLICATION, DEVELOPER, OurDesk, TheirConsole, TheirPortal
from tests.journeys.walking import PROVIDER, Walk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACCOUNT = "Have a developer account there"


@pytest.fixture
def unregistered_site(
    live_server: LiveServer, sandbox: Sandbox, worker: Any, directory_file: Path, settings: Any
) -> Iterator[str]:
    """The origin of a running site that knows the sandbox's providers and is registered with none of them."""
    settings.SITE_ORIGIN = live_server.url
    call_command("import_endpoints", directory_file, stdout=io.StringIO())
    yield str(live_server.url)
    sandbox.post("/control/reset")


@pytest.fixture
def sign_in(unregistered_site: str) -> Callable[[Page, User], None]:
    """Signs somebody in who has agreed to the notice in force."""

    def enter(page: Page, user: User) -> None:
        agree(user)
        page.goto(f"{unregistered_site}/accounts/login/")
        page.get_by_label("E-mail address").fill(user.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")

    return enter


class TestAPatientAccessApi:
    def test_is_registered_tried_and_switched_on_by_staff_and_outlives_a_new_secret(
        self,
        unregistered_site: str,
        sandbox: Sandbox,
        new_page: Callable[..., Page],
        sign_in: Callable[[Page, User], None],
        alice: User,
        stella: User,
    ) -> None:
        staff, patient = new_page(), new_page(width=360)
        sign_in(staff, stella)
        sign_in(patient, alice)
        desk = OurDesk(staff, unregistered_site)
        portal = TheirPortal(new_page(), sandbox.origin)
        walk = Walk(patient, unregistered_site)

        registration = desk.begin(PROVIDER, way="Patient access API · R4")
        desk.expect_step(ACCOUNT)
        desk.fill({"E-mail address of the account": DEVELOPER})
        desk.expect_step("Request the application")
        credentials = portal.request(desk.copied()["Redirect URI (callback)"])
        desk.fill({"Name of the application there": APPLICATION})
        desk.expect_step("Store the credentials they gave you")
        desk.fill({"Client id": credentials.client_id, "Client secret": credentials.secret})
        desk.expect_step("Add the FHIR versions")
        portal.add_version("FHIR R4")
        desk.choose("The newer way (FHIR R4)")
        desk.press("Save")
        desk.expect_step("Wait for their approval", "Waiting for them")
        assert_cannot_be_connected(walk)
        portal.approve(APPLICATION)
        desk.press("They approved it")
        desk.expect_step("Try it")
        try_as(desk, "ruth")
        assert_cannot_be_connected(walk)
        desk.back_to_the_registration()
        desk.expect_step("Switch it on")
        ask_often()
        desk.press("Switch it on")
        expect(staff.get_by_role("main")).to_contain_text("On: patients can connect")

        link(walk, PROVIDER)
        kept = Record.objects.count()
        assert kept

        new_secret = portal.replace_secret()
        let_an_hour_pass()
        check_for_updates(walk)
        see(walk, "Problem on our side", "your record is here")
        desk.page.goto(f"{unregistered_site}/desk/")
        expect(staff.get_by_role("main")).to_contain_text("Their server refuses us")
        staff.goto(f"{registration}?step=credentials")
        desk.fill({"Client secret": new_secret})
        see(walk, "Connected until")
        let_an_hour_pass()
        resume_syncs.delay()  # as the schedule does every minute
        walk.to(f"/connections/{Connection.objects.get().pk}/record/")
        expect(patient.get_by_role("button", name="Check for updates")).to_be_visible(timeout=40_000)
        assert Connection.objects.get().status == Connection.Status.ACTIVE
        assert StoredTokenSet.objects.get().generation == 2
        assert Record.objects.count() >= kept


class TestASmartDeployment:
    def test_is_registered_with_a_system_account_and_our_key_set(
        self,
        unregistered_site: str,
        sandbox: Sandbox,
        new_page: Callable[..., Page],
        sign_in: Callable[[Page, User], None],
        alice: User,
        stella: User,
    ) -> None:
        staff, patient = new_page(), new_page(width=360)
        sign_in(staff, stella)
        sign_in(patient, alice)
        desk = OurDesk(staff, unregistered_site)
        console = TheirConsole(new_page(), sandbox.origin)

        desk.begin(RIVERSIDE, way="SMART deployment · R4")
        desk.fill({"E-mail address of the account": DEVELOPER})
        desk.expect_step("Choose what the application is")
        desk.choose(re.compile("^A signing key"), re.compile("^SMART v2"))
        desk.press("Save")
        desk.expect_step("Get a system account")
        console.request_account(description="Reads records for patients", kind="key")
        desk.fill({"Description": "Reads records for patients", "Client Name": APPLICATION})
        desk.expect_step("Get a system account", "Waiting for them")
        console.approve(APPLICATION)
        desk.fill({"Id of the system account": console.open_account()})
        desk.expect_step("Register the application")
        copied = desk.copied()
        console.register_keys(copied["Key set (JWKS) address"])
        client_id = console.register(copied, versions=["r4"], authentication="private_key_jwt")
        desk.fill({"Client id": client_id})
        desk.expect_step("Wait for their approval", "Waiting for them")
        desk.press("They approved it")
        desk.expect_step("Try it")
        console.enable(RIVERSIDE)
        try_as(desk, "ruth", finding="An issuer we do not know")
        desk.allow_the_issuer()
        desk.back_to_the_registration()
        try_as(desk, "ruth")
        desk.back_to_the_registration()
        desk.press("Switch it on")

        link(Walk(patient, unregistered_site), RIVERSIDE)
        assert ClientRegistration.objects.get().authentication == "private_key_jwt"
        assert Record.objects.exists()


def try_as(desk: OurDesk, username: str, *, finding: str = "The whole link works") -> None:
    """The whole link with a test patient; nothing of it stays."""
    desk.begin_trial()
    there = Walk(desk.page, desk.site)
    there.sign_in_there(username)
    there.allow_there()
    expect(desk.page.get_by_role("heading", level=2, name=finding)).to_be_visible(timeout=30_000)
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()


def assert_cannot_be_connected(walk: Walk) -> None:
    """What a patient finds while staff are not done."""
    search(walk, PROVIDER)
    expect(walk.page.get_by_role("main")).to_contain_text("Cannot be connected")


def search(walk: Walk, provider: str) -> None:
    walk.to("/providers/")
    walk.page.get_by_label("Provider name, city, or portal address").fill(provider)
    walk.page.get_by_role("button", name="Search").click()


def link(walk: Walk, provider: str) -> None:
    """The patient's whole way; one version is registered, so nobody is asked which."""
    search(walk, provider)
    walk.page.get_by_role("main").get_by_role("link", name=provider).first.click()
    walk.expect_heading(f"You are about to sign in at {provider}")
    walk.leave()
    walk.sign_in_there("ruth")
    walk.allow_there()
    walk.expect_heading("Is this the right person?")
    walk.press("Yes, get this record")
    walk.expect_heading(f"Your record from {provider}", within_seconds=40)
    expect(walk.page.get_by_role("button", name="Check for updates")).to_be_visible(timeout=40_000)


def ask_often() -> None:
    """As staff may write in the admin: at the usual pace a whole record takes minutes."""
    ClientRegistration.objects.update(requests_per_minute=600)


def let_an_hour_pass() -> None:
    """The patient may check again, and reading needs a refresh from now on, which nothing forbids."""
    earlier = timezone.now() - timedelta(hours=1)
    SyncRun.objects.filter(finished_at__isnull=False).update(created_at=earlier, finished_at=earlier)
    SyncRun.objects.filter(finished_at__isnull=True).update(lease_until=earlier)
    StoredTokenSet.objects.update(access_expires_at=timezone.now(), not_before_at=None)


def check_for_updates(walk: Walk) -> None:
    """On the record's page, as soon as nothing is under way."""
    walk.to(f"/connections/{Connection.objects.get().pk}/record/")
    button = walk.page.get_by_role("button", name="Check for updates")
    expect(button).to_be_visible(timeout=40_000)
    with walk.page.expect_navigation():
        button.click()


def see(walk: Walk, *words: str) -> None:
    """What the connection's own page comes to say."""
    connection = Connection.objects.get()
    for _look in range(40):
        walk.to(f"/connections/{connection.pk}/")
        text = walk.page.get_by_role("main").inner_text()
        if all(word in text for word in words):
            return
        walk.page.wait_for_timeout(500)
    pytest.fail(f"The connection never says {words}: {text}")
