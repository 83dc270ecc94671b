"""Tests: real Postgres and Redis, started here because pytest-django reads settings before any conftest."""

import secrets
from typing import Any

from config import env
from config.settings.base import *
from development import servers

SECRET_KEY = "for tests only, long enough that the checks are content with it"  # noqa: S105
VAULT_KEYS = ["test:j9cZ2u3dtd/qdo/8Gclrh86uimTzuIiRYGVBCD82Hdw="]  # published here, so a check refuses it elsewhere
DELETION_LEDGER = None
SITE_ORIGIN = "http://testserver"
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
ALLOW_LOOPBACK_HTTP = True

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.database_config(env.database_url() or servers.tests().database_url("holdfast"))
}
# Tests that commit empty every table afterwards; audit events refuse that everywhere else (apps/audit, migration 0001).
DATABASES["default"].setdefault("OPTIONS", {})["options"] = "-c holdfast.audit_may_be_truncated=on"
CELERY_BROKER_URL = env.redis_url() or servers.tests().redis_url
CELERY_KEY_PREFIX = f"holdfast-{secrets.token_hex(4)}:"  # of two test processes on one Redis, neither sees the other
CACHES = {"default": {**env.cache_config(CELERY_BROKER_URL), "KEY_PREFIX": CELERY_KEY_PREFIX}}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STATIC_ROOT = None  # nothing is collected: the live server finds static files where they are

# What no deployment may be: commands run under these settings anyway (`config/checks.py` and the apps' own checks).
SILENCED_SYSTEM_CHECKS = [f"holdfast.E{number:03}" for number in (6, 7, 11, 14, 15, 16, 20, 21)] + ["holdfast.W002"]
STAFF_NEED_SECOND_STEP = False  # the cast's staff have a password alone
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True  # passkeys over plain http, which browsers allow for localhost alone
