"""Refuse to start if the settings are unsafe, or would fail later in front of a patient.

Each error has an id and says what to do; docs/security.md lists them. Checks that concern only one app are in that app
(`apps/vault/checks.py`, `apps/audit/checks.py`).
"""

import ipaddress
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags
from django.db import connections

_OLDEST_POSTGRES = 15
_SHORTEST_SECRET = 50
_NOT_PUBLIC = ("localhost", ".localhost", ".local", ".test", ".internal", "testserver")
_UNSENT = ("console", "locmem", "dummy", "filebased", "development.")


def where_we_are_reached(**_options: Any) -> list[CheckMessage]:
    """SITE_ORIGIN is an origin, https outside debug, one of ALLOWED_HOSTS, and not public in debug."""
    origin = urlsplit(settings.SITE_ORIGIN)
    rest = (origin.path, origin.query, origin.fragment, origin.username or "")
    found: list[CheckMessage] = []
    if not origin.hostname or origin.scheme not in {"http", "https"} or any(rest):
        hint = "Write scheme, host and port alone, such as https://holdfast.example."
        found.append(Error("SITE_ORIGIN is not an origin.", hint=hint, id="holdfast.E010"))
    if not settings.DEBUG and origin.scheme != "https":
        hint = "Providers send codes to this address: serve it by https."
        found.append(Error("SITE_ORIGIN is not https.", hint=hint, id="holdfast.E011"))
    if settings.DEBUG and _is_public(origin.hostname or ""):
        hint = "Use config.settings.production, or an origin on this machine."
        found.append(Error("Debug is on under a public address.", hint=hint, id="holdfast.E012"))
    if not settings.DEBUG and "*" in settings.ALLOWED_HOSTS:
        hint = "Name the hosts in ALLOWED_HOSTS; the one in SITE_ORIGIN is there already."
        found.append(Error("The site answers to any host name.", hint=hint, id="holdfast.E013"))
    return found


def whom_we_reach(**_options: Any) -> list[CheckMessage]:
    """Plain http, even to this machine, is only for development."""
    if settings.DEBUG or not settings.ALLOW_LOOPBACK_HTTP:
        return []
    hint = "Leave ALLOW_LOOPBACK_HTTP unset: it exists for the sandbox on a developer's machine."
    return [Error("Plain http to this machine is allowed outside debug.", hint=hint, id="holdfast.E014")]


def secrets_and_cookies(**_options: Any) -> list[CheckMessage]:
    """Outside debug SECRET_KEY is long and random, and cookies are only sent over https."""
    if settings.DEBUG:
        return []
    found: list[CheckMessage] = []
    if any(_is_weak(str(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)):
        hint = "Make one with `python -c 'import secrets; print(secrets.token_urlsafe(50))'`."
        found.append(Error("SECRET_KEY is short, repeats itself or reads as text.", hint=hint, id="holdfast.E015"))
    if not (settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE and settings.LANGUAGE_COOKIE_SECURE):
        hint = "Set SESSION_, CSRF_ and LANGUAGE_COOKIE_SECURE, as config.settings.production does."
        found.append(Error("Cookies travel by plain http.", hint=hint, id="holdfast.E016"))
    return found


def what_we_stand_on(**_options: Any) -> list[CheckMessage]:
    """The database is Postgres, and a broker is configured."""
    found: list[CheckMessage] = []
    if any(not database["ENGINE"].endswith("postgresql") for database in settings.DATABASES.values()):
        hint = "Set DATABASE_URL to postgres://user:password@host/name."
        found.append(Error("The database is not Postgres.", hint=hint, id="holdfast.E017"))
    if not getattr(settings, "CELERY_BROKER_URL", None):
        hint = "Set REDIS_URL, such as redis://host:6379/0."
        found.append(Error("There is no broker: links would not be kept alive.", hint=hint, id="holdfast.E018"))
    return found


def postgres_is_recent(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Postgres 15 or later: constraints of ours need `NULLS NOT DISTINCT`. Runs with `migrate`."""
    hint = "Upgrade to Postgres 15 or later."
    return [
        Error("Postgres is too old.", hint=hint, id="holdfast.E019")
        for alias in databases or []
        if connections[alias].vendor == "postgresql"
        and getattr(connections[alias], "pg_version", 0) < _OLDEST_POSTGRES * 10_000
    ]


def mail_is_sent(**_options: Any) -> list[CheckMessage]:
    """Outside debug mail leaves this machine, and replies to it arrive somewhere."""
    if settings.DEBUG:
        return []
    found: list[CheckMessage] = []
    if any(word in settings.EMAIL_BACKEND for word in _UNSENT):
        hint = "Set EMAIL_URL, such as smtp+tls://user:password@mail.example:587."
        found.append(Error("Mail is printed or kept instead of sent.", hint=hint, id="holdfast.E020"))
    if any("localhost" in address for address in (settings.SUPPORT_EMAIL, settings.DEFAULT_FROM_EMAIL)):
        hint = "Set SUPPORT_EMAIL and EMAIL_FROM to addresses that somebody reads."
        found.append(Error("Patients are told to write to localhost.", hint=hint, id="holdfast.E021"))
    return found


CHECKS = (
    (where_we_are_reached, Tags.security),
    (whom_we_reach, Tags.security),
    (secrets_and_cookies, Tags.security),
    (what_we_stand_on, Tags.compatibility),
    (postgres_is_recent, Tags.database),
    (mail_is_sent, Tags.compatibility),
)


def _is_public(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(_NOT_PUBLIC)


def _is_weak(key: str) -> bool:
    return len(key) < _SHORTEST_SECRET or len(set(key)) < 10 or " " in key or key.startswith("django-insecure-")
