"""A walk through events of accounts, in an order that a seed decides: what must hold.

After each event, that is in `check`: a browser is signed in only as whom it proved to be, by the password that is in
force and the second step that is on; nobody is led in a circle, and no page fails.
"""

import random
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

import time_machine
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from tests.accounts.account_lives import ADDRESSES, EVENTS, AccountLives

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MINUTE, HOUR = 60, 3600
_RANDOM = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
ASKED = {
    "account_login": {"login": "{}", "password": "not the password"},
    "account_signup": {"email": "{}", "password1": "a sentence of his own"},
    "account_reset_password": {"email": "{}"},
}


class AccountLifeMachine:
    """`make_staff()` is the test's: a browser in which staff gave their password just now."""

    def __init__(self, make_staff: Callable[[], Client]) -> None:
        self.make_staff = make_staff
        self.travel = time_machine.travel(NOON, tick=False)
        self.clock = self.travel.start()
        self.was: dict[str, str | None] = {}

    def begin(self) -> None:
        """Ann has signed up on her phone, and has codes from an app."""
        mail.outbox.clear()
        self.lives = AccountLives(self.make_staff)
        for event in ("sign_up", "confirm", "set_up_app"):
            self.happens(event, 0, 0)
        assert self.lives.keys["Ann"]

    def walk(self, seed: int, *, steps: int) -> None:
        """Most steps are events; now and then time passes, or a stranger asks."""
        drawn = random.Random(seed)
        for _ in range(steps):
            kind = drawn.randrange(10)
            if kind == 0:
                self.clock.shift(drawn.choice([6 * MINUTE, 16 * MINUTE, 31 * MINUTE, 13 * HOUR]))
            elif kind == 1:
                self.a_stranger_asks(drawn.choice(sorted(ASKED)), drawn.randrange(3))
            else:
                self.happens(drawn.choice(EVENTS), drawn.randrange(3), drawn.randrange(4))

    def happens(self, event: str, who: int, number: int) -> None:
        self.clock.shift(40)
        cache.key_prefix = uuid.uuid4().hex  # no try is one too many
        getattr(self.lives, event)(self.lives.browsers[who], number)
        self.check()

    def a_stranger_asks(self, page: str, number: int) -> None:
        """Whether an address has an account, he does not learn."""
        told, mailed = [], len(mail.outbox)
        for address in (ADDRESSES[number], "nobody@example.org"):
            cache.key_prefix, browser = uuid.uuid4().hex, Client()
            sent = {name: value.format(address) for name, value in ASKED[page].items()}
            with transaction.atomic():
                answer = browser.post(reverse(page), sent, follow=True)
                transaction.set_rollback(True)
            shown = answer.content.decode().partition("<main")[2].replace(address, "")
            told.append((answer.redirect_chain, answer.status_code, _RANDOM.sub("", shown)))
        del mail.outbox[mailed:]
        assert told[0] == told[1]

    def check(self) -> None:
        assert not self.lives.faults, self.lives.faults
        for browser in self.lives.browsers:
            before, now = self.was.get(browser.name), browser.signed_in_as()
            self.was[browser.name] = now
            if now is None:
                continue
            user = User.objects.get(pk=now)
            assert user.is_active
            assert now in browser.proven, f"{browser.name} never gave this password"
            assert user.email in browser.addresses, f"{browser.name} is in somebody else's account"
            has_step = Authenticator.objects.filter(user=user, type="totp").exists()
            assert now == before or not has_step or browser.has_passed_step, "without the second step"
        for browser in self.lives.browsers:
            browser.has_passed_step = False
        assert {address for message in mail.outbox for address in message.to} <= set(ADDRESSES)

    def teardown(self) -> None:
        self.travel.stop()
