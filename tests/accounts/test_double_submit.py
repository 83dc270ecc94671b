"""Whoever submits a form twice is led on, and nothing is created twice."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.managers import EmailAddressManager
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.db import IntegrityError
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.accounts.adapters import AccountAdapter
from apps.accounts.models import User
from apps.accounts.views.double_submit import tolerate_double_submit
from tests.faults.at_once import results, together

pytestmark = pytest.mark.django_db(transaction=True)

CONFIRM = "/accounts/confirm-email/"
SENTENCE = "a whole new sentence"


def pressed_twice(browser: Client, address: str, typed: dict[str, str]) -> set[str]:
    """Where the two answers lead, given to the same browser."""

    def press() -> Any:
        other = Client()
        for name, cookie in browser.cookies.items():
            other.cookies[name] = cookie.value
        return other.post(address, typed)

    answers = results(together(press, press))
    assert {answer.status_code for answer in answers} <= {302, 429}  # the library may say that it was too soon
    return {answer["Location"] for answer in answers if answer.status_code == 302}


class TestAButtonPressedTwice:
    def test_signs_up_once(self, client: Client):
        typed = {"email": "new@example.org", "password1": SENTENCE, "first_name": ""}
        assert pressed_twice(client, reverse("account_signup"), typed) == {CONFIRM}
        assert User.objects.filter(email="new@example.org").count() == 1

    def test_changes_the_address_once(self, alice_client: Client, alice: User, mailed_code: Callable[[], str]):
        alice_client.post(reverse("account_email"), {"action_add": "", "email": "other@example.org"})
        code = mailed_code()
        mail.outbox.clear()
        assert pressed_twice(alice_client, CONFIRM, {"code": code}) <= {"/", reverse("account_email")}
        alice.refresh_from_db()
        assert alice.email == "other@example.org"
        assert list(EmailAddress.objects.values_list("email", "verified", "primary")) == [(alice.email, True, True)]

    def test_leaves_the_new_address_as_the_first_press_left_it(self, alice: User, monkeypatch: pytest.MonkeyPatch):
        """The second asks which address is the old one, and the first has just put the new one there."""

        def first_press() -> None:
            EmailAddress.objects.all().delete()
            EmailAddress.objects.create(user=alice, email="other@example.org", verified=True, primary=True)

        def old_address(_manager: object, user: User) -> EmailAddress | None:
            results(together(first_press))
            return EmailAddress.objects.filter(user=user, primary=True).first()

        monkeypatch.setattr(EmailAddressManager, "get_primary", old_address)
        late = EmailAddress(user=alice, email="other@example.org")
        with pytest.raises(IntegrityError):
            AccountAdapter().confirm_email(RequestFactory().post(CONFIRM), late)
        assert EmailAddress.objects.get().primary

    def test_sets_up_an_app_once(self, alice_client: Client, alice: User):
        secret = alice_client.get(reverse("mfa_activate_totp")).context["form"].secret
        code = format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1]))
        led_to = pressed_twice(alice_client, reverse("mfa_activate_totp"), {"code": code})
        assert reverse("mfa_view_recovery_codes") in led_to
        assert sorted(Authenticator.objects.values_list("type", flat=True)) == ["recovery_codes", "totp"]

    def test_leads_on_where_the_first_has_made_it(self):
        def second(_request: object) -> Any:
            raise IntegrityError

        answer = tolerate_double_submit(second, then="mfa_index")(RequestFactory().post("/"))
        assert answer["Location"] == reverse("mfa_index")
