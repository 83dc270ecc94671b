"""The admin: behind the same door as everything else, and a window once inside."""

from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db


class TestTheAdmin:
    def test_sends_whoever_comes_to_the_sites_own_sign_in(self, client: Client):
        answer = client.get(reverse("admin:login") + "?next=/admin/")
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("account_login"))

    def test_takes_no_password_itself(self, client: Client, stella: User):
        client.post(reverse("admin:login"), {"username": stella.email, "password": "correct horse battery staple"})
        assert "_auth_user_id" not in client.session

    def test_changes_no_password_by_itself(self, stella: User, signed_in: Callable[[User], Client]):
        typed = {
            "old_password": PASSWORD,
            "new_password1": "a whole new sentence",
            "new_password2": "a whole new sentence",
        }
        answer = signed_in(stella).post(reverse("admin:password_change"), typed)
        assert answer["Location"] == reverse("account_change_password")
        stella.refresh_from_db()
        assert stella.check_password(PASSWORD)

    def test_leads_to_the_desk(self, stella: User, signed_in: Callable[[User], Client]):
        page = signed_in(stella).get(reverse("admin:index")).content.decode()
        assert f'<a href="{reverse("desk")}">Registration desk</a>' in page

    def test_is_closed_to_patients(self, alice: User, signed_in: Callable[[User], Client]):
        assert signed_in(alice).get("/admin/login/").status_code == 403
        assert signed_in(alice).get("/admin/").status_code == 302


class TestAUserInTheAdmin:
    def test_shows_no_password(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        page = signed_in(stella).get(reverse("admin:accounts_user_change", args=[alice.pk])).content.decode()
        assert alice.email in page
        assert alice.password not in page
        assert 'name="password"' not in page

    def test_can_be_stopped_from_signing_in(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), {"email": "evil@example.org"})
        alice.refresh_from_db()
        assert not alice.is_active
        assert alice.email == "alice@example.org"

    def test_learns_that_staff_looked(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        signed_in(stella).get(reverse("admin:accounts_user_change", args=[alice.pk]))
        event = AuditEvent.objects.get(event="staff.viewed")
        assert (event.actor_id, event.user_id) == (stella.pk, alice.pk)

    def test_cannot_be_made_staff_by_staff(
        self, make_user: Callable[..., User], alice: User, signed_in: Callable[[User], Client]
    ):
        staff = make_user("stan@example.org", is_staff=True)
        staff.user_permissions.add(permission("accounts", "change_user"))
        url = reverse("admin:accounts_user_change", args=[alice.pk])
        signed_in(staff).post(url, {"is_active": "on", "is_staff": "on", "is_superuser": "on"})
        alice.refresh_from_db()
        assert not alice.is_staff
        assert not alice.is_superuser

    @pytest.mark.parametrize("name", ["accounts_user_add", "accounts_consent_add", "account_emailaddress_add"])
    def test_is_not_made_here(self, stella: User, signed_in: Callable[[User], Client], name: str):
        assert signed_in(stella).get(reverse(f"admin:{name}")).status_code == 403


class TestASecondStepInTheAdmin:
    def test_shows_nothing_of_what_is_in_it(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        step = Authenticator.objects.create(user=alice, type="totp", data={"secret": "canary"})
        url = reverse("admin:mfa_authenticator_change", args=[step.pk])
        assert "canary" not in signed_in(stella).get(url).content.decode()

    def test_can_be_taken_away_but_not_changed(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        step = Authenticator.objects.create(user=alice, type="totp", data={"secret": "canary"})
        client = signed_in(stella)
        assert client.post(reverse("admin:mfa_authenticator_change", args=[step.pk]), {}).status_code == 403
        client.post(reverse("admin:mfa_authenticator_delete", args=[step.pk]), {"post": "yes"})
        assert not Authenticator.objects.exists()
        event = AuditEvent.objects.get(event="user.authenticator_changed")
        assert (event.actor_kind, event.actor_id, event.user_id) == ("staff", stella.pk, alice.pk)

    @pytest.mark.parametrize("way", ["one", "several"])
    def test_leaves_its_name_nowhere_when_it_is_taken_away(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], way: str
    ):
        """People call a passkey what they like, and may close their account."""
        step = Authenticator.objects.create(user=alice, type="webauthn", data={"name": "phone of Alice Canary"})
        if way == "one":
            signed_in(stella).post(reverse("admin:mfa_authenticator_delete", args=[step.pk]), {"post": "yes"})
        else:
            chosen = {"action": "delete_selected", "_selected_action": str(step.pk), "post": "yes"}
            signed_in(stella).post(reverse("admin:mfa_authenticator_changelist"), chosen)
        assert not Authenticator.objects.exists()
        assert AuditEvent.objects.filter(event="user.authenticator_changed").exists()
        assert not LogEntry.objects.exists()


class TestAnAddressInTheAdmin:
    def test_cannot_be_changed(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        address = EmailAddress.objects.get(user=alice)
        url = reverse("admin:account_emailaddress_change", args=[address.pk])
        assert signed_in(stella).post(url, {"email": "evil@example.org"}).status_code == 403


def permission(app: str, codename: str) -> Permission:
    return Permission.objects.get(content_type__app_label=app, codename=codename)
