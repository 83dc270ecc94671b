"""Somebody else changes an account, or its owner closes it, while a request about it is under way."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from apps.accounts.admin import UserAdmin
from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db

NEW = "a whole new sentence"
TYPED = {"oldpassword": PASSWORD, "password1": NEW}


def of_alice(**columns: Any) -> Callable[[], object]:
    """What somebody else writes."""
    return lambda: User.objects.filter(email="alice@example.org").update(**columns)


@pytest.fixture
def while_it_is_hashed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Has something happen while a new password is hashed, which takes long: the account was read before."""

    def happens(what: Callable[[], object]) -> None:
        as_ever = User.set_password

        def late(user: User, password: str | None) -> None:
            as_ever(user, password)
            what()

        monkeypatch.setattr(User, "set_password", late)

    return happens


class TestANewPassword:
    def test_lets_nobody_in_whom_staff_have_stopped(
        self, hers: Client, alice: User, sam: User, while_it_is_hashed: Any
    ):
        while_it_is_hashed(of_alice(is_active=False, language="es"))
        hers.post(reverse("account_change_password"), TYPED)
        alice.refresh_from_db()
        sam.refresh_from_db()
        assert alice.check_password(NEW)
        assert (alice.is_active, alice.language) == (False, "es")
        assert sam.is_active

    def test_brings_no_account_back_that_was_closed(
        self, hers: Client, alice: User, sam: User, while_it_is_hashed: Any
    ):
        while_it_is_hashed(alice.delete)
        answer = hers.post(reverse("account_change_password"), TYPED)
        assert answer.status_code == 400
        assert list(User.objects.all()) == [sam]

    def test_set_with_a_mailed_code_brings_none_back_either(
        self, client: Client, alice: User, mailed_code: Callable[[], str], while_it_is_hashed: Any
    ):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        while_it_is_hashed(alice.delete)
        answer = client.post(reverse("account_complete_password_reset"), {"password1": NEW})
        assert answer.status_code == 400
        assert not User.objects.exists()
        assert not EmailAddress.objects.exists()


class TestWhatStaffSave:
    @pytest.fixture
    def once_it_was_read(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Has something happen while staff save an account, once it was read."""

        def happens(what: Callable[[], object]) -> None:
            as_ever = UserAdmin.get_object

            def late(*args: Any) -> Any:
                found = as_ever(*args)
                what()
                return found

            monkeypatch.setattr(UserAdmin, "get_object", late)

        return happens

    def test_leaves_a_password_that_its_owner_has_just_set(self, staff: Client, alice: User, once_it_was_read: Any):
        once_it_was_read(of_alice(password="another", email="new@example.org"))
        staff.post(reverse("admin:accounts_user_change", args=[alice.pk]), {})
        alice.refresh_from_db()
        assert (alice.password, alice.email, alice.is_active) == ("another", "new@example.org", False)

    def test_lets_nobody_in_whom_another_has_stopped_since_the_page_was_opened(self, staff: Client, alice: User):
        address = reverse("admin:accounts_user_change", args=[alice.pk])
        shown = {"initial-is_active": "True", "initial-is_staff": "False"}
        page = staff.get(address).content.decode()
        assert all(f'name="{name}" value="{value}"' in page for name, value in shown.items())
        of_alice(is_active=False)()
        group = Group.objects.create(name="support")
        staff.post(address, {**shown, "is_active": "on", "groups": str(group.pk)})
        alice.refresh_from_db()
        assert not alice.is_active
        assert list(alice.groups.all()) == [group]
        assert not AuditEvent.objects.filter(event="user.let_in").exists()
