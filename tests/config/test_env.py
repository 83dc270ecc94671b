"""Every environment variable is read in one file and explained in another, and the two agree."""

import ast
import os
import re
import socket

import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg import conninfo, pq

from config import env

# Read by Django itself before there are settings, and by compose.yaml.
READ_BY_OTHERS = {"DJANGO_SETTINGS_MODULE", "POSTGRES_PASSWORD"}


def names_read():
    """The constant first arguments of the calls that read a variable."""
    tree = ast.parse((env.ROOT / "config" / "env.py").read_text(encoding="utf-8"))
    return {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)
        if ast.unparse(call.func).startswith("_env.") or ast.unparse(call.func) in {"_optional", "_number"}
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
        assert env.secret_key().strip() == "from a file"

    @pytest.mark.parametrize(
        ("name", "given", "read"),
        [
            ("SIGNING_KEY_DAYS", "ninety", env.signing_key_days),
            ("TRUSTED_PROXIES", "-1", env.trusted_proxies),
            ("LOG_LEVEL", "loud", env.log_level),
        ],
    )
    def test_are_named_where_they_cannot_be_what_they_say(self, monkeypatch, name, given, read):
        monkeypatch.setenv(name, given)
        with pytest.raises(ImproperlyConfigured, match=f"^{name} is"):
            read()


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
