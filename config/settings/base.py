"""What is the same wherever the site runs. Files beside this one say what differs, each on one screen."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config import env, logging

BASE_DIR = env.ROOT

# --- The application -------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "axes",
    "csp",
    "django_htmx",
    "django_structlog",
    "apps.vault",
    "apps.audit",
    "apps.accounts",
    "apps.directory",
    "apps.connections",
    "apps.records",
    "apps.portal",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.request_logging.RequestLogging",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
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

# --- Where we are reached, and whom we reach -------------------------------------------------------------------------

SITE_ORIGIN = env.site_origin(default="http://127.0.0.1:8000")
ALLOWED_HOSTS = [urlsplit(SITE_ORIGIN).hostname or "", *env.allowed_hosts()]
ALLOW_LOOPBACK_HTTP = False  # plain http to this machine: the sandbox, and nothing else
SUPPORT_EMAIL = env.support_email()
DEFAULT_FROM_EMAIL = env.email_from()

# --- Accounts --------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

# --- Storage ---------------------------------------------------------------------------------------------------------

CONNECTION_CLAIM_SECONDS = 30
SESSION_ENGINE = "django.contrib.sessions.backends.db"  # truth is in Postgres; Redis holds nothing secret or durable
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
SESSION_COOKIE_SAMESITE = "Lax"  # Strict would be absent on the way back from a provider
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "apps.portal.views.errors.page_out_of_date"

# --- Language and time -----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# --- What a browser may do -------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],  # a POST never redirects off site: the page "You are leaving" links there instead
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "static-collected"

# --- Logs ------------------------------------------------------------------------------------------------------------

LOGGING_CONFIG = None
LOGGING = logging.configuration(level=env.log_level())
logging.configure(LOGGING)
DEFAULT_EXCEPTION_REPORTER = "config.debug_pages.WithoutSecrets"
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.debug_pages.WithoutValues"
CELERY_KEY_PREFIX = "holdfast:"  # the rest of the queue is in config/celery.py

