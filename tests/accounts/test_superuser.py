"""`createsuperuser` accepts no weak password, whether a person or a script runs it."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from apps.accounts.models import User

pytestmark = pytest.mark.django_db


def make(monkeypatch, password):
    """As a script does."""
    if password is not None:
        monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", password)
    call_command("createsuperuser", "--noinput", "--email", "stella.brook@example.org", stdout=StringIO())


class TestASuperuser:
    @pytest.mark.parametrize(
        ("password", "why"),
        [
            ("canary", "at least 12 characters"),
            ("stella.brook@example.org", "too similar to the e-mail address"),
            ("administrator", "too common"),
        ],
    )
    def test_is_refused_with_a_sentence_where_the_password_is_weak(self, monkeypatch, password, why):
        with pytest.raises(CommandError, match=why) as refusal:
            make(monkeypatch, password)
        assert password not in str(refusal.value)
        assert not User.objects.exists()

    def test_is_made_with_one_that_is_not(self, monkeypatch):
        make(monkeypatch, "correct horse battery staple")
        made = User.objects.get()
        assert (made.is_superuser, made.is_staff, made.check_password("correct horse battery staple")) == (True,) * 3

    def test_may_have_none_and_set_one_by_mail(self, monkeypatch):
        make(monkeypatch, None)
        assert not User.objects.get().has_usable_password()

    def test_is_refused_whoever_asks(self):
        with pytest.raises(ValidationError):
            User.objects.create_superuser("root@example.org", "password1234")
