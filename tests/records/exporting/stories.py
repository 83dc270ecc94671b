"""The sandbox's invented people in both FHIR versions. The sandbox is a separate program, and is asked as one."""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

from config import env

VERSIONS = ("dstu2", "r4")
_TELL = """
import django, json
django.setup()
from apps.sandbox.people import cast, rendering
told = {
    member.username: {
        version: [
            *rendering.practice_resources(version), *rendering.formulary(member.stories[0]),
            *rendering.resources(member.stories[0], version),
        ]
        for version in rendering.VERSIONS
    }
    for member in cast.CAST
}
print(json.dumps(told, default=str))
"""
NAMES = ("ruth", "george", "hannah", "theo", "ines")


@cache
def stories() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Every resource of each, by name and version."""
    told = subprocess.run(
        [sys.executable, "-c", _TELL],
        cwd=env.ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.sandbox_test"},
        capture_output=True,
        check=True,
    )
    found: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(told.stdout)
    return found
