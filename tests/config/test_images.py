"""`Dockerfile` and `compose.yaml`, as far as they can be checked without running containers."""

import re
from datetime import timedelta

import pytest

from apps.connections.refreshing import write_retries
from config import env, gunicorn

_UNITS = {"m": "minutes", "s": "seconds"}


def service(name: str) -> str:
    """Its lines in `compose.yaml`."""
    text = (env.ROOT / "compose.yaml").read_text(encoding="utf-8")
    found = re.search(rf"^  {name}:\n((?:    .*\n)+)", text, re.MULTILINE)
    assert found, name
    return found[1]


def grace(name: str) -> timedelta:
    """How long it may take to end before it is killed: ten seconds, unless it is said."""
    said = re.search(r"^    stop_grace_period: (\d+)([ms])\b", service(name), re.MULTILINE)
    return timedelta(**{_UNITS[said[2]]: int(said[1])}) if said else timedelta(seconds=10)


class TestTheDatabase:
    def test_is_not_called_healthy_while_it_answers_at_its_socket_alone(self):
        """Its image makes the folder with a server of its own, which nobody reaches over the network."""
        assert re.search(r"test: \[CMD, pg_isready, .*--host=127\.0\.0\.1\b", service("postgres"))


class TestAnImage:
    def test_has_all_of_python_compiled(self):
        """Its files cannot be written when it runs, and the image below it brings Python's own library as source."""
        steps = (env.ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        compiling = [step for step in steps if step.startswith("RUN python -m compileall ")]
        assert any('get_path("stdlib")' in step for step in compiling)
        assert any(step.endswith(" config apps") for step in compiling)


class TestAServiceThatIsStopped:
    @pytest.mark.parametrize("worker", ["refresh-worker", "sync-worker"])
    def test_may_write_the_only_token_of_a_link_before_it_is_killed(self, worker):
        assert grace(worker) > timedelta(seconds=write_retries.WITHIN_SECONDS)

    def test_may_answer_what_it_was_asked_before_it_is_killed(self):
        assert grace("web") > timedelta(seconds=gunicorn.graceful_timeout)


class TestALogOfDocker:
    @pytest.mark.parametrize("name", ["postgres", "redis"])
    def test_of_a_server_does_not_fill_the_disk(self, name):
        assert "logging: *logging" in service(name)

    def test_of_ours_does_not_fill_the_disk(self):
        text = (env.ROOT / "compose.yaml").read_text(encoding="utf-8")
        ours = text.partition("x-site: &site\n")[2].partition("\n\n")[0]
        assert "  logging: *logging\n" in ours
        assert "max-size" in text.partition("x-logging: &logging\n")[2].partition("\n\n")[0]


class TestWhatDockerIsHanded:
    def test_lacks_what_begins_with_a_dot_in_every_folder(self):
        """A copy of .env, say, or what an editor keeps beside a file that it has open."""
        lines = (env.ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        brought_back = max(at for at, line in enumerate(lines) if line.startswith("!"))
        assert {"**/.*", "**/*~"} <= set(lines[brought_back + 1 :])  # the last line that fits decides


class TestACommandOfThePages:
    def test_of_a_container_that_is_made_for_it_does_not_migrate_first(self):
        """`run` starts what its service depends on: `migrate`, also where a page wants something done before it."""
        pages = [env.ROOT / "README.md", *(env.ROOT / "docs").rglob("*.md")]
        commands = re.findall(r"docker compose run.*", "\n".join(page.read_text(encoding="utf-8") for page in pages))
        assert commands
        assert [command for command in commands if not command.startswith("docker compose run --rm --no-deps ")] == []

    def test_that_is_handed_a_file_asks_for_no_terminal(self):
        """`exec` and `run` ask for one where the answer goes to one, and then refuse what is no keyboard."""
        texts = [page.read_text(encoding="utf-8") for page in (env.ROOT / "docs").rglob("*.md")]
        handed = re.findall(r"^docker compose .* < .*", "\n".join(texts), re.MULTILINE)
        assert handed
        assert [command for command in handed if " -T " not in command] == []
