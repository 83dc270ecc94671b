"""The admin and the desk open only to staff who have a second step or a passkey."""

import importlib
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User

pytestmark = pytest.mark.django_db
DOORS = ["admin:index", "admin:accounts_user_changelist", "desk"]


@pytest.fixture(autouse=True)
def _as_deployed(settings: Any) -> None:
    settings.STAFF_NEED_SECOND_STEP = True


class TestADoorOfStaff:
    @pytest.mark.parametrize("door", DOORS)
    def test_leads_whoever_has_a_password_alone_to_where_they_set_more_up(
        self, stella: User, signed_in: Callable[[User], Client], door: str
    ):
        came_to = signed_in(stella).get(reverse(door), follow=True)
        assert came_to.redirect_chain[-1][0] == reverse("mfa_index")
        assert "Everyone who works here signs in with a second step or a passkey." in came_to.content.decode()

    def test_takes_nothing_from_them(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), {})
        alice.refresh_from_db()
        assert alice.is_active

    @pytest.mark.parametrize("door", DOORS)
    @pytest.mark.parametrize("kind", ["totp", "webauthn"])
    def test_opens_once_they_have(self, stella: User, signed_in: Callable[[User], Client], door: str, kind: str):
        Authenticator.objects.create(user=stella, type=kind, data={})
        assert signed_in(stella).get(reverse(door)).status_code == 200

    def test_is_not_opened_by_recovery_codes(self, stella: User, signed_in: Callable[[User], Client]):
        Authenticator.objects.create(user=stella, type="recovery_codes", data={})
        assert signed_in(stella).get(reverse("desk"))["Location"] == reverse("mfa_index")

    def test_says_nothing_of_it_to_patients(self, alice: User, signed_in: Callable[[User], Client]):
        assert signed_in(alice).get(reverse("admin:login")).status_code == 403
        assert signed_in(alice).get(reverse("desk")).status_code == 404


class TestAnInstallation:
    def test_wants_it_unless_its_settings_say_otherwise(self):
        assert importlib.import_module("config.settings.base").STAFF_NEED_SECOND_STEP is True
