"""Postgres refuses to run as root. Where we are root, this finds the user it runs as, and what that user can reach."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True)
class Account:
    """The user a server runs as; `uid` is None where that is simply us."""

    uid: int | None
    gid: int | None

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run to its end as this user, from the root folder, and give back what it printed."""
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
        """Whether the program starts at all: readable, and with every library it needs."""
        try:
            return self.run(program, "--version").returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user reaches the folder; parent folders may keep it out."""
        return self.run("/bin/sh", "-c", 'cd "$1"', "sh", folder).returncode == 0

    def give(self, folder: Path) -> None:
        """Make the folder this user's own, closed to others."""
        if self.uid is not None and self.gid is not None:
            os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)


def server_account() -> Account:
    """Us, or where we are root `postgres` or `nobody`, whichever exists first."""
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
    """What a server needs of our environment; nothing of ours that it could write to its log."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
