"""The admin: staff get in by the site's own sign-in, and nobody else gets in."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.core.mail import EmailMessage
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

    def test_names_the_zone_its_times_are_told_in(self, stella: User, signed_in: Callable[[User], Client]):
        User.objects.filter(pk=stella.pk).update(time_zone="America/Chicago")
        page = signed_in(stella).get(reverse("admin:audit_auditevent_changelist")).content.decode()
        assert "Times on these pages are in the time zone America/Chicago." in page

    def test_is_closed_to_patients(self, alice: User, signed_in: Callable[[User], Client]):
        assert signed_in(alice).get("/admin/login/").status_code == 403
        assert signed_in(alice).get("/admin/").status_code == 302


class TestAUserInTheAdmin:
    def test_shows_no_password(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        page = signed_in(stella).get(reverse("admin:accounts_user_change", args=[alice.pk])).content.decode()
        assert alice.email in page
        assert alice.password not in page
        assert 'name="password"' not in page

    @pytest.mark.parametrize("column", ["password__startswith", "time_zone__startswith", "user_permissions"])
    def test_is_not_found_by_what_no_page_shows(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], column: str
    ):
        """Whoever may ask for the beginning of a hash has the whole of it, one character after the other."""
        asked = {column: alice.password[:40] if "password" in column else "A"}
        answer = signed_in(stella).get(reverse("admin:accounts_user_changelist"), asked)
        assert answer.status_code == 400
        assert alice.email not in answer.content.decode()

    def test_is_found_by_what_its_list_offers(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        for asked in ({"is_staff__exact": "0"}, {"email__startswith": "alice"}, {"no_such_column": "1", "e": "1"}):
            page = signed_in(stella).get(reverse("admin:accounts_user_changelist"), asked)
            assert page.status_code == 200, asked

    def test_can_be_stopped_from_signing_in(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), {"email": "evil@example.org"})
        alice.refresh_from_db()
        assert not alice.is_active
        assert alice.email == "alice@example.org"

    def test_learns_that_staff_looked(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        signed_in(stella).get(reverse("admin:accounts_user_change", args=[alice.pk]))
        event = AuditEvent.objects.get(event="staff.viewed")
        assert (event.actor_id, event.user_id) == (stella.pk, alice.pk)

    def test_learns_nothing_of_staff_who_were_shown_nothing(
        self, make_user: Callable[..., User], alice: User, signed_in: Callable[[User], Client]
    ):
        stan = make_user("stan@example.org", is_staff=True)
        answer = signed_in(stan).get(reverse("admin:accounts_user_change", args=[alice.pk]))
        assert answer.status_code == 403
        assert not AuditEvent.objects.exists()

    @pytest.mark.parametrize(("was_active", "event"), [(True, "user.stopped"), (False, "user.let_in")])
    def test_reads_that_staff_stopped_it_or_let_it_in(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], was_active: bool, event: str
    ):
        User.objects.filter(pk=alice.pk).update(is_active=was_active)
        typed = {} if was_active else {"is_active": "on"}
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), typed)
        written = AuditEvent.objects.get(event=event)
        assert (written.actor_kind, written.actor_id, written.user_id) == ("staff", stella.pk, alice.pk)

    def test_leaves_no_line_about_a_save_that_changed_nothing(
        self, stella: User, alice: User, signed_in: Callable[[User], Client]
    ):
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), {"is_active": "on"})
        assert set(AuditEvent.objects.values_list("event", flat=True)) == {"staff.viewed"}

    def test_is_made_staff_on_the_record(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        group = Group.objects.create(name="support")
        typed = {"is_active": "on", "is_staff": "on", "groups": str(group.pk)}
        signed_in(stella).post(reverse("admin:accounts_user_change", args=[alice.pk]), typed)
        rows = AuditEvent.objects.filter(event="user.rights_changed", actor_id=stella.pk, user_id=alice.pk)
        assert [row.facts for row in rows.order_by("pk")] == [
            {"action": "given", "changed": "is_staff"},
            {"changed": "groups"},
        ]

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

    def test_who_works_here_is_stopped_by_superusers_alone(
        self, make_user: Callable[..., User], stella: User, alice: User, signed_in: Callable[[User], Client]
    ):
        stan = make_user("stan@example.org", is_staff=True)
        stan.user_permissions.add(permission("accounts", "change_user"), permission("accounts", "view_user"))
        for person in (stella, alice):
            signed_in(stan).post(reverse("admin:accounts_user_change", args=[person.pk]), {})
            person.refresh_from_db()
        assert (stella.is_active, alice.is_active) == (True, False)

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
    def test_of_who_works_here_is_taken_by_superusers_alone(
        self, make_user: Callable[..., User], stella: User, alice: User, signed_in: Callable[[User], Client], way: str
    ):
        """Whoever lacks rights would need no more than the password of somebody who has them."""
        stan = make_user("stan@example.org", is_staff=True)
        stan.user_permissions.add(permission("mfa", "delete_authenticator"), permission("mfa", "view_authenticator"))
        browser = signed_in(stan)
        for person in (stella, alice):
            step = Authenticator.objects.create(user=person, type="totp", data={})
            if way == "one":
                browser.post(reverse("admin:mfa_authenticator_delete", args=[step.pk]), {"post": "yes"})
            else:
                chosen = {"action": "delete_selected", "_selected_action": str(step.pk), "post": "yes"}
                browser.post(reverse("admin:mfa_authenticator_changelist"), chosen)
        assert [step.user for step in Authenticator.objects.all()] == [stella]

    def test_is_missed_by_its_owner_in_a_mail(
        self,
        stella: User,
        alice: User,
        signed_in: Callable[[User], Client],
        mailoutbox: list[EmailMessage],
        django_capture_on_commit_callbacks: Callable[..., Any],
    ):
        """Whoever told staff that it was lost may have been somebody else."""
        step = Authenticator.objects.create(user=alice, type="totp", data={"secret": "canary"})
        with django_capture_on_commit_callbacks(execute=True):
            signed_in(stella).post(reverse("admin:mfa_authenticator_delete", args=[step.pk]), {"post": "yes"})
        (mail,) = mailoutbox
        assert mail.to == [alice.email]
        assert "Holdfast staff removed a second sign-in step" in mail.body
        assert "canary" not in mail.body

    @pytest.mark.parametrize(("other", "left"), [("", 0), ("webauthn", 2)])
    def test_takes_the_recovery_codes_along_that_serve_nothing_else(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], other: str, left: int
    ):
        """Whoever found the phone may have found the sheet with them, too."""
        step = Authenticator.objects.create(user=alice, type="totp", data={})
        Authenticator.objects.create(user=alice, type="recovery_codes", data={})
        if other:
            Authenticator.objects.create(user=alice, type=other, data={"name": "key"})
        signed_in(stella).post(reverse("admin:mfa_authenticator_delete", args=[step.pk]), {"post": "yes"})
        assert Authenticator.objects.count() == left

    def test_is_found_by_the_id_that_other_pages_show(
        self, stella: User, alice: User, signed_in: Callable[[User], Client]
    ):
        step = Authenticator.objects.create(user=alice, type="totp", data={})
        address = reverse("admin:mfa_authenticator_changelist")
        page = signed_in(stella).get(address, {"q": str(alice.pk)}).content.decode()
        assert reverse("admin:mfa_authenticator_change", args=[step.pk]) in page

    @pytest.mark.parametrize("way", ["one", "several"])
    def test_is_told_and_taken_away_without_the_name_its_owner_gave_it(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], way: str
    ):
        """People call a passkey what they like, and may close their account."""
        step = Authenticator.objects.create(user=alice, type="webauthn", data={"name": "phone of Alice Canary"})
        browser, everywhere = signed_in(stella), reverse("admin:mfa_authenticator_changelist")
        its_own = {name: reverse(f"admin:mfa_authenticator_{name}", args=[step.pk]) for name in ("change", "delete")}
        pages = [browser.get(address) for address in (everywhere, *its_own.values())]
        chosen = {"action": "delete_selected", "_selected_action": str(step.pk)}
        pages.append(browser.post(everywhere, chosen))
        if way == "one":
            pages.append(browser.post(its_own["delete"], {"post": "yes"}, follow=True))
        else:
            pages.append(browser.post(everywhere, {**chosen, "post": "yes"}, follow=True))
        assert [page.status_code for page in pages] == [200] * 5
        assert not any("Canary" in page.content.decode() for page in pages)
        assert not Authenticator.objects.exists()
        assert AuditEvent.objects.filter(event="user.authenticator_changed").exists()
        assert "Canary" not in str(list(LogEntry.objects.values()))


class TestAnAddressInTheAdmin:
    def test_cannot_be_changed(self, stella: User, alice: User, signed_in: Callable[[User], Client]):
        address = EmailAddress.objects.get(user=alice)
        url = reverse("admin:account_emailaddress_change", args=[address.pk])
        assert signed_in(stella).post(url, {"email": "evil@example.org"}).status_code == 403


class TestAnAttemptInTheAdmin:
    @pytest.mark.parametrize("way", ["one", "several"])
    def test_lets_in_on_the_record_when_it_is_taken_away(
        self, stella: User, alice: User, signed_in: Callable[[User], Client], way: str
    ):
        hers = AccessAttempt.objects.create(username=alice.email, failures_since_start=10)
        nobodys = AccessAttempt.objects.create(username="nobody@example.org", failures_since_start=10)
        browser = signed_in(stella)
        if way == "one":
            for row in (hers, nobodys):
                browser.post(reverse("admin:axes_accessattempt_delete", args=[row.pk]), {"post": "yes"})
        else:
            chosen = {"action": "delete_selected", "_selected_action": [hers.pk, nobodys.pk], "post": "yes"}
            browser.post(reverse("admin:axes_accessattempt_changelist"), chosen)
        assert not AccessAttempt.objects.exists()
        written = AuditEvent.objects.get()
        assert (written.event, written.actor_id, written.user_id) == ("user.let_in", stella.pk, alice.pk)


class TestAGroupInTheAdmin:
    def test_changes_on_the_record(self, stella: User, signed_in: Callable[[User], Client]):
        browser = signed_in(stella)
        browser.post(reverse("admin:auth_group_add"), {"name": "support"})
        group = Group.objects.get()
        allowed = {"name": "support", "permissions": str(permission("accounts", "view_user").pk)}
        browser.post(reverse("admin:auth_group_change", args=[group.pk]), allowed)
        browser.post(reverse("admin:auth_group_delete", args=[group.pk]), {"post": "yes"})
        rows = AuditEvent.objects.filter(event="group.changed", actor_id=stella.pk, subject_id=str(group.pk))
        assert [row.facts["action"] for row in rows.order_by("pk")] == ["added", "changed", "deleted"]


def permission(app: str, codename: str) -> Permission:
    return Permission.objects.get(content_type__app_label=app, codename=codename)
