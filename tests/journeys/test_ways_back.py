"""Whatever goes wrong for a patient on the way to a provider and back ends on a page that says where they are."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from development.control import Sandbox
from tests.fixtures.cast import PASSWORD
from tests.journeys.walking import PROVIDER, Walk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def assert_nothing_left_behind() -> None:
    """No connection, no token, no candidate."""
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()


def sign_in_here(walk: Walk, email: str) -> None:
    """Our own sign-in page."""
    walk.page.get_by_label("E-mail address").fill(email)
    walk.page.get_by_label("Password", exact=True).fill(PASSWORD)
    walk.page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()


@pytest.fixture
def walk(
    new_page: Callable[..., Page],
    site: str,
    signed_in: Callable[[Page], None],
    assert_accessible: Callable[[Page], None],
) -> Walk:
    """Alice, signed in, on a phone. Every page she stops at is looked at by axe."""
    page = new_page(width=360)
    signed_in(page)
    return Walk(page, site, see=assert_accessible)


class TestComingBack:
    def test_after_cancelling_at_sign_in_says_that_nothing_was_copied(self, walk: Walk) -> None:
        walk.find_provider("r4")
        walk.leave()
        walk.page.get_by_role("button", name="Cancel").click()
        walk.expect_heading("Not connected")
        assert_nothing_left_behind()

    def test_after_refusing_consent_says_that_nothing_was_copied(self, walk: Walk) -> None:
        walk.find_provider("dstu2")
        walk.leave()
        walk.sign_in_there("ruth")
        walk.page.get_by_role("button", name="Cancel").click()
        walk.expect_heading("Not connected")
        assert_nothing_left_behind()

    def test_too_late_says_that_it_took_too_long(self, walk: Walk) -> None:
        walk.find_provider("r4")
        walk.leave()
        request = AuthorizationRequest.objects.get()
        request.expires_at -= timedelta(minutes=10)
        request.save()
        walk.sign_in_there("ruth")
        walk.allow_there()
        walk.expect_heading("This took too long, so we stopped")
        assert_nothing_left_behind()

    def test_to_a_provider_that_is_down_says_whose_turn_it_is(self, walk: Walk, sandbox: Sandbox) -> None:
        walk.find_provider("r4")
        walk.leave()
        sandbox.post("/control/scenarios", name="token-down")
        walk.sign_in_there("ruth")
        walk.allow_there()
        walk.expect_heading(f"{PROVIDER} is not answering right now")
        assert_nothing_left_behind()

    @pytest.mark.parametrize("width", [360, 1280])
    def test_to_an_address_that_is_none_leaves_a_way_to_log_out(
        self, browser: Browser, site: str, signed_in: Callable[[Page], None], width: int
    ) -> None:
        page = browser.new_page(viewport={"width": width, "height": 900})  # the console complains of every 404
        signed_in(page)
        page.goto(f"{site}/connect/return/elsewhere/?code=canary")
        if width == 360:
            page.get_by_text("Menu", exact=True).click()
        page.get_by_role("link", name="Log out").click()
        page.get_by_role("main").get_by_role("button", name="Log out").click()
        expect(page.get_by_role("main").get_by_role("link", name="Sign in")).to_be_visible()
        page.context.close()

    def test_without_the_state_is_not_taken_for_ours(self, walk: Walk, sandbox: Sandbox) -> None:
        walk.find_provider("r4")
        walk.leave()
        sandbox.post("/control/scenarios", name="state-lost")
        walk.sign_in_there("ruth")
        walk.allow_there()
        walk.expect_heading("We did not start this sign-in")
        assert_nothing_left_behind()
        assert sandbox.get("/control/requests?path=/auth/token")["requests"] == []

    def test_with_the_back_button_shows_the_same_outcome(self, walk: Walk) -> None:
        walk.link("r4")
        walk.page.go_back()
        walk.expect_heading(f"Your record from {PROVIDER}")
        assert Connection.objects.count() == 1

    def test_in_another_browser_asks_to_finish_where_it_began(
        self, walk: Walk, new_page: Callable[..., Page], sandbox: Sandbox
    ) -> None:
        walk.find_provider("r4")
        walk.leave()
        other = Walk(new_page(), walk.site)
        other.page.goto(walk.page.url)
        other.sign_in_there("ruth")
        other.allow_there()
        other.expect_heading("Please finish where you started")
        assert_nothing_left_behind()
        assert sandbox.get("/control/requests?path=/auth/token")["requests"] == []

    def test_signed_in_as_somebody_else_copies_nothing_to_them(self, walk: Walk, sam: object) -> None:
        walk.find_provider("r4")
        walk.leave()
        there = walk.page.url
        walk.page.context.clear_cookies(name="sessionid")
        walk.to("/accounts/login/")
        sign_in_here(walk, "sam@example.org")
        walk.page.goto(there)
        walk.sign_in_there("ruth")
        walk.allow_there()
        walk.expect_heading("You are signed in as someone else")
        assert_nothing_left_behind()

    def test_after_the_session_lapsed_asks_to_sign_in_and_then_goes_on(self, walk: Walk, alice: object) -> None:
        walk.find_provider("r4")
        walk.leave()
        walk.page.context.clear_cookies(name="sessionid")
        walk.sign_in_there("ruth")
        walk.allow_there()
        sign_in_here(walk, "alice@example.org")
        walk.expect_heading("Is this the right person?")


class TestThePersonFound:
    def test_is_dropped_when_the_patient_says_no(self, walk: Walk, sandbox: Sandbox) -> None:
        walk.go_to_confirm("r4")
        walk.press("No, not this person")
        walk.expect_heading("Nothing was copied")
        assert not StoredTokenSet.objects.exists()
        assert len(sandbox.get("/control/requests?path=/auth/revoke")["requests"]) == 1

    def test_can_be_chosen_where_there_are_several(self, walk: Walk, sandbox: Sandbox) -> None:
        sandbox.post("/control/switches", patient_shape="bundle")
        walk.find_provider("r4")
        walk.leave()
        walk.sign_in_there("hannah")
        walk.allow_there()
        walk.expect_heading("Whose record do you want?")
        walk.page.get_by_label("Milo").check()
        walk.press("Yes, get this record")
        walk.expect_heading(f"Your record from {PROVIDER}", within_seconds=40)
        expect(walk.page.get_by_role("main")).to_contain_text("Milo")

    def test_must_be_the_same_when_signing_in_again(self, walk: Walk) -> None:
        walk.link("r4")
        connection = Connection.objects.get()
        walk.to(f"/connections/{connection.pk}/sign-in/")
        walk.leave()
        walk.sign_in_there("theo")
        walk.allow_there()
        walk.expect_heading("This is a different person")
        assert Connection.objects.get().fhir_patient_id == connection.fhir_patient_id


class TestDisconnecting:
    @pytest.mark.parametrize("choice", ["Disconnect, keep the copy", "Disconnect and delete the copy"])
    def test_forgets_the_tokens_at_once(self, walk: Walk, sandbox: Sandbox, choice: str) -> None:
        walk.link("r4")
        connection = Connection.objects.get()
        walk.to(f"/connections/{connection.pk}/disconnect/")
        walk.press(choice)
        if "delete" in choice:
            walk.expect_heading("Confirm that it is you")
            walk.page.get_by_label("Password").fill(PASSWORD)
            walk.press("Continue")
            walk.expect_heading(re.compile("Stop getting updates"))
            walk.press(choice)
        expect(walk.page.get_by_role("main")).to_contain_text("Disconnected. Our access here ended")
        assert not StoredTokenSet.objects.exists()
        assert connection.records.exists() is ("keep" in choice)
