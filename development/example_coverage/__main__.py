"""`python -m development.example_coverage FOLDER SCRATCH`: the report itself. `development.coverage_report` prepares
the databases and starts it.
"""

import importlib
import sys
from pathlib import Path

import django
from django.core.management import call_command

from config import env


def main(folder: Path, scratch: Path) -> int:
    """Print the table; the exit code is 1 where it misses the bound, or anything failed."""
    django.setup()
    reporting = importlib.import_module("development.example_coverage.reporting")  # its models want settings
    call_command("migrate", verbosity=0)
    code: int = reporting.report([folder], database_url=str(env.sandbox_database_url()), scratch=scratch)
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
