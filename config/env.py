"""Every environment variable Holdfast reads, in one place. `.env.example` explains each of them.

A variable is read when its function is called, so that the sandbox never asks for the site's secrets and the other way
round. Any variable may instead be given as a file: `SECRET_KEY_FILE=/run/secrets/key` (the form orchestrators mount).
Raises `django.core.exceptions.ImproperlyConfigured`, naming the variable, when a required one is missing or cannot be
what it says.
"""

from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent

# How libpq notices a Postgres behind a path that was dropped, which the system would find out after hours: whoever
# waits for its answer holds a thread. A statement that takes long is no matter: its machine answers for it meanwhile.
_NOTICES_SILENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,  # milliseconds
}

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

_env = environ.FileAwareEnv()
if (ROOT / ".env").is_file():
    environ.FileAwareEnv.read_env(ROOT / ".env")


def secret_key() -> str:
    """Seals sessions and signs links; at least 50 random characters."""
    return str(_env.str("SECRET_KEY"))


def secret_key_fallbacks() -> list[str]:
    """Earlier values of SECRET_KEY, still accepted while they rotate out."""
    return [str(key) for key in _env.list("SECRET_KEY_FALLBACKS", default=[])]


def vault_keys() -> list[str]:
    """`id:base64` pairs of 32 bytes. The first wraps new data keys, all of them unwrap."""
    return [str(key) for key in _env.list("VAULT_KEYS")]


def deletion_ledger() -> Path | None:
    """The file in which deletions are written down, so that they can be done again after a backup was restored."""
    given = _optional("DELETION_LEDGER")
    return Path(given) if given else None


def signing_key_days() -> int:
    """After how many days a signing key of ours gets a successor."""
    return _number("SIGNING_KEY_DAYS", default=90)


def site_origin(default: str | None = None) -> str:
    """Scheme, host and port under which patients reach the site, such as `https://holdfast.example`."""
    return str(_env.str("SITE_ORIGIN", default=default) if default else _env.str("SITE_ORIGIN")).rstrip("/")


def allowed_hosts() -> list[str]:
    """Further host names the site answers to, beside the one in SITE_ORIGIN."""
    return [str(host) for host in _env.list("ALLOWED_HOSTS", default=[])]


def database_url() -> str | None:
    """Where Postgres is, or None where a private one should be started."""
    return _optional("DATABASE_URL")


def sandbox_database_url() -> str | None:
    """Where the sandbox's own Postgres database is, or None where a private one should be started."""
    return _optional("SANDBOX_DATABASE_URL")


def redis_url() -> str | None:
    """Where Redis is, or None where a private one should be started."""
    return _optional("REDIS_URL")


def cache_config(url: str | None) -> dict[str, object]:
    """Django's form of a Redis address. The cache counts tries; nothing in it is secret or must last."""
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "KEY_PREFIX": "cache",  # apart from the queue, which shares the address
        "OPTIONS": {"serializer": "config.cache.JsonSerializer"},
    }


def database_config(url: str, *, pool_size: int | None = None) -> dict[str, object]:
    """Django's form of a Postgres address, sockets included (`postgres://user@/name?host=/folder`).

    With `pool_size` a process keeps up to so many connections open between requests and tasks; its threads share them.
    A server that is not there any more is noticed within half a minute; what the address says of it comes first.
    """
    config = dict(_env.db_url_config(url))
    options = {**_NOTICES_SILENCE, **config.pop("OPTIONS", {})}
    if host := options.pop("host", None):
        config["HOST"] = host  # where Django's own commands look for it
    if pool_size:
        # There is a connection for every thread, so that only a database that does not answer makes one wait. A page
        # asks two or three times before it gives up, and holds its thread meanwhile.
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 3}
    return {**config, "OPTIONS": options}


def email_config() -> dict[str, object]:
    """Django's form of EMAIL_URL, such as `smtp+tls://user:password@mail.example:587`."""
    return dict(_env.email_url("EMAIL_URL"))


def email_from() -> str:
    """The sender of our mail; replies to it are read."""
    return str(_env.str("EMAIL_FROM", default="Holdfast <holdfast@localhost>"))


def support_email() -> str:
    """Where patients can write to; shown on every page that stops somebody."""
    return str(_env.str("SUPPORT_EMAIL", default="support@localhost"))


def allow_loopback_http() -> bool:
    """Whether plain http to this machine is allowed (the sandbox). An error in production."""
    return bool(_env.bool("ALLOW_LOOPBACK_HTTP", default=False))


def watches_site_certificate() -> bool:
    """Whether staff are told before the TLS certificate of SITE_ORIGIN ends. Off where this machine cannot reach it."""
    return bool(_env.bool("WATCH_SITE_CERTIFICATE", default=True))


def metrics_token() -> str:
    """What a monitor sends to read `/metrics`; empty where there is no such page."""
    return str(_env.str("METRICS_TOKEN", default=""))


def trusted_proxies() -> int:
    """How many proxies in front of the site set X-Forwarded-For and X-Forwarded-Proto."""
    return _number("TRUSTED_PROXIES", default=1)


def log_level() -> str:
    """DEBUG, INFO, WARNING or ERROR. No level prints a query string, a secret or a clinical fact."""
    level = str(_env.str("LOG_LEVEL", default="INFO"))
    if level not in _LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL is one of {', '.join(_LEVELS)}")
    return level


def site_port() -> int:
    """The site's port on this machine, in the demo."""
    return _number("SITE_PORT", default=8000)


def sandbox_port() -> int:
    """The sandbox's port on this machine, in the demo."""
    return _number("SANDBOX_PORT", default=8900)


def sandbox_origin() -> str:
    """Scheme, host and port under which the sandbox is reached."""
    return str(_env.str("SANDBOX_ORIGIN", default=f"http://127.0.0.1:{sandbox_port()}")).rstrip("/")


def local_folder() -> Path:
    """Where this machine keeps the demo's data, keys, sign-ins and mail."""
    return Path(str(_env.str("LOCAL_FOLDER", default=str(ROOT / ".local")))).resolve()


def test_servers_folder() -> Path | None:
    """The folder of a test run's private servers. Set by the run for its own processes, never by hand."""
    given = _optional("TEST_SERVERS_FOLDER")
    return Path(given) if given else None


def server_binaries() -> str:
    """`packages` hides the system's Postgres and Redis from the demo and the tests; `any` is the default."""
    return str(_env.str("HOLDFAST_SERVER_BINARIES", default="any"))


def mailbox_folder() -> Path:
    """Where the demo keeps the mail it would have sent."""
    return Path(str(_env.str("MAILBOX_FOLDER", default=str(local_folder() / "mail"))))


def fhir_examples() -> Path | None:
    """The folder of example data by others that some tests read, or None."""
    given = _optional("FHIR_EXAMPLES")
    beside = ROOT.parent / "shared" / "fhir-examples"
    return Path(given) if given else (beside if beside.is_dir() else None)


def chromium() -> str | None:
    """The browser of the browser tests, when it is not where Debian puts it."""
    return _optional("CHROMIUM")


def everything_is_required() -> bool:
    """Whether a test that lacks Chromium fails instead of being skipped. `.ci/run` says so."""
    return bool(_env.bool("REQUIRE_EVERYTHING", default=False))


def _number(name: str, *, default: int) -> int:
    given = str(_env.str(name, default=str(default))).strip()
    if not (given.isascii() and given.isdigit()):
        raise ImproperlyConfigured(f"{name} is a whole number, not below zero")
    return int(given)


def _optional(name: str) -> str | None:
    value = str(_env.str(name, default=""))
    return value or None
