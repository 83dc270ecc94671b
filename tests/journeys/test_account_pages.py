"""Account pages in a real browser: checked by axe, used by keyboard, without scripts, and with a passkey."""

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.records.subjects import LISTED
from tests.fixtures.cast import PASSWORD
from tests.journeys.walking import tab_to

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PUBLIC = ["account_login", "account_signup", "account_reset_password", "help", "notice"]
SIGNED_IN = [
    "settings",
    "agree",
    "account_email",
    "account_change_password",
    "mfa_index",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_list_webauthn",
    "sessions",
    "account_logout",
]
# Whatever is pressed by itself. Links within a text are as high as its lines.
TARGETS = (
    ".brand, .header-actions button, .menu-list a, .menu-list button, summary, .site-nav a, .breadcrumb a, .button,"
    " .row-link, .as-link, .choice, .site-footer a, .site-footer button"
)
TWICE_AS_LARGE = "document.documentElement.style.fontSize = '200%'"
# The words of headings that stand in more than one line.
BROKEN_WORDS = """() => [...document.querySelectorAll('main :is(h1, h2, h3)')].flatMap(heading => {
  const nodes = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT), broken = [];
  while (nodes.nextNode()) {
    for (const { 0: word, index } of nodes.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(nodes.currentNode, index);
      range.setEnd(nodes.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(line => line.top)).size > 1) broken.push(word);
    }
  }
  return broken;
})"""
NewPage = Callable[..., Page]
Check = Callable[[Page], None]


def sign_in(page: Page, site: str, user: User) -> None:
    page.goto(f"{site}{reverse('account_login')}")
    page.get_by_label("E-mail address").fill(user.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".menu > summary")).to_be_visible()


def sign_in_by_cookie(page: Page, site: str, user: User) -> None:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])


def give_the_password_again(page: Page, site: str) -> None:
    page.goto(f"{site}{reverse('account_reauthenticate')}?next={reverse('settings')}")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")


def mailed_code() -> str:
    found = re.search(r"^([A-Z0-9]{3,}-[A-Z0-9]{3,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found.group(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
class TestThePages:
    def test_have_nothing_that_axe_finds(
        self, live_server: LiveServer, new_page: NewPage, assert_accessible: Check, alice: User, width: int, scheme: str
    ):
        page = new_page(width=width, color_scheme=scheme)
        for name in PUBLIC:
            page.goto(f"{live_server.url}{reverse(name)}")
            assert_accessible(page)
        page.goto(f"{live_server.url}{reverse('account_login')}")
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert_accessible(page)
        sign_in(page, live_server.url, alice)
        give_the_password_again(page, live_server.url)
        for name in SIGNED_IN:
            page.goto(f"{live_server.url}{reverse(name)}")
            assert_accessible(page)
        page.locator(".menu > summary").click()
        assert_accessible(page)

    def test_have_targets_large_enough_for_a_thumb(
        self, live_server: LiveServer, new_page: NewPage, alice: User, width: int, scheme: str
    ):
        page = new_page(width=width, color_scheme=scheme)
        sign_in(page, live_server.url, alice)
        for name in ("settings", "sessions", "agree"):
            page.goto(f"{live_server.url}{reverse(name)}")
            page.locator(".menu > summary").click()
            sizes = page.locator(TARGETS).evaluate_all(
                "all => all.filter(one => one.offsetParent).map(one => [one.innerText, one.offsetHeight])"
            )
            assert sizes
            assert [size for size in sizes if size[1] < 44] == []


@pytest.mark.parametrize("language", ["en", "es"])
class TestALongLine:
    def test_has_at_most_seventy_characters(self, live_server: LiveServer, page: Page, language: str):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        page.goto(f"{live_server.url}{reverse('notice')}")
        longest = page.evaluate(
            """() => Math.max(...[...document.querySelectorAll('main p:not(.lead)')].map(paragraph => {
              const range = document.createRange(); range.selectNodeContents(paragraph);
              const tops = new Set([...range.getClientRects()].map(rect => Math.round(rect.top)));
              return paragraph.innerText.length / tops.size;
            }))"""
        )
        assert 45 < longest <= 70


@pytest.mark.parametrize("language", ["en", "es"])
class TestTextOfTwiceTheSize:
    def test_stays_within_a_phone(self, live_server: LiveServer, new_page: NewPage, alice: User, language: str):
        page = new_page(width=360)
        page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        overflows = {}
        for name in ("help", "account_signup", "account_login"):
            overflows[name] = self.overflow(page, f"{live_server.url}{reverse(name)}")
        sign_in_by_cookie(page, live_server.url, alice)
        for name in ("home", "settings", "sessions", "whole_record", "search_record"):
            overflows[name] = self.overflow(page, f"{live_server.url}{reverse(name)}")
            expect(page.locator(".menu > summary")).to_be_visible()
        assert {name: px for name, px in overflows.items() if px > 0} == {}

    def test_breaks_no_heading_within_a_word(
        self, live_server: LiveServer, new_page: NewPage, alice: User, language: str
    ):
        page = new_page(width=360)
        page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        sign_in_by_cookie(page, live_server.url, alice)
        addresses = [reverse(name) for name in ("home", "settings", "connections", "activity", "whole_record")]
        broken = {}
        for address in [*addresses, *(reverse("subject", args=[subject.key]) for subject in LISTED)]:
            page.goto(f"{live_server.url}{address}")
            page.evaluate(TWICE_AS_LARGE)
            broken[address] = page.evaluate(BROKEN_WORDS)
        assert {address: words for address, words in broken.items() if words} == {}

    def test_begins_its_search_where_its_name_begins_once_both_have_a_line_of_their_own(
        self, live_server: LiveServer, new_page: NewPage, alice: User, language: str
    ):
        page = new_page(width=360)
        page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        sign_in_by_cookie(page, live_server.url, alice)
        page.goto(f"{live_server.url}{reverse('settings')}")
        page.evaluate(TWICE_AS_LARGE)
        name, search = page.evaluate("""() => ['.brand', '.header-actions > .plain'].map(one => {
          const inside = document.createRange();
          inside.selectNodeContents(document.querySelector(one));
          return inside.getBoundingClientRect();
        })""")
        assert search["top"] > name["bottom"]
        assert abs(search["left"] - name["left"]) < 2

    def overflow(self, page: Page, url: str) -> int:
        """By how many pixels the page scrolls sideways where its reader set letters twice as large."""
        page.goto(url)
        page.evaluate(TWICE_AS_LARGE)
        return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


class TestSigningUp:
    def test_works_without_script(self, live_server: LiveServer, new_page: NewPage):
        page = new_page(width=360, java_script_enabled=False)
        page.goto(f"{live_server.url}{reverse('account_signup')}")
        page.get_by_label("First name").fill("Ann")
        page.get_by_label("E-mail address").fill("ann@example.org")
        page.get_by_label("Password", exact=True).fill("correct horse battery")
        page.get_by_role("button", name="Create an account").click()
        expect(page).to_have_title("Enter the code \u2013 Holdfast")
        page.get_by_label("Code", exact=True).fill(mailed_code().lower())
        page.get_by_role("button", name="Continue").click()
        page.locator(".menu > summary").click()
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
        expect(page.get_by_text("ann@example.org")).to_be_visible()

    def test_leads_from_an_error_to_its_field(self, live_server: LiveServer, page: Page):
        page.goto(f"{live_server.url}{reverse('account_signup')}")
        page.get_by_label("E-mail address").fill("ann@example.org")
        page.get_by_role("button", name="Create an account").click()
        expect(page.get_by_role("alert")).to_be_focused()
        expect(page).to_have_title(re.compile("^Error: "))
        page.get_by_role("alert").get_by_role("link").click()
        expect(page.get_by_label("Password", exact=True)).to_be_focused()
        expect(page.get_by_label("E-mail address")).to_have_value("ann@example.org")


class TestAPageOfPasskeys:
    @pytest.mark.parametrize("scripts", [True, False])
    def test_has_nothing_to_press_that_cannot_work(
        self, live_server: LiveServer, new_page: NewPage, alice: User, scripts: bool
    ):
        page = new_page(width=360, java_script_enabled=scripts)
        page.goto(f"{live_server.url}{reverse('account_login')}")
        expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_visible(visible=scripts)
        sign_in(page, live_server.url, alice)
        give_the_password_again(page, live_server.url)
        page.goto(f"{live_server.url}{reverse('mfa_add_webauthn')}")
        expect(page.get_by_role("button", name="Add the passkey")).to_be_visible(visible=scripts)
        expect(page.get_by_label("Name")).to_be_visible(visible=scripts)
        expect(page.get_by_role("link", name="Cancel")).to_be_visible()


class TestTheKeyboard:
    def test_signs_in_and_reaches_settings(self, live_server: LiveServer, page: Page, alice: User):
        page.goto(f"{live_server.url}{reverse('account_login')}")
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the main text")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("E-mail address")).to_be_focused()
        page.keyboard.type(alice.email)
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".menu > summary")).to_be_visible()
        tab_to(page, "Menu")
        page.keyboard.press("Enter")
        tab_to(page, "Settings")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Settings")

    def test_sees_where_it_is(self, live_server: LiveServer, page: Page):
        page.goto(f"{live_server.url}{reverse('account_login')}")
        for _ in range(8):
            page.keyboard.press("Tab")
            style = page.evaluate(
                "(() => { const seen = getComputedStyle(document.activeElement);"
                " return [seen.outlineStyle, parseFloat(seen.outlineWidth), seen.boxShadow] })()"
            )
            assert style[:2] == ["solid", 3]
            assert "rgb(255, 221, 51)" in style[2]


Finds = Callable[[bool], None]


@pytest.fixture
def finds(page: Page) -> Finds:
    """A device of the browser's that keeps passkeys: whether it finds its owner, as it always does at first."""
    browser = page.context.new_cdp_session(page)
    browser.send("WebAuthn.enable")
    device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    added = browser.send("WebAuthn.addVirtualAuthenticator", {"options": device})

    def find(is_its_owner: bool) -> None:
        browser.send("WebAuthn.setUserVerified", {**added, "isUserVerified": is_its_owner})

    return find


@pytest.mark.usefixtures("finds")
class TestAPasskey:
    def add(self, page: Page, site: str, user: User) -> None:
        """To the account, and log out."""
        sign_in(page, site, user)
        give_the_password_again(page, site)
        page.goto(f"{site}{reverse('mfa_add_webauthn')}")
        page.get_by_label("Name").fill("my phone")
        page.get_by_role("button", name="Add the passkey").click()
        expect(page.get_by_text("Your passkey is saved.")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_text("You are logged out.")).to_be_visible()

    def test_is_added_and_then_signs_in_by_itself(self, live_server: LiveServer, page: Page, alice: User):
        self.add(page, live_server.url, alice)
        page.goto(f"{live_server.url}{reverse('account_login')}")
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.locator(".menu > summary")).to_be_visible()

    def test_is_asked_for_after_the_password_of_somebody_without_an_app(
        self, live_server: LiveServer, page: Page, alice: User
    ):
        self.add(page, live_server.url, alice)
        page.goto(f"{live_server.url}{reverse('account_login')}")
        page.get_by_label("E-mail address").fill(alice.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_text("Your account asks for your passkey after the password.")).to_be_visible()
        expect(page.get_by_label("Recovery code")).to_be_visible()
        page.get_by_role("button", name="Use your passkey").click()
        expect(page.locator(".menu > summary")).to_be_visible()

    def test_that_its_device_does_not_give_is_told_in_words(
        self, live_server: LiveServer, page: Page, alice: User, finds: Finds, assert_accessible: Check
    ):
        self.add(page, live_server.url, alice)
        page.goto(f"{live_server.url}{reverse('account_login')}")
        finds(False)
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_role("alert")).to_contain_text("The passkey was not used")
        expect(page.get_by_text("You stopped, or your device has no passkey for Holdfast")).to_be_visible()
        assert_accessible(page)
        finds(True)
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.locator(".menu > summary")).to_be_visible()
        give_the_password_again(page, live_server.url)
        page.goto(f"{live_server.url}{reverse('mfa_add_webauthn')}")
        page.get_by_role("button", name="Add the passkey").click()
        expect(page.get_by_role("alert")).to_contain_text("The passkey was not saved")
        expect(page.get_by_text("This device already has a passkey for your account.")).to_be_visible()


class TestSpanish:
    def test_is_chosen_at_the_foot_of_every_page_and_stays(self, live_server: LiveServer, page: Page, alice: User):
        page.goto(f"{live_server.url}{reverse('help')}")
        page.get_by_role("button", name="Español").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ayuda")
        expect(page.locator("html")).to_have_attribute("lang", "es")
        page.get_by_role("link", name="Aviso de privacidad").click()
        expect(page.get_by_text("Nunca lo vendemos.")).to_be_visible()


class TestPaper:
    def test_shows_the_text_and_no_buttons(self, live_server: LiveServer, page: Page):
        page.goto(f"{live_server.url}{reverse('notice')}")
        page.emulate_media(media="print")
        expect(page.get_by_text("We never sell it.")).to_be_visible()
        expect(page.locator(".site-header")).to_be_hidden()
        expect(page.locator(".site-footer")).to_be_hidden()

    def test_ends_with_the_text(self, live_server: LiveServer, page: Page):
        """A page as high as a screen is higher than a sheet within its margins: Firefox printed another, empty one."""
        page.goto(f"{live_server.url}{reverse('notice')}")
        page.emulate_media(media="print")
        expect(page.locator("body")).to_have_css("min-height", "0px")
