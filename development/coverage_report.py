"""`make coverage-report`: everything of the example data that the sandbox can serve, synced and shown, and counted.

The data is in the folder that FHIR_EXAMPLES names; without it nothing is done. Servers and sandbox are its own, and go
when it ends. The exit code is 1 where less shows a name than should, or a page failed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from config import env
from development.servers import SharedServers


def main() -> int:
    """Run it. What reads settings is a process of its own, because they are read once."""
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
