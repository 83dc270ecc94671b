"""Every environment variable that Holdfast reads, in one place. `.env.example` explains each of them.

A variable is read when its function is called, so that the sandbox never needs the site's secrets and vice versa. Any
variable may instead be given as a file: `SECRET_KEY_FILE=/run/secrets/key` (as orchestrators mount secrets). White
space around a value is ignored, and around the entries of a list, which are separated by commas or line breaks; white
space within is kept. An empty variable counts as unset. Raises `django.core.exceptions.ImproperlyConfigured`, naming
the variable and never its value, if a required one is missing or invalid.
"""

import os
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping

ROOT = Path(__file__).resolve().parent.parent

# How libpq notices that the network to Postgres is gone, which the operating system would notice after hours, while a
# thread waits. A slow statement is not affected: the kernel of the other machine answers keepalives meanwhile.
_NOTICES_SILENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,  # milliseconds
}

_OF_THE_SYSTEM = frozenset({"PATH", "LANG", "DYLD_FALLBACK_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH"})

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

_TRUE = frozenset({"true", "on", "ok", "y", "yes", "1"})
_FALSE = frozenset({"false", "off", "n", "no", "0"})
_LAST_PORT = 65_535

_given = FileAwareMapping(cache=False)
_is_text = True
if (ROOT / ".env").is_file():
    try:
        environ.Env.read_env(ROOT / ".env")
    except UnicodeDecodeError:
        _is_text = False  # told where a variable is read, by whoever says such things in a sentence


def choose_settings(*, otherwise: str) -> None:
    """Make Django use the settings named in the environment or in `.env`, or else these. For programs, before they read
    a setting: under the settings for a laptop, a command would seal with a key of its own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = _optional("DJANGO_SETTINGS_MODULE") or otherwise


def surroundings() -> dict[str, str]:
    """The environment that lets a program find the system's programs and libraries, with nothing of the site's."""
    return {name: value for name, value in os.environ.items() if name in _OF_THE_SYSTEM}


def secret_key() -> str:
    """Seals sessions and signs links; at least 50 random characters."""
    return _required("SECRET_KEY")


def secret_key_fallbacks() -> list[str]:
    """Earlier values of SECRET_KEY, still accepted while they rotate out."""
    return _list("SECRET_KEY_FALLBACKS")


def vault_keys() -> list[str]:
    """`id:base64` pairs of 32 bytes. The first wraps new data keys, all of them unwrap."""
    return _entries(_required("VAULT_KEYS"))


def deletion_ledger() -> Path | None:
    """The file that records deletions, so that they can be repeated after a backup is restored."""
    given = _optional("DELETION_LEDGER")
    return Path(given) if given else None


def signing_key_days() -> int:
    """After how many days a signing key of ours is replaced."""
    return _number("SIGNING_KEY_DAYS", default=90, most=36_500)


def site_origin(default: str | None = None) -> str:
    """Scheme, host and port under which patients reach the site, such as `https://holdfast.example`."""
    return _origin("SITE_ORIGIN", _optional("SITE_ORIGIN") or default or _required("SITE_ORIGIN"))


def allowed_hosts() -> list[str]:
    """Further host names to which the site answers, besides the one in SITE_ORIGIN."""
    hosts = _list("ALLOWED_HOSTS")
    if any("/" in host or (":" in host and not host.endswith("]")) for host in hosts):
        raise ImproperlyConfigured("ALLOWED_HOSTS is host names alone, without scheme or port, comma-separated")
    return hosts


def database_url() -> str | None:
    """Where Postgres is, or None to start a private one."""
    return _postgres("DATABASE_URL")


def sandbox_database_url() -> str | None:
    """Where the sandbox's own Postgres database is, or None to start a private one."""
    return _postgres("SANDBOX_DATABASE_URL")


def redis_url() -> str | None:
    """Where Redis is, or None to start a private one."""
    url = _optional("REDIS_URL")
    if url and not _is_redis(url):
        raise ImproperlyConfigured("REDIS_URL is an address such as redis://host:6379/0, or unix:///folder/socket?db=0")
    return url


def cache_config(url: str | None) -> dict[str, object]:
    """Django's form of a Redis URL. The cache counts tries; nothing in it is secret or has to last."""
    if url is None:  # without an address the queue would look for a broker of another kind on this machine, for ever
        raise ImproperlyConfigured("REDIS_URL is not set")
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "KEY_PREFIX": "cache",  # apart from the queue, which shares the address
        "OPTIONS": {"serializer": "config.cache.JsonSerializer"},
    }


def database_config(url: str | None, *, pool_size: int | None = None) -> dict[str, object]:
    """Django's form of a Postgres URL, including sockets (`postgres://user@/name?host=/folder`).

    With `pool_size` a process keeps up to that many connections open between requests and tasks; its threads share
    them. A server that disappeared is noticed within half a minute. Parameters in the URL take precedence.
    """
    if url is None:
        raise ImproperlyConfigured("DATABASE_URL is not set")
    config = dict(environ.Env.db_url_config(url))
    options = {**_NOTICES_SILENCE, **config.pop("OPTIONS", {})}
    if host := options.pop("host", None):
        config["HOST"] = host  # where Django's own commands look for it
    if pool_size:
        # There is a connection for every thread, so a thread only waits for one if the database does not answer. A page
        # tries two or three times before it gives up, and occupies its thread meanwhile, so the timeout is short.
        # After a failover, some connections may lead to a server that is read-only now, so none is kept for long.
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 3, "max_lifetime": 300}
    return {**config, "OPTIONS": options}


def email_config() -> dict[str, object]:
    """Django's form of EMAIL_URL, such as `smtp+tls://user:password@mail.example:587`."""
    given = _required("EMAIL_URL")
    try:
        return dict(environ.Env.email_url_config(given))
    except (ValueError, ImproperlyConfigured):
        example = "smtp+tls://user:password@mail.example:587"
        raise ImproperlyConfigured(f"EMAIL_URL is an address such as {example}") from None


def email_from() -> str:
    """The sender of our mail; replies to it are read."""
    return _mailbox("EMAIL_FROM", default="Holdfast <holdfast@localhost>")


def support_email() -> str:
    """Where patients can write to; shown on every page that stops them."""
    return _mailbox("SUPPORT_EMAIL", default="support@localhost")


def allow_loopback_http() -> bool:
    """Whether plain http to this machine is allowed (the sandbox). An error in production."""
    return _flag("ALLOW_LOOPBACK_HTTP", default=False)


def watches_site_certificate() -> bool:
    """Whether staff are warned before the TLS certificate of SITE_ORIGIN expires. Off if this machine cannot reach
    it."""
    return _flag("WATCH_SITE_CERTIFICATE", default=True)


def metrics_token() -> str:
    """What a monitor sends to read `/metrics`; empty to disable that page."""
    return _optional("METRICS_TOKEN") or ""


def trusted_proxies() -> int:
    """How many proxies in front of the site set X-Forwarded-For and X-Forwarded-Proto."""
    return _number("TRUSTED_PROXIES", default=1, most=100)


def log_level() -> str:
    """DEBUG, INFO, WARNING, ERROR or CRITICAL. No level prints a query string, a secret or a clinical fact."""
    return _one_of("LOG_LEVEL", _LEVELS, default="INFO")


def site_port() -> int:
    """The site's port on this machine, in the demo."""
    return _number("SITE_PORT", default=8000, least=1, most=_LAST_PORT)


def sandbox_port() -> int:
    """The sandbox's port on this machine, in the demo."""
    return _number("SANDBOX_PORT", default=8900, least=1, most=_LAST_PORT)


def sandbox_origin() -> str:
    """Scheme, host and port under which the sandbox is reached."""
    return _origin("SANDBOX_ORIGIN", _optional("SANDBOX_ORIGIN") or f"http://127.0.0.1:{sandbox_port()}")


def local_folder() -> Path:
    """Where this machine keeps the demo's data, keys, sign-ins and mail."""
    given = _optional("LOCAL_FOLDER")
    return (Path(given) if given else ROOT / ".local").resolve()


def test_servers_folder() -> Path | None:
    """The folder of a test run's private servers. Set by the run for its own processes, never by hand."""
    given = _optional("TEST_SERVERS_FOLDER")
    return Path(given) if given else None


def server_binaries() -> str:
    """`packages` hides the system's Postgres and Redis from the demo and the tests; `any` is the default."""
    return _one_of("HOLDFAST_SERVER_BINARIES", ("any", "packages"), default="any")


def mailbox_folder() -> Path:
    """Where the demo keeps the mail it would have sent."""
    given = _optional("MAILBOX_FOLDER")
    return Path(given) if given else local_folder() / "mail"


def fhir_examples() -> Path | None:
    """The folder of other people's example data that some tests read, or None."""
    given = _optional("FHIR_EXAMPLES")
    beside = ROOT.parent / "shared" / "fhir-examples"
    return Path(given) if given else (beside if beside.is_dir() else None)


def chromium() -> str | None:
    """The browser for browser tests, if it is not where Debian puts it."""
    return _optional("CHROMIUM")


def everything_is_required() -> bool:
    """Whether a test fails, instead of being skipped, if Chromium is missing. `.ci/run` sets it."""
    return _flag("REQUIRE_EVERYTHING", default=False)


def _optional(name: str) -> str | None:
    """The value of the variable, or of the file that it names. Errors never quote the path, which may be the secret
    itself, put into the wrong variable."""
    if not _is_text:
        raise ImproperlyConfigured("The file .env is not text in UTF-8")
    try:
        value = str(_given.get(name, "") or "")
    except (OSError, ValueError) as error:  # a name with a NUL, and text in another encoding, are ValueErrors
        why = type(error).__name__
        raise ImproperlyConfigured(f"{name}_FILE names a file that cannot be read ({why})") from None
    # Editors end a file with a line break, and so do shells that hand over what a program prints; some begin one with a
    # byte-order mark, which nobody sees.
    value = value.strip().removeprefix("\ufeff").lstrip()
    if not value and _given.env.get(f"{name}_FILE"):
        raise ImproperlyConfigured(f"{name}_FILE names a file that is empty")
    return value or None


def _required(name: str) -> str:
    value = _optional(name)
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set")
    return value


def _list(name: str) -> list[str]:
    return _entries(_optional(name) or "")


def _entries(given: str) -> list[str]:
    return [entry.strip() for line in given.splitlines() for entry in line.split(",") if entry.strip()]


def _number(name: str, *, default: int, least: int = 0, most: int) -> int:
    given = _optional(name) or str(default)
    number = int(given) if given.isascii() and given.isdigit() and len(given) <= len(str(most)) else -1
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} is a whole number from {least} to {most}")
    return number


def _flag(name: str, *, default: bool) -> bool:
    given = (_optional(name) or "").lower()
    if given and given not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name} is true or false")
    return given in _TRUE if given else default


def _one_of(name: str, words: tuple[str, ...], *, default: str) -> str:
    given = _optional(name) or default
    if given not in words:
        raise ImproperlyConfigured(f"{name} is one of {', '.join(words)}")
    return given


def _mailbox(name: str, *, default: str) -> str:
    given = _optional(name) or default
    box, _at, host = parseaddr(given)[1].rpartition("@")
    if not box or not host:
        raise ImproperlyConfigured(f"{name} is an e-mail address, such as Holdfast <mail@holdfast.example>")
    return given


def _origin(name: str, given: str) -> str:
    origin = given.rstrip("/")
    parts = _parts(origin)
    is_one = parts is not None and parts.hostname and parts.scheme in {"http", "https"}
    if not is_one or parts is None or origin != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        raise ImproperlyConfigured(f"{name} is scheme, host and port alone, such as https://holdfast.example")
    return origin


def _postgres(name: str) -> str | None:
    url = _optional(name)
    parts = _parts(url or "postgres:")
    if parts is None or parts.scheme not in {"postgres", "postgresql", "pgsql", "psql"}:
        raise ImproperlyConfigured(f"{name} is the address of a Postgres, such as postgres://user:password@host/name")
    return url


def _is_redis(url: str) -> bool:
    parts = _parts(url)
    if parts is None or parts.scheme not in {"redis", "rediss", "unix"}:
        return False
    is_socket = parts.scheme == "unix"
    database = parse_qs(parts.query).get("db", [""])[0] if is_socket else parts.path.removeprefix("/")
    return bool(parts.path if is_socket else parts.hostname) and (not database or database.isdigit())


def _parts(url: str) -> SplitResult | None:
    """None if it is not a URL, or its port is not a number."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  it is looked at when asked for
    except ValueError:
        return None
    return parts
