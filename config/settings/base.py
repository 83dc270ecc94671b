"""Settings that are the same wherever the site runs. The files beside this one have what differs, each
on one screen.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config import env, logging

BASE_DIR = env.ROOT
SURROUNDINGS = env.surroundings()

# A worker's eight threads, its sixteen hands that refresh (`apps.connections.refreshing.running`), and some to spare:
# whoever waits for a database connection holds up an answer that may be a link's only live token.
DATABASE_POOL_SIZE = 28

# --- The application -------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
    "csp",
    "django_htmx",  # the script, as a static file
    "apps.vault",
    "apps.audit",
    "apps.accounts",
    "apps.directory",
    "apps.connections",
    "apps.records",
    "apps.sharing",
    "apps.portal",
]
MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",  # first, so that every response has the policy, errors and files included
    "config.cross_origin.CrossOriginResourcePolicyMiddleware",
    "config.head_requests.HeadRequestMiddleware",
    "apps.connections.middleware.NoReferrerMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.request_logging.RequestLoggingMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.charsets.Utf8Middleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "apps.accounts.middleware.NoStoreMiddleware",
    "apps.accounts.middleware.KeepNextMiddleware",
    "apps.accounts.middleware.EndedSessionMiddleware",
    "apps.accounts.middleware.HtmxSignInMiddleware",
    "apps.accounts.middleware.UnfinishedMiddleware",
    "apps.accounts.middleware.TimeZoneMiddleware",
    "apps.portal.middleware.PostOnlyMiddleware",
    "apps.portal.middleware.VaultErrorMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "config.rendering.Templates",
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

SITE_ORIGIN = env.site_origin(default="http://localhost:8000")
ALLOWED_HOSTS = [urlsplit(SITE_ORIGIN).hostname or "", *env.allowed_hosts()]
ALLOW_LOOPBACK_HTTP = False  # plain http to this machine: the sandbox, and nothing else
SUPPORT_EMAIL = env.support_email()
DEFAULT_FROM_EMAIL = env.email_from()
EMAIL_TIMEOUT = 10  # seconds; without it a mail server that says nothing holds a worker for ever

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

ACCOUNT_ADAPTER = "apps.accounts.adapters.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "apps.accounts.sign_up_form.FirstNameForm"
ACCOUNT_FORMS = {
    "login": "apps.accounts.forms.LoginForm",
    "signup": "apps.accounts.forms.SignupForm",
    "add_email": "apps.accounts.forms.AddEmailForm",
    "change_password": "apps.accounts.forms.ChangePasswordForm",
    "set_password": "apps.accounts.forms.SetPasswordForm",
    "reset_password": "apps.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "apps.accounts.forms.ResetPasswordKeyForm",
    "reauthenticate": "apps.accounts.forms.ReauthenticateForm",
    "confirm_email_verification_code": "apps.accounts.forms.ConfirmEmailVerificationCodeForm",
    "confirm_password_reset_code": "apps.accounts.forms.ConfirmPasswordResetCodeForm",
}
ACCOUNT_CHANGE_EMAIL = True  # one address; the old one stays until the new one is verified
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = int(timedelta(minutes=30).total_seconds())
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE = False  # only a new account could offer it: that would tell who has one
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT = int(timedelta(minutes=15).total_seconds())
ACCOUNT_LOGIN_TIMEOUT = int(timedelta(minutes=30).total_seconds())  # not shorter than the codes it waits for
ACCOUNT_LOGIN_ON_PASSWORD_RESET = False  # a mailbox alone never opens a record: the second step is asked for
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = False  # SESSION_COOKIE_AGE and the browser's end decide, for everybody alike
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
UNVERIFIED_ACCOUNT_DAYS = 3

MFA_ADAPTER = "apps.accounts.adapters.MFAAdapter"
MFA_FORMS = {
    "authenticate": "apps.accounts.forms.AuthenticateForm",
    "reauthenticate": "apps.accounts.forms.ReauthenticateByCodeForm",
    "activate_totp": "apps.accounts.forms.ActivateTOTPForm",
    "login_webauthn": "apps.accounts.passkeys.LoginWebAuthnForm",
    "authenticate_webauthn": "apps.accounts.passkeys.AuthenticateWebAuthnForm",
    "reauthenticate_webauthn": "apps.accounts.passkeys.ReauthenticateWebAuthnForm",
    "add_webauthn": "apps.accounts.forms.AddWebAuthnForm",
    "edit_webauthn": "apps.accounts.forms.EditWebAuthnForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
STAFF_NEED_SECOND_STEP = True  # to open the desk or the admin; their passwords are worth more than others
MFA_TOTP_ISSUER = "Holdfast"
MFA_TOTP_TOLERANCE = 1  # one step of 30 seconds either way: clocks of phones drift

# Wrong passwords. allauth slows each address, and each pair of account and address, down within minutes (its counters
# are in the cache); axes then locks the pair, remembered in the database. Never the address alone: a clinic's waiting
# room shares one. Never the account alone, which would let anybody lock anybody out: one that is guessed at from many
# addresses takes no password from a browser that never signed in to it (`apps/accounts/password_guessing.py`).
AXES_HANDLER = "apps.accounts.password_guessing.Handler"
GUESSING_FAILURE_LIMIT = 30  # of one account, from wherever, within the cool-off time
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=30)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "apps.accounts.lockout.account_named"
AXES_CLIENT_IP_CALLABLE = "apps.accounts.lockout.counted_address"
AXES_LOCKOUT_CALLABLE = "apps.accounts.lockout.refuse"
AXES_DISABLE_ACCESS_LOG = True  # the audit log has it
AXES_VERBOSE = False
# What of a form is not written down with a failure. `next` names the page somebody was on their way to.
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "login", "email", "next", "csrfmiddlewaretoken"]

# --- Storage ---------------------------------------------------------------------------------------------------------

SESSION_ENGINE = "apps.accounts.sessions"  # truth is in Postgres, sealed; Redis holds nothing secret or durable
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
SESSION_LONGEST = timedelta(hours=24)  # after signing in, however it is used
SESSION_COOKIE_SAMESITE = "Lax"  # Strict would be absent on the way back from a provider
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "apps.portal.views.errors.page_out_of_date"

DELETION_LEDGER = env.deletion_ledger()  # outside the database, or restoring a backup undoes what people deleted

CELERY_KEY_PREFIX = "holdfast:"  # the rest of the queue is in config/celery.py

# --- Keys with which we sign -----------------------------------------------------------------------------------------

SIGNING_KEY_DAYS = env.signing_key_days()  # then each gets a successor: apps/directory/rotating.py

# --- Whoever watches us ----------------------------------------------------------------------------------------------

METRICS_TOKEN = env.metrics_token()  # empty: there is no /metrics
WATCHES_SITE_CERTIFICATE = env.watches_site_certificate()

# --- Language and time -----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "config.formats"
USE_THOUSAND_SEPARATOR = True  # of counts; addresses, charts and results write their own numbers
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
STATIC_ROOT: Path | None = BASE_DIR / "static-collected"

# --- Logs ------------------------------------------------------------------------------------------------------------

LOGGING_CONFIG = None
LOGGING = logging.configuration(level=env.log_level())
logging.configure(LOGGING)
DEFAULT_EXCEPTION_REPORTER = "config.debug_pages.WithoutSecrets"
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.debug_pages.WithoutValues"
