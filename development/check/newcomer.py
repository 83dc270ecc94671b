"""Somebody new to the site: signs up with the code from the mail, and agrees to the notice when it is asked."""

import re
from dataclasses import dataclass, field

from development.check.browser import Browser
from development.check.page import NotThere

_CODE = re.compile(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", re.MULTILINE)


@dataclass
class Newcomer:
    """One person with one browser."""

    site: str
    first_name: str
    email: str
    password: str = "a sentence that nobody would guess"
    browser: Browser = field(default_factory=Browser)

    def sign_up(self) -> None:
        """From the page with the form."""
        self.browser.fill(
            {"First name": self.first_name, "E-mail address": self.email, "Password": self.password},
            "Create an account",
        )
        self.browser.page.must_show("Enter the code", self.email)

    def enter_code(self) -> None:
        """From the page that asks for the code. The mailbox is opened in another browser."""
        mailbox = Browser().open(f"{self.site}/development/mail/")
        mail = mailbox.text.partition(f"To {self.email}")[2]
        code = _CODE.search(mail)
        if code is None:
            raise NotThere(f"no mail with a code for {self.email}")
        self.browser.fill({"Code": code.group()}, "Continue").must_show(f"{self.email} is confirmed")

    def agree(self) -> None:
        """From the notice, which must say what it is about."""
        self.browser.page.must_show("Privacy notice", "HIPAA", "We never sell it")
        self.browser.fill({"I am 18 or older": True, "I have read this": True}, "Agree and continue")
