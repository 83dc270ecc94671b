"""`manage.py` says in one sentence what an operator must mend, and shows no traceback unless asked."""

import os
import subprocess
import sys

import pytest

from config import env
from development import ports
from development.linting import production


def manage(*arguments: str, **surroundings: str) -> tuple[int, str]:
    """How it ended, and what it said on standard error, under the settings of a deployment."""
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=env.ROOT,
        env={**os.environ, **production(), **surroundings},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.fixture
def nobody_there() -> str:
    return f"postgres://holdfast:canary-password@127.0.0.1:{ports.free_port()}/holdfast"


class TestManage:
    def test_names_a_variable_that_cannot_be_what_it_says(self):
        code, said = manage("check", SIGNING_KEY_DAYS="ninety")
        assert code == 1
        assert said.startswith("The settings are not complete, or not right: SIGNING_KEY_DAYS is a whole number")
        assert len(said.splitlines()) == 1

    def test_says_that_the_database_does_not_answer(self, nobody_there):
        code, said = manage("sync_health", DATABASE_URL=nobody_there)
        assert code == 1
        assert said.splitlines()[-1].startswith("The database does not answer, or could not do this (")
        assert "Traceback" not in said
        assert "canary-password" not in said

    def test_shows_where_it_happened_when_asked(self, nobody_there):
        assert "Traceback" in manage("sync_health", "--traceback", DATABASE_URL=nobody_there)[1]


class TestLinkHealth:
    def test_is_for_now_where_the_database_does_not_answer(self, nobody_there):
        code, said = manage("link_health", "--quiet", DATABASE_URL=nobody_there)
        assert code == 2
        assert said.splitlines()[-1] == "CommandError: Act now: the database does not answer."
