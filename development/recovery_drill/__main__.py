"""`python -m development.recovery_drill FOLDER`: the drill itself. `development.drill` prepares the servers and starts
it.
"""

import sys
from pathlib import Path

from django.conf import settings

from config import env
from development.check.__main__ import run
from development.control import Sandbox
from development.recovery_drill.database import Database
from development.recovery_drill.disaster import Disaster


def main(folder: Path) -> int:
    """Every step in its order; the exit code is 1 where one failed."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"  # to nobody
    ledger = settings.DELETION_LEDGER
    assert ledger is not None, "the drill names one"
    database = Database(str(env.database_url()), backup=folder / "backup.dump")
    disaster = Disaster(Sandbox(env.sandbox_origin()), database, folder, ledger=ledger)
    return run(disaster.steps(), of="drill")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
