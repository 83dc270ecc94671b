"""System checks report a deployment that is unsafe or would fail later, and nothing about a sound one."""

import base64
import hashlib
import os

import pytest
from django.conf import settings as project_settings
from django.core import checks as django_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connections

from config import checks

OURS = "holdfast."
KEYS_OF_THE_TESTS = project_settings.VAULT_KEYS


@pytest.fixture
def deployment(settings, monkeypatch, tmp_path):
    """Settings as a sound deployment has them."""
    settings.DEBUG = False
    settings.SITE_ORIGIN = "https://holdfast.example"
    settings.ALLOWED_HOSTS = ["holdfast.example"]
    settings.ALLOW_LOOPBACK_HTTP = False
    settings.SECRET_KEY = base64.urlsafe_b64encode(os.urandom(48)).decode()
    settings.SECRET_KEY_FALLBACKS = []
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True
    settings.VAULT_KEYS = [f"key-1:{base64.b64encode(os.urandom(32)).decode()}"]
    settings.DELETION_LEDGER = tmp_path / "deletions.jsonl"
    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", {})  # without what the tests allow themselves
    settings.CELERY_BROKER_URL = "redis://redis.example/0"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.SUPPORT_EMAIL = settings.DEFAULT_FROM_EMAIL = "help@holdfast.example"
    return settings


@pytest.fixture
def laptop(deployment):
    """Settings as the demo has them."""
    deployment.DEBUG = True
    deployment.SITE_ORIGIN = "http://127.0.0.1:8000"
    deployment.ALLOW_LOOPBACK_HTTP = True
    deployment.SECRET_KEY = "for this machine only"
    deployment.SESSION_COOKIE_SECURE = deployment.CSRF_COOKIE_SECURE = False
    deployment.EMAIL_BACKEND = "development.mailbox.MailboxBackend"
    deployment.SUPPORT_EMAIL = "support@localhost"
    return deployment


def our_checks():
    """Ours among the registered ones that need no database."""
    registered = django_checks.registry.registry.get_checks()
    return [check for check in registered if check.__module__.startswith(("config.", "apps.vault.", "apps.audit."))]


def found() -> set[str]:
    messages = [message for check in our_checks() for message in check(app_configs=None)]
    assert all((message.id or "").startswith(OURS) for message in messages)
    assert all(message.hint for message in messages)
    assert all(message.level >= django_checks.ERROR for message in messages)
    return {(message.id or "").removeprefix(OURS) for message in messages}


# Random enough, and the same in every test process: it is part of the names of tests.
KEY = base64.b64encode(hashlib.sha256(b"a key of these tests").digest()).decode()


class TestDeployment:
    def test_that_is_sound_starts(self, deployment):
        assert found() == set()

    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("VAULT_KEYS", [], "E001"),
            ("VAULT_KEYS", None, "E001"),
            ("VAULT_KEYS", ["key-1"], "E002"),
            ("VAULT_KEYS", ["key-1:AAAA"], "E003"),
            ("VAULT_KEYS", [f"a:{KEY[:20]} {KEY[20:]}"], "E008"),
            ("VAULT_KEYS", [f"a:{KEY[:-1]}"], "E008"),
            ("VAULT_KEYS", [f"a:{KEY}", f"b:{KEY[:-2]}_="], "E008"),
            ("VAULT_KEYS", [f"a:{KEY}", f"a:{KEY}"], "E004"),
            ("VAULT_KEYS", [f"a:{base64.b64encode(bytes(32)).decode()}"], "E005"),
            ("SITE_ORIGIN", "https://holdfast.example/app", "E010"),
            ("SITE_ORIGIN", "https://holdfast.example?x=1", "E010"),
            ("SITE_ORIGIN", "https://user@holdfast.example", "E010"),
            ("SITE_ORIGIN", "holdfast.example", "E010"),
            ("SITE_ORIGIN", "ftp://holdfast.example", "E010"),
            ("SITE_ORIGIN", "http://holdfast.example", "E011"),
            ("ALLOWED_HOSTS", ["*"], "E013"),
            ("ALLOW_LOOPBACK_HTTP", True, "E014"),
            ("SECRET_KEY", "x" * 60, "E015"),
            ("SECRET_KEY", "django-insecure-" + KEY * 2, "E015"),
            ("SECRET_KEY", KEY, "E015"),
            ("SECRET_KEY_FALLBACKS", ["short"], "E015"),
            ("SESSION_COOKIE_SECURE", False, "E016"),
            ("CSRF_COOKIE_SECURE", False, "E016"),
            ("LANGUAGE_COOKIE_SECURE", False, "E016"),
            ("CELERY_BROKER_URL", None, "E018"),
            ("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend", "E020"),
            ("EMAIL_BACKEND", "development.mailbox.MailboxBackend", "E020"),
            ("SUPPORT_EMAIL", "support@localhost", "E021"),
            ("DEFAULT_FROM_EMAIL", "Holdfast <holdfast@localhost>", "E021"),
        ],
    )
    def test_is_refused(self, deployment, name, value, expected):
        setattr(deployment, name, value)
        assert expected in found()

    def test_is_refused_with_the_key_of_the_tests(self, deployment):
        deployment.VAULT_KEYS = KEYS_OF_THE_TESTS
        assert found() == {"E006"}

    def test_is_refused_where_the_log_can_be_emptied(self, deployment, monkeypatch):
        options = {"options": "-c holdfast.audit_may_be_truncated=on"}
        monkeypatch.setitem(deployment.DATABASES["default"], "OPTIONS", options)
        assert found() == {"E007"}

    def test_is_refused_on_another_database(self, deployment, monkeypatch):
        monkeypatch.setitem(deployment.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
        assert found() == {"E017"}

    def test_names_no_secret_in_what_it_says(self, deployment):
        deployment.SECRET_KEY = "CANARY"
        deployment.VAULT_KEYS = ["CANARY", "a:CANARY"]
        deployment.SITE_ORIGIN = "http://CANARY:CANARY@holdfast.example"
        assert "CANARY" not in "".join(f"{message.msg} {message.hint}" for check in our_checks() for message in check())

    def test_is_stopped_by_any_command(self, deployment):
        deployment.CELERY_BROKER_URL = None
        with pytest.raises(SystemCheckError, match=r"holdfast\.E018"):
            call_command("check", tags=["compatibility"])


class TestLaptop:
    def test_that_is_sound_starts(self, laptop):
        assert found() == set()

    @pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "192.168.1.20:8000", "laptop", "demo.localhost"])
    def test_may_have_any_address_of_its_own(self, laptop, host):
        laptop.SITE_ORIGIN = f"http://{host}"
        assert found() == set()

    @pytest.mark.parametrize("host", ["holdfast.example", "8.8.8.8", "app.holdfast.health:8443"])
    def test_is_refused_under_a_public_address(self, laptop, host):
        laptop.SITE_ORIGIN = f"https://{host}"
        assert found() == {"E012"}


@pytest.mark.django_db
class TestPostgres:
    def test_of_this_test_run_is_recent(self):
        assert checks.postgres_is_recent(databases=["default"]) == []

    def test_is_refused_when_it_is_old(self, monkeypatch):
        monkeypatch.setitem(connections["default"].__dict__, "pg_version", 140_012)
        (message,) = checks.postgres_is_recent(databases=["default"])
        assert message.id == "holdfast.E019"

    def test_is_left_alone_where_no_database_is_asked_for(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert checks.postgres_is_recent(databases=None) == []
