"""`.env` supplies the variables that the environment lacks, including the one that names the settings."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config import env
from development.linting import production

# Linked, where `config` and `manage.py` are copied: these look for the file beside themselves.
_LINKED = ("apps", "development", "locale", "static", "templates")
_SETTINGS = "from django.conf import settings; print(settings.SETTINGS_MODULE)"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a deployment without containers has, but for `.env`."""
    shutil.copytree(env.ROOT / "config", tmp_path / "config")
    shutil.copy(env.ROOT / "manage.py", tmp_path)
    for name in _LINKED:
        (tmp_path / name).symlink_to(env.ROOT / name)
    return tmp_path


def told(checkout: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """What a program says there in whose environment nothing is set."""
    unset = {*production(), *(f"{name}_FILE" for name in production())}
    surroundings = {name: value for name, value in os.environ.items() if name not in unset}
    asked = [sys.executable, *arguments]
    return subprocess.run(asked, cwd=checkout, env=surroundings, capture_output=True, text=True, check=False)


class TestTheFile:
    @pytest.mark.parametrize(
        "program",
        [("manage.py", "diffsettings"), ("-c", f"import config.celery; {_SETTINGS}")],
        ids=["command", "queue"],
    )
    def test_names_the_settings_that_a_program_takes(self, checkout, program):
        """A command that took those of a laptop would seal by the key of the demo, in the database of the site."""
        (checkout / ".env").write_text("".join(f"{name}={value}\n" for name, value in production().items()))
        assert "config.settings.production" in told(checkout, *program).stdout

    def test_names_those_of_the_site_as_well(self, checkout):
        (checkout / ".env").write_text("DJANGO_SETTINGS_MODULE=config.settings.canary\n")
        assert "config.settings.canary" in told(checkout, "-c", "import config.wsgi").stderr

    def test_need_not_name_any(self, checkout):
        named = {**production(), "DJANGO_SETTINGS_MODULE": ""}
        (checkout / ".env").write_text("".join(f"{name}={value}\n" for name, value in named.items()))
        assert told(checkout, "-c", f"import config.celery; {_SETTINGS}").stdout == "config.settings.production\n"

    @pytest.mark.parametrize(
        "program", [("manage.py", "check"), ("-c", "import config.celery")], ids=["command", "queue"]
    )
    def test_that_is_no_text_is_told_in_a_sentence(self, checkout, program):
        (checkout / ".env").write_bytes(b"EMAIL_FROM=Jos\xe9 <mail@holdfast.example>\n")
        said = "The settings are not complete, or not right: The file .env is not text in UTF-8. See .env.example.\n"
        ended = told(checkout, *program)
        assert (ended.returncode, ended.stderr) == (1, said)
