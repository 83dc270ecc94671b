"""`make lint`: a table of checks; prints one line for each, and its output if it failed."""

import base64
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from config import env

_BIN = Path(sys.executable).parent
_PACKAGES = ("apps", "config", "development", "benchmarks", "tests")
_DJANGO = ("python", "-m", "django")


@dataclass(frozen=True)
class Check:
    """One command, and the environment variables it needs."""

    name: str
    command: tuple[str, ...]
    surroundings: Mapping[str, str] = field(default_factory=dict)


def production() -> dict[str, str]:
    """Environment variables of a deployment, with throwaway secrets."""
    key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": secrets.token_urlsafe(64),
        "VAULT_KEYS": f"thrown-away:{key}",
        "SITE_ORIGIN": "https://holdfast.example",
        "SUPPORT_EMAIL": "support@holdfast.example",
        "EMAIL_FROM": "Holdfast <mail@holdfast.example>",
        "EMAIL_URL": "smtp+tls://user:password@mail.holdfast.example:587",
        "DATABASE_URL": "postgres://holdfast:password@database.holdfast.example/holdfast",
        "REDIS_URL": "redis://broker.holdfast.example/0",
        "DELETION_LEDGER": str(Path(tempfile.gettempdir(), "holdfast-deletions")),
    }


def checks() -> list[Check]:
    """Every check, the slow ones first, since two run at a time."""
    test = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
    sandbox = {"DJANGO_SETTINGS_MODULE": "config.settings.sandbox_test"}
    listed = [
        Check("types", ("mypy", *_PACKAGES)),
        Check("style", ("ruff", "check")),
        Check("format", ("ruff", "format", "--check")),
        Check("templates", ("djlint", "--lint", "--quiet", "templates", "apps")),
        Check("imports", ("lint-imports",)),
        # Ruff finds the less severe problems as well, and each exception there has its reason beside it.
        Check(
            "security", ("bandit", "--quiet", "-ll", "--configfile", "pyproject.toml", "--recursive", "apps", "config")
        ),
        Check("settings", (*_DJANGO, "check", "--fail-level", "WARNING"), test),
        Check("settings of a deployment", (*_DJANGO, "check", "--deploy", "--fail-level", "WARNING"), production()),
        Check("settings of the sandbox", (*_DJANGO, "check", "--fail-level", "WARNING"), sandbox),
        Check("migrations", (*_DJANGO, "makemigrations", "--check", "--dry-run"), test),
        Check("migrations of the sandbox", (*_DJANGO, "makemigrations", "--check", "--dry-run"), sandbox),
    ]
    if msgfmt := shutil.which("msgfmt"):  # of gettext, which a laptop may lack
        for catalogue in sorted((env.ROOT / "locale").glob("*/LC_MESSAGES/*.po")):
            command = (msgfmt, "--check", "--output-file=/dev/null", str(catalogue))
            listed.append(Check(f"translations into {catalogue.parent.parent.name}", command))
    return listed


def run(check: Check) -> tuple[Check, float, str]:
    """Run it. Returns how many seconds it took, and its output if it failed."""
    began_at = time.monotonic()
    ended = subprocess.run(
        [str(_BIN / check.command[0]), *check.command[1:]],
        cwd=env.ROOT,
        env={**os.environ, **check.surroundings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    complaint = "" if ended.returncode == 0 else ended.stdout.strip() or f"exit code {ended.returncode}"
    return check, time.monotonic() - began_at, complaint


def main() -> int:
    """1 where any check failed."""
    failed = 0
    listed = checks()
    with ThreadPoolExecutor(max_workers=2) as pool:
        for check, seconds, complaint in pool.map(run, listed):
            print(f"{'FAILED' if complaint else 'ok':6}  {check.name} ({seconds:.1f} s)", flush=True)
            if complaint:
                failed += 1
                print(f"\n{complaint}\n", flush=True)
    print(f"lint: {failed} of {len(listed)} checks failed" if failed else "lint: every check passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
