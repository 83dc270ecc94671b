"""The life of accounts, driven through the site's own pages: what people, strangers and staff do, in any order.

`AccountLives` keeps the truth apart from the site: who proved what in which browser. No event asserts that something
works, for its order is any; what must hold is in `account_life_machine`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from tests.accounts.conftest import CODE
from tests.accounts.test_second_step import app_code
from tests.fixtures.cast import PASSWORD

ADDRESSES = ("ann@example.org", "ann.new@example.org", "alice@example.org")
PASSWORDS = (PASSWORD, "a whole new sentence", "the third of her sentences")
PAGES = (
    *("home", "settings", "sessions", "account_login", "account_signup", "account_email", "account_change_password"),
    *("account_reset_password", "account_confirm_password_reset_code", "account_complete_password_reset"),
    *("account_email_verification_sent", "mfa_index", "mfa_authenticate", "mfa_activate_totp", "mfa_deactivate_totp"),
    *("mfa_view_recovery_codes", "mfa_generate_recovery_codes", "account_reauthenticate", "mfa_reauthenticate"),
    *("close_account", "agree", "warnings", "account_logout", "account_inactive", "activity"),
)
EVENTS = (
    *("sign_up", "confirm", "confirm", "resend", "sign_in", "sign_in", "sign_in_wholly", "sign_in_wholly"),
    *("second_step", "recovery_code", "sign_out", "forget", "forget", "enter_reset_code", "enter_reset_code"),
    *("choose_password", "choose_password", "change_password", "change_address", "change_address", "reauthenticate"),
    *("set_up_app", "turn_app_off", "new_recovery_codes"),
    *("end_other_sessions", "close", "language", "agree", "look"),
    *("staff_stop", "staff_let_in", "staff_remove_step"),
)
CLUMSY = 3  # from this number on, somebody types something wrong
_LONGEST_WAY = 6


@dataclass
class Browser:
    """One browser of a person, who types only what they know: `addresses` are the mailboxes they read."""

    name: str
    person: str
    addresses: tuple[str, ...]
    passwords: tuple[str, ...]
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))
    proven: set[str] = field(default_factory=set)  # accounts whose password, as it is now, was typed here
    has_passed_step: bool = False  # whether the event that is happening gave a right code

    def signed_in_as(self) -> str | None:
        """The id of the account as which a page would take this browser."""
        page = self.client.get(reverse("settings"))
        return str(self.client.session[SESSION_KEY]) if page.status_code == 200 else None


class AccountLives:
    """Ann has two browsers and two addresses. The stranger has an address of his own, and reads one of Ann's, too."""

    def __init__(self, make_staff: Callable[[], Client]) -> None:
        self._make_staff = make_staff
        self.browsers = [Browser(name, "Ann", ADDRESSES[:2], PASSWORDS[:2]) for name in ("phone", "laptop")]
        self.browsers.append(Browser("stranger", "stranger", ADDRESSES[1:], PASSWORDS[2:]))
        self.keys: dict[str, list[str]] = {"Ann": [], "stranger": []}  # of the apps on their phones
        self.codes: dict[str, list[str]] = {"Ann": [], "stranger": []}  # for recovery, as they wrote them down
        self.faults: list[str] = []

    # Asking

    def get(self, browser: Browser, name: str) -> Any:
        return self._follow(browser, browser.client.get(reverse(name)))

    def post(self, browser: Browser, name: str, /, **sent: str) -> Any:
        return self._follow(browser, browser.client.post(reverse(name), sent))

    def _follow(self, browser: Browser, answer: Any) -> Any:
        for _ in range(_LONGEST_WAY):
            if answer.status_code not in {301, 302}:
                break
            answer = browser.client.get(answer["Location"])
        else:
            self.faults.append(f"{browser.name} is led around: {answer['Location']}")
        if answer.status_code >= 500:
            self.faults.append(f"{answer.status_code} at {answer.request['PATH_INFO']}")
        return answer

    def mailed_code(self, browser: Browser) -> str:
        """The last code in a mailbox that they read."""
        for message in reversed(mail.outbox):
            found = CODE.search(str(message.body))
            if found and message.to[0] in browser.addresses:
                return found.group(1)
        return "AAA-AAA"

    def account_in(self, browser: Browser) -> User | None:
        found = browser.client.session.get(SESSION_KEY)
        return User.objects.filter(pk=found).first() if found else None

    # What people do

    def sign_up(self, browser: Browser, number: int) -> None:
        before = set(User.objects.values_list("pk", flat=True))
        self.post(browser, "account_signup", email=ADDRESSES[number % 3], password1=browser.passwords[0])
        browser.proven |= {str(pk) for pk in User.objects.exclude(pk__in=before).values_list("pk", flat=True)}

    def confirm(self, browser: Browser, number: int) -> None:
        code = self.mailed_code(browser) if number < CLUMSY else "AAA-AAA"
        self.post(browser, "account_email_verification_sent", code=code)

    def resend(self, browser: Browser, number: int) -> None:
        self.post(browser, "account_email_verification_sent", action="resend")

    def sign_in(self, browser: Browser, number: int) -> None:
        address = self._address(number)
        typed = self._password(browser, User.objects.filter(email=address).first(), number)
        browser.proven |= {str(user.pk) for user in User.objects.filter(email=address) if user.check_password(typed)}
        self.post(browser, "account_login", login=address, password=typed)

    def sign_in_wholly(self, browser: Browser, number: int) -> None:
        self.sign_in(browser, number)
        self.second_step(browser, 0)

    def _address(self, number: int) -> str:
        """Rather one that has an account."""
        used = list(User.objects.filter(email__in=ADDRESSES).order_by("email").values_list("email", flat=True))
        return (*used, *ADDRESSES)[number % (len(used) + 1)]

    def _password(self, browser: Browser, user: User | None, number: int) -> str:
        """Rather the right one, if they know it."""
        right = [one for one in browser.passwords if user is not None and user.check_password(one)]
        return (*right, browser.passwords[-1])[0 if number < CLUMSY else -1]

    def second_step(self, browser: Browser, number: int) -> None:
        keys = self.keys[browser.person][::-1]
        browser.has_passed_step = bool(keys and number < CLUMSY)
        code = app_code(keys[number % len(keys)]) if browser.has_passed_step else "000000"
        self.post(browser, "mfa_authenticate", code=code)

    def recovery_code(self, browser: Browser, number: int) -> None:
        codes = self.codes[browser.person]
        browser.has_passed_step = bool(codes)
        self.post(browser, "mfa_authenticate", code=codes[number % len(codes)] if codes else "00000000")

    def sign_out(self, browser: Browser, number: int) -> None:
        self.post(browser, "account_logout")

    def forget(self, browser: Browser, number: int) -> None:
        self.post(browser, "account_reset_password", email=self._address(number))

    def enter_reset_code(self, browser: Browser, number: int) -> None:
        code = self.mailed_code(browser) if number < CLUMSY else "AAA-AAA"
        self.post(browser, "account_confirm_password_reset_code", code=code)

    def choose_password(self, browser: Browser, number: int) -> None:
        self._with_new_password(browser, number, "account_complete_password_reset")

    def change_password(self, browser: Browser, number: int) -> None:
        old = self._password(browser, self.account_in(browser), number)
        self._with_new_password(browser, number, "account_change_password", oldpassword=old)

    def _with_new_password(self, browser: Browser, number: int, page: str, /, **more: str) -> None:
        before = dict(User.objects.values_list("pk", "password"))
        self.post(browser, page, password1=browser.passwords[number % len(browser.passwords)], **more)
        for pk, password in User.objects.values_list("pk", "password"):
            if before.get(pk, password) != password:
                self._ends_elsewhere(browser, str(pk))

    def _ends_elsewhere(self, browser: Browser, account: str) -> None:
        """A new password: whoever knew the old one has proven nothing."""
        for other in self.browsers:
            if other is not browser:
                other.proven.discard(account)

    def change_address(self, browser: Browser, number: int) -> None:
        self.reauthenticate(browser, number)
        self.post(browser, "account_email", email=ADDRESSES[number % 3], action_add="")

    def reauthenticate(self, browser: Browser, number: int) -> None:
        typed = self._password(browser, self.account_in(browser), number)
        self.post(browser, "account_reauthenticate", password=typed)

    def set_up_app(self, browser: Browser, number: int) -> None:
        self.reauthenticate(browser, number)
        form: Any = (self.get(browser, "mfa_activate_totp").context or {}).get("form")
        user = self.account_in(browser)
        if user and hasattr(form, "secret"):
            self.post(browser, "mfa_activate_totp", code=app_code(form.secret))
            if Authenticator.objects.filter(user=user, type="totp").exists():
                self.keys[browser.person].append(form.secret)
                self._read_codes(browser)

    def _read_codes(self, browser: Browser) -> None:
        page = self.get(browser, "mfa_view_recovery_codes")
        found = re.findall(r"\b\d{8}\b", page.content.decode())
        self.codes[browser.person] = found or self.codes[browser.person]

    def turn_app_off(self, browser: Browser, number: int) -> None:
        self.reauthenticate(browser, number)
        self.post(browser, "mfa_deactivate_totp")

    def new_recovery_codes(self, browser: Browser, number: int) -> None:
        self.reauthenticate(browser, number)
        self.post(browser, "mfa_generate_recovery_codes")
        self._read_codes(browser)

    def end_other_sessions(self, browser: Browser, number: int) -> None:
        user = self.account_in(browser)
        page = self.post(browser, "sessions")
        if user and page.status_code == 200 and page.request["PATH_INFO"] == reverse("sessions"):
            others = [other for other in self.browsers if other is not browser]
            self.faults += [f"{one.name} goes on" for one in others if one.signed_in_as() == str(user.pk)]

    def close(self, browser: Browser, number: int) -> None:
        self.reauthenticate(browser, number)
        self.post(browser, "close_account")

    def language(self, browser: Browser, number: int) -> None:
        self.post(browser, "set_language", language=("en", "es")[number % 2])

    def agree(self, browser: Browser, number: int) -> None:
        self.post(browser, "agree", notice_version="2026-11", declaration="adult", is_agreed="on")

    def look(self, browser: Browser, number: int) -> None:
        for name in PAGES:
            self.get(browser, name)

    # What staff do, as their pages do it

    def staff_stop(self, browser: Browser, number: int) -> None:
        for user in User.objects.filter(email=ADDRESSES[number % 3]):
            self.as_staff("admin:accounts_user_change", user.pk, **{"initial-is_active": "True"})
            for one in self.browsers:
                one.proven.discard(str(user.pk))

    def staff_let_in(self, browser: Browser, number: int) -> None:
        for user in User.objects.filter(email=ADDRESSES[number % 3]):
            self.as_staff("admin:accounts_user_change", user.pk, is_active="on")

    def staff_remove_step(self, browser: Browser, number: int) -> None:
        for step in Authenticator.objects.filter(user__email=ADDRESSES[number % 3], type="totp"):
            self.as_staff("admin:mfa_authenticator_delete", step.pk, post="yes")

    def as_staff(self, name: str, pk: Any, /, **sent: str) -> None:
        self._make_staff().post(reverse(name, args=[pk]), sent)
