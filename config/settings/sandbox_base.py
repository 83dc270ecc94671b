"""What is the same wherever the sandbox runs: a Django project of its own, sharing only `config/env.py` and how a
request is read (`config/charsets.py`)."""

from typing import Any
from urllib.parse import urlsplit

from config import env

SANDBOX_ORIGIN = env.sandbox_origin()
DEBUG = False
SECRET_KEY = "the sandbox holds invented people only, and listens on this machine only"  # noqa: S105
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", urlsplit(SANDBOX_ORIGIN).hostname or ""]

INSTALLED_APPS = [
    "apps.sandbox",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "apps.sandbox.recorder.RecorderMiddleware",
    "apps.sandbox.refresh_counts.RefreshCountMiddleware",
    "apps.sandbox.faults.FaultMiddleware",
    "config.charsets.Utf8Middleware",
    "apps.sandbox.middleware.MachineRouteMiddleware",  # nothing below it runs for data and token requests
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "apps.sandbox.middleware.PageHeadersMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "apps.sandbox.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

PASSWORD_HASHERS = ["apps.sandbox.hashing.QuickHasher"]

# Browsers send cookies to every port of a host: with the site's names the two would sign each other out.
SESSION_COOKIE_NAME = "sandbox_session"
CSRF_COOKIE_NAME = "sandbox_csrf"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
APPEND_SLASH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django.request": {"level": "ERROR"},  # a refusal is what the sandbox is for
        "django.server": {"level": "WARNING"},  # its lines hold the query string, and so codes and secrets
    },
}
