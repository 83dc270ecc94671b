"""Measures by how much a process grows while it imports a list, above what it held after a short one."""

import io
import json
import sys

import django
from django.core.management import call_command

from benchmarks.memory import forget_peak, peak_mb


def main(short: str, path: str) -> None:
    """One line of JSON. The database is there, and migrated."""
    django.setup()
    _import(short)
    forget_peak()
    before = peak_mb()
    _import(path)
    print(json.dumps({"grown_mb": peak_mb() - before}))


def _import(path: str) -> None:
    call_command("import_endpoints", path, stdout=io.StringIO(), stderr=io.StringIO())


if __name__ == "__main__":
    main(*sys.argv[1:])
