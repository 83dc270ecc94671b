"""Events of an account's life, in any order: what must hold is in `account_life_machine`.

To look further, take other seeds and more steps.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from apps.accounts import unfinished
from apps.accounts.models import User
from tests.accounts.account_life_machine import AccountLifeMachine
from tests.accounts.conftest import ALLAUTH
from tests.fixtures.cast import gave_password

pytestmark = pytest.mark.django_db

PHONE, LAPTOP = 0, 1


@pytest.fixture
def scene(stella: User, settings: Any) -> Iterator[AccountLifeMachine]:
    """Ann has signed up on her phone, and has codes from an app."""
    settings.STAFF_NEED_SECOND_STEP = False

    def make_staff() -> Client:
        browser = Client()
        browser.force_login(stella, backend=ALLAUTH)
        gave_password(browser, stella)
        return browser

    found = AccountLifeMachine(make_staff)
    try:
        found.begin()
        yield found
    finally:
        found.teardown()


class TestAnAccount:
    @pytest.mark.parametrize("seed", range(5))
    def test_holds_whatever_happens_in_its_life(self, scene: AccountLifeMachine, seed: int):
        scene.walk(seed, steps=60)


class TestTheMachine:
    """Faults that were there, and were found in an order of events."""

    def test_passes_where_all_is_right(self, scene: AccountLifeMachine):
        scene.happens("sign_in", LAPTOP, 0)
        scene.happens("second_step", LAPTOP, 0)
        assert scene.was["laptop"] == scene.was["phone"] is not None

    def test_finds_a_sign_in_with_a_password_of_the_past(
        self, scene: AccountLifeMachine, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(unfinished, "drop_outdated", lambda _request: None)
        scene.happens("sign_in", LAPTOP, 0)
        scene.happens("change_password", PHONE, 1)
        with pytest.raises(AssertionError, match="laptop never gave this password"):
            scene.happens("second_step", LAPTOP, 0)

    def test_finds_pages_that_lead_to_each_other(self, scene: AccountLifeMachine, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(unfinished, "drop_outdated", lambda _request: None)
        scene.happens("sign_in", LAPTOP, 0)
        scene.happens("staff_remove_step", LAPTOP, 0)
        with pytest.raises(AssertionError, match="laptop is led around"):
            scene.happens("look", LAPTOP, 0)
