"""Where the servers' data and sockets are: in the given folder, or elsewhere if the servers' user has no access to it.

If we are root, Postgres runs as another user, who may have no access to a checkout in somebody's home folder. And the
path of a socket may have only about a hundred characters.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from development.servers.unprivileged import Account

LONGEST_SOCKET_PATH = 103  # sun_path: 108 bytes on Linux, 104 on macOS, both with a closing NUL
_KEPT_ELSEWHERE = Path("/var/lib")


class Scratch:
    """A short temporary folder, accessible to the servers' user, created when it is first needed."""

    def __init__(self, stack: contextlib.ExitStack, account: Account) -> None:
        self._stack = stack
        self._account = account
        self._made: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder. TMPDIR may be closed to the servers' user, or too long: then it is in /tmp."""
        if self._made is None:
            self._made = self._make(Path(tempfile.gettempdir())) or self._make(Path("/tmp"))
            if self._made is None:
                raise ImproperlyConfigured("The user that Postgres runs as can enter no temporary folder.")
        return self._made

    def _make(self, parent: Path) -> Path | None:
        made = Path(tempfile.mkdtemp(prefix="holdfast-", dir=parent))
        self._stack.callback(shutil.rmtree, made, ignore_errors=True)
        made.chmod(0o711)
        return made if self._account.can_enter(made) and _fits(made / "sockets") else None


@dataclass(frozen=True)
class Place:
    """The folders of one pair of servers."""

    folder: Path  # ours: logs, locks
    data: Path  # the server's own: Postgres' data
    sockets: Path  # the server's own: both sockets
    scratch: Scratch  # for copied programs


@contextlib.contextmanager
def place(folder: Path, account: Account, *, is_kept: bool) -> Iterator[Place]:
    """The folders, made and given to the server's user; removed at the end unless they are to be kept."""
    with contextlib.ExitStack() as stack:
        scratch = Scratch(stack, account)
        home = _home(folder, account, scratch, is_kept=is_kept)
        data, sockets = home / "postgres", home / "sockets"
        if not _fits(sockets):
            sockets = scratch.folder / "sockets"
        for own in (data, sockets):
            own.mkdir(exist_ok=True)
            account.give(own)
        yield Place(folder=folder, data=data, sockets=sockets, scratch=scratch)


def _fits(sockets: Path) -> bool:
    return len(os.fsencode(sockets / ".s.PGSQL.5432")) <= LONGEST_SOCKET_PATH


def _home(folder: Path, account: Account, scratch: Scratch, *, is_kept: bool) -> Path:
    folder.chmod(0o711)
    if account.can_enter(folder):
        return folder
    if not is_kept:
        return scratch.folder
    # Remembered beside the vault key, so that removing the checkout's folder starts afresh with both.
    note = folder / "data-is-in"
    if note.is_file() and (remembered := Path(note.read_text(encoding="utf-8").strip())).is_dir():
        return remembered
    made = Path(tempfile.mkdtemp(prefix="holdfast-", dir=_KEPT_ELSEWHERE if _KEPT_ELSEWHERE.is_dir() else "/var/tmp"))
    made.chmod(0o711)
    note.write_text(f"{made}\n", encoding="utf-8")
    return made


def forget(folder: Path) -> None:
    """Remove a folder and the data it remembers having elsewhere."""
    note = folder / "data-is-in"
    if note.is_file():
        shutil.rmtree(Path(note.read_text(encoding="utf-8").strip()), ignore_errors=True)
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name.startswith("servers."):
            continue  # locks: removing one while it is held would let two processes hold it
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
