"""Accounts whose address was never confirmed are deleted."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.management import call_command

from apps.accounts import purging, tasks
from apps.accounts.models import Session, User
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BEAT = Actor.system("beat")


def unverified(email: str, *, days: float, **columns: object) -> User:
    user = User.objects.create_user(email, "correct horse battery", joined_at=NOW - timedelta(days=days), **columns)
    EmailAddress.objects.create(user=user, email=email, verified=False, primary=True)
    return user


class TestAnUnverifiedAccount:
    def test_is_removed_after_three_days(self):
        user = unverified("old@example.org", days=3.01)
        unverified("young@example.org", days=2.99)
        assert purging.purge_unverified(at=NOW, actor=BEAT) == 1
        assert list(User.objects.values_list("email", flat=True)) == ["young@example.org"]
        assert AuditEvent.objects.get(event="user.purged").user_id == user.pk

    def test_stays_once_verified(self):
        user = unverified("ann@example.org", days=30)
        EmailAddress.objects.filter(user=user).update(verified=True)
        assert purging.purge_unverified(at=NOW, actor=BEAT) == 0

    def test_stays_where_it_belongs_to_staff(self):
        User.objects.create_superuser("root@example.org", "correct horse battery", joined_at=NOW - timedelta(days=30))
        assert purging.purge_unverified(at=NOW, actor=BEAT) == 0

    def test_stays_where_somebody_has_signed_in(self):
        unverified("ann@example.org", days=30, last_login=NOW)
        assert purging.purge_unverified(at=NOW, actor=BEAT) == 0

    def test_goes_with_many_others(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(purging, "BATCH", 2)
        for number in range(5):
            unverified(f"old{number}@example.org", days=4)
        assert purging.purge_unverified(at=NOW, actor=BEAT) == 5
        assert not User.objects.exists()


class TestTheTask:
    def test_purges(self):
        unverified("old@example.org", days=10_000)
        tasks.purge_unverified()
        assert not User.objects.exists()


class TestASessionThatEndedByItself:
    def test_leaves_no_row(self):
        Session.objects.create(pk="old", sealed_data=b"", expires_at=NOW - timedelta(days=10_000))
        Session.objects.create(pk="new", sealed_data=b"", expires_at=NOW + timedelta(days=10_000))
        tasks.forget_expired_sessions()
        assert list(Session.objects.values_list("pk", flat=True)) == ["new"]


class TestTheCommand:
    def test_says_what_would_go(self):
        unverified("old@example.org", days=10_000)
        said = StringIO()
        call_command("purge_unverified", "--dry-run", stdout=said)
        assert said.getvalue() == "1 unverified account would be removed.\n"
        assert User.objects.exists()

    def test_says_what_went(self):
        unverified("old@example.org", days=10_000)
        said = StringIO()
        call_command("purge_unverified", stdout=said)
        assert said.getvalue() == "1 unverified account removed.\n"
        assert not User.objects.exists()
