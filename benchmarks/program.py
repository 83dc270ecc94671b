"""`python -m benchmarks.program MODULE [ARGUMENT...]`: set up Django, then import a measuring program and run it."""

import importlib
import sys

import django
from django.core.management import call_command


def main(module: str, *arguments: str) -> None:
    """The program's `main` may rely on a migrated database. It prints one line of JSON."""
    django.setup()
    call_command("migrate", verbosity=0)
    importlib.import_module(module).main(*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
