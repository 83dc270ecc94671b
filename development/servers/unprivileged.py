"""Postgres refuses to run as root. If we are root, this finds another user to run it as, and what that
user can reach.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True)
class Account:
    """The user a server runs as; `uid` is None if that is our own user."""

    uid: int | None
    gid: int | None

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this user, from the root folder, and return its output."""
        return subprocess.run(
            [str(part) for part in command],
            user=self.uid,
            group=self.gid,
            extra_groups=None if self.uid is None else [],
            cwd="/",
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def can_run(self, program: Path) -> bool:
        """Whether the program starts at all: it is readable, and so is every library that it needs."""
        try:
            return self.run(program, "--version").returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user can reach the folder; a parent folder may prevent it."""
        return self.run("/bin/sh", "-c", 'cd "$1"', "sh", folder).returncode == 0

    def give(self, folder: Path) -> None:
        """Make this user the folder's owner, and close it to others."""
        if self.uid is not None and self.gid is not None:
            os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)


def server_account() -> Account:
    """Our own user, or, if we are root, `postgres` or `nobody`, whichever exists first."""
    if os.geteuid() != 0:
        return Account(uid=None, gid=None)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(uid=entry.pw_uid, gid=entry.pw_gid)
    raise ImproperlyConfigured("Postgres does not run as root, and this machine has no user called postgres or nobody.")


def clean_environment() -> dict[str, str]:
    """The part of our environment that a server needs; nothing that it must not write to its log."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
