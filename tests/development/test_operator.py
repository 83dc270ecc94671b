"""An operator's commands run with the demo's environment, and nothing of the shell that runs the tests."""

import subprocess
from types import SimpleNamespace

from development.check.operator import Operator


class TestACommand:
    def test_finds_the_demo_s_surroundings_and_nothing_of_the_shell_it_is_checked_from(self, monkeypatch):
        monkeypatch.setenv("DATABASE_URL", "postgres://canary@/somebody_elses")
        monkeypatch.setenv("SITE_PORT", "1")
        found = []

        def run(_command, *, env, **_options):
            found.append(env)
            return SimpleNamespace(returncode=0, stdout="{}", stderr="")

        monkeypatch.setattr(subprocess, "run", run)
        Operator({"SITE_PORT": "8001", "PATH": "/usr/bin"})._command("register_client")
        assert found == [{"SITE_PORT": "8001", "PATH": "/usr/bin", "DJANGO_SETTINGS_MODULE": "config.settings.local"}]
