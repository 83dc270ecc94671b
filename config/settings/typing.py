"""What the type checker sees: the site and the sandbox in one, so that the models of both are known. Never run."""

from typing import Any

from config.settings.base import *

SECRET_KEY = "never used: nothing runs with these settings"  # noqa: S105
INSTALLED_APPS = [*INSTALLED_APPS, "apps.sandbox", "django.contrib.sessions"]
DATABASES: dict[str, dict[str, Any]] = {"default": {"ENGINE": "django.db.backends.postgresql"}}

# Settings that the files of single places add to base.
VAULT_KEYS: list[str] = []
CELERY_BROKER_URL = ""
EMAIL_FILE_PATH = ""
SANDBOX_ORIGIN = ""
