"""`make coverage-report`: sync and show all example data that the sandbox can serve, and count it.

The data is in the folder named by FHIR_EXAMPLES; without it, nothing is done. Servers and sandbox are its own, and are
removed at the end. The exit code is 1 if fewer resources than required show a name, or if a page failed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from config import env
from development.servers import SharedServers


def main() -> int:
    """Run it. Whatever reads settings is a separate process, because settings are read once."""
    folder = env.fhir_examples()
    if folder is None or not folder.is_dir():
        print("FHIR_EXAMPLES names no folder of example data: nothing to report.")
        return 0
    with tempfile.TemporaryDirectory(prefix="holdfast-coverage-") as name:
        scratch = Path(name)
        scratch.chmod(0o711)  # the user Postgres runs as may have to pass
        servers = SharedServers(scratch / "servers", is_kept=False)
        surroundings = {
            **os.environ,
            "DATABASE_URL": servers.database_url("holdfast"),
            "SANDBOX_DATABASE_URL": servers.database_url("sandbox"),
            "REDIS_URL": servers.redis_url,
            "LOG_LEVEL": "CRITICAL",  # what is shown is the table
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
        }
        command = [sys.executable, "-m", "development.example_coverage", str(folder.resolve()), str(scratch)]
        try:
            return subprocess.run(command, cwd=env.ROOT, env=surroundings, check=False).returncode
        finally:
            servers.leave()


if __name__ == "__main__":
    sys.exit(main())
