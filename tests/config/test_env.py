"""Every environment variable is read in one module and explained in .env.example, and the two agree."""

import ast
import os
import re
import socket
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg import conninfo, pq

from config import env

READERS = {"_optional", "_required", "_list", "_number", "_flag", "_one_of", "_mailbox", "_origin", "_postgres"}
READ_BY_OTHERS = {"POSTGRES_PASSWORD"}  # by compose.yaml


def names_read():
    """The constant first arguments of the calls that read a variable."""
    tree = ast.parse((env.ROOT / "config" / "env.py").read_text(encoding="utf-8"))
    return {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)
        if ast.unparse(call.func) in READERS
    }


def names_explained():
    text = (env.ROOT / ".env.example").read_text(encoding="utf-8")
    return set(re.findall(r"^#?([A-Z][A-Z_]+)=", text, re.MULTILINE))


class TestTheVariables:
    def test_are_all_explained_and_all_read(self):
        assert names_read() == names_explained() - READ_BY_OTHERS

    def test_are_read_nowhere_else(self):
        """Programs started by a program are handed its whole environment: `{**os.environ, ...}` reads no variable."""
        reads = re.compile(r"os\.environ(\.get\(|\[[^\]]*\](?!\s*=[^=]))|getenv\(")
        sources = [path for package in ("apps", "config") for path in (env.ROOT / package).rglob("*.py")]
        assert [str(path) for path in sources if reads.search(path.read_text(encoding="utf-8"))] == []

    def test_may_be_given_as_a_file(self, tmp_path, monkeypatch):
        (tmp_path / "key").write_text("from a file\n")
        monkeypatch.delenv("SECRET_KEY", raising=False)
        monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
        assert env.secret_key() == "from a file"

    @pytest.mark.parametrize("is_file", [False, True])
    @pytest.mark.parametrize(
        ("name", "given", "read", "expected"),
        [
            ("SECRET_KEY", " a key\r\n", env.secret_key, "a key"),
            ("SECRET_KEY_FALLBACKS", "one , \ttwo\n,", env.secret_key_fallbacks, ["one", "two"]),
            ("VAULT_KEYS", " b:BB= , a:AA=\n", env.vault_keys, ["b:BB=", "a:AA="]),
            ("VAULT_KEYS", "b:BB=\r\na:AA=\r\n", env.vault_keys, ["b:BB=", "a:AA="]),
            ("VAULT_KEYS", ",,b:BB= =,", env.vault_keys, ["b:BB= ="]),
            ("VAULT_KEYS", "\ufeffb:BB=\r\n,\r\n", env.vault_keys, ["b:BB="]),
            ("METRICS_TOKEN", "token\n", env.metrics_token, "token"),
            ("DATABASE_URL", "postgres://u:p%20@host/name \n", env.database_url, "postgres://u:p%20@host/name"),
            ("REDIS_URL", "redis://host/0\n", env.redis_url, "redis://host/0"),
            ("DELETION_LEDGER", "/a folder/deletions\n", env.deletion_ledger, Path("/a folder/deletions")),
            ("SITE_ORIGIN", "https://a.example/\n", env.site_origin, "https://a.example"),
            ("LOG_LEVEL", "INFO\n", env.log_level, "INFO"),
            ("SITE_PORT", " 8001\n", env.site_port, 8001),
            ("ALLOW_LOOPBACK_HTTP", "true\n", env.allow_loopback_http, True),
            ("SUPPORT_EMAIL", "a@a.example\n", env.support_email, "a@a.example"),
        ],
    )
    def test_do_not_count_space_around_what_they_say(self, tmp_path, monkeypatch, is_file, name, given, read, expected):
        """Nor around the entries of a list; within them they do, wherever it was given."""
        for one in (name, f"{name}_FILE"):
            monkeypatch.delenv(one, raising=False)
        (tmp_path / "said").write_bytes(given.encode())
        monkeypatch.setenv(*((f"{name}_FILE", str(tmp_path / "said")) if is_file else (name, given)))
        assert read() == expected

    def test_that_are_blank_are_as_those_that_are_not_set(self, monkeypatch):
        monkeypatch.setenv("SITE_ORIGIN", " \n")
        assert env.site_origin(default="https://a.example") == "https://a.example"

    @pytest.mark.parametrize(
        ("name", "given", "read"),
        [
            ("SIGNING_KEY_DAYS", "CANARY", env.signing_key_days),
            ("SIGNING_KEY_DAYS", "99999999999", env.signing_key_days),
            ("SIGNING_KEY_DAYS", "½", env.signing_key_days),
            ("TRUSTED_PROXIES", "-1", env.trusted_proxies),
            ("LOG_LEVEL", "CANARY", env.log_level),
            ("SITE_PORT", "0", env.site_port),
            ("SITE_PORT", "70000", env.site_port),
            ("SITE_ORIGIN", "CANARY", env.site_origin),
            ("SITE_ORIGIN", "https://CANARY:port", env.site_origin),
            ("SITE_ORIGIN", "https://[CANARY", env.site_origin),
            ("SITE_ORIGIN", "https://canary.example:99999", env.site_origin),
            ("SITE_ORIGIN", "https://canary.example/path", env.site_origin),
            ("SITE_ORIGIN", "https://user@canary.example", env.site_origin),
            ("SITE_ORIGIN", "ftp://canary.example", env.site_origin),
            ("ALLOWED_HOSTS", "a.example,https://canary.example", env.allowed_hosts),
            ("ALLOWED_HOSTS", "canary.example:8000", env.allowed_hosts),
            ("DATABASE_URL", "CANARY", env.database_url),
            ("DATABASE_URL", "mysql://u:CANARY@host/name", env.database_url),
            ("DATABASE_URL", "postgres://u:CANARY@host:port/name", env.database_url),
            ("REDIS_URL", "CANARY", env.redis_url),
            ("REDIS_URL", "http://canary.example", env.redis_url),
            ("REDIS_URL", "redis://:CANARY@host:port/0", env.redis_url),
            ("REDIS_URL", "redis://:CANARY@host/zero", env.redis_url),
            ("REDIS_URL", "unix:", env.redis_url),
            ("EMAIL_URL", "CANARY", env.email_config),
            ("EMAIL_URL", "smtp://u:CANARY@mail:port", env.email_config),
            ("EMAIL_FROM", "CANARY", env.email_from),
            ("SUPPORT_EMAIL", "@CANARY", env.support_email),
            ("WATCH_SITE_CERTIFICATE", "CANARY", env.watches_site_certificate),
            ("ALLOW_LOOPBACK_HTTP", "2", env.allow_loopback_http),
            ("HOLDFAST_SERVER_BINARIES", "CANARY", env.server_binaries),
            ("SECRET_KEY", "", env.secret_key),
            ("VAULT_KEYS", "", env.vault_keys),
            ("VAULT_KEYS", " \n", env.vault_keys),
            ("EMAIL_URL", "", env.email_config),
        ],
    )
    def test_are_named_where_they_cannot_be_what_they_say(self, monkeypatch, name, given, read):
        """And what they say is not repeated: it may be a secret."""
        monkeypatch.setenv(name, given)
        with pytest.raises(ImproperlyConfigured, match=f"^{name} is") as refusal:
            read()
        assert "canary" not in str(refusal.value).lower()

    @pytest.mark.parametrize("given", ["$CANARY", "$$$", "a$b"])
    def test_are_what_they_are_though_they_look_like_the_name_of_another(self, monkeypatch, given):
        """Secrets begin with a dollar sign now and then."""
        monkeypatch.setenv("SECRET_KEY", given)
        assert env.secret_key() == given

    @pytest.mark.parametrize(
        ("given", "read"),
        [("true", True), ("ON", True), ("1", True), ("no", False), ("False", False), ("0", False), ("", True)],
    )
    def test_say_yes_or_no_in_many_ways(self, monkeypatch, given, read):
        monkeypatch.setenv("WATCH_SITE_CERTIFICATE", given)
        assert env.watches_site_certificate() is read

    @pytest.mark.parametrize(
        "given",
        ["redis://host", "redis://host:6379/0", "rediss://:p%40@host:1/15", "unix:///run/redis.sock?db=0", "unix:///a"],
    )
    def test_name_a_redis_in_each_of_its_forms(self, monkeypatch, given):
        monkeypatch.setenv("REDIS_URL", given)
        assert env.redis_url() == given


class TestAFileOfAVariable:
    @pytest.mark.parametrize(
        "content", [None, b"", b" \n", b"\xff\xfe CANARY"], ids=["absent", "empty", "blank", "of another encoding"]
    )
    def test_that_says_nothing_is_named_by_its_variable(self, tmp_path, monkeypatch, content):
        path = tmp_path / "CANARY"
        if content is not None:
            path.write_bytes(content)
        monkeypatch.setenv("SECRET_KEY", "another")
        monkeypatch.setenv("SECRET_KEY_FILE", str(path))
        with pytest.raises(ImproperlyConfigured, match=r"^SECRET_KEY_FILE names a file that ") as refusal:
            env.secret_key()
        assert "CANARY" not in str(refusal.value)

    def test_that_is_a_folder_or_no_name_at_all_is_named_as_well(self, tmp_path, monkeypatch):
        for path in (str(tmp_path), "n" * 5000):
            monkeypatch.setenv("METRICS_TOKEN_FILE", path)
            with pytest.raises(ImproperlyConfigured, match=r"^METRICS_TOKEN_FILE names a file that "):
                env.metrics_token()


class TestADatabaseAddress:
    @pytest.mark.parametrize(
        ("url", "host"),
        [
            ("postgres://u:p@db.example:5433/name", "db.example"),
            ("postgres://u@/name?host=/run/postgresql", "/run/postgresql"),
            ("postgres://u@/name?host=/a%20folder/sockets", "/a folder/sockets"),
        ],
    )
    def test_may_be_a_host_or_the_folder_of_a_socket(self, url, host):
        config = env.database_config(url)
        assert (config["HOST"], config["NAME"], config["USER"]) == (host, "name", "u")

    def test_that_is_not_there_any_more_is_noticed_within_half_a_minute(self):
        """As libpq sets up its socket: the system itself would wait for hours, and so would a thread of ours."""
        options = env.database_config("postgres://u@127.0.0.1/name")["OPTIONS"]
        assert isinstance(options, dict)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            given = conninfo.make_conninfo(host="127.0.0.1", port=port, dbname="name", **options)
            connecting = pq.PGconn.connect_start(given.encode())
            with socket.socket(fileno=os.dup(connecting.socket)) as ours:
                assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                idle, between, times, unanswered = (
                    ours.getsockopt(socket.IPPROTO_TCP, option)
                    for option in (
                        socket.TCP_KEEPIDLE,
                        socket.TCP_KEEPINTVL,
                        socket.TCP_KEEPCNT,
                        socket.TCP_USER_TIMEOUT,
                    )
                )
            connecting.finish()
        assert idle + between * times <= 30
        assert 0 < unanswered <= 30_000
        assert options["connect_timeout"] <= 10

    def test_may_say_otherwise(self):
        options = env.database_config("postgres://u@db.example/name?keepalives_idle=60")["OPTIONS"]
        assert isinstance(options, dict)
        assert options["keepalives_idle"] in {60, "60"}
