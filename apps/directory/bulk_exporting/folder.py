"""The folder of an export: whom its files belong to, how they are written, and what it remembers of the export.

Every file is the operator's alone (0600) from its first byte on, and has its own name only when it is whole. The state
holds addresses of the provider's, names, counts and times: no token, and nothing of what the files hold.
"""

import errno
import fcntl
import json
import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.directory.bulk_exporting.refusals import NotExported, Reason

STATE = "bulk-export.json"
_ARRIVING = ".arriving.json"
_WHOLE = ".whole"
PART = ".arriving.part"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_MINE = 0o600
_MOST_SETTLING = 8


@dataclass(frozen=True)
class Partial:
    """The file that was arriving: its key, the validator of what came, and how many bytes of it are here."""

    key: str
    validator: str
    received_bytes: int


class Folder:
    """Use it as `with opened(path) as folder`: one process at a time."""

    def __init__(self, path: Path, settling: ThreadPoolExecutor) -> None:
        self.path = path
        self._settling = settling
        self._unsettled: deque[tuple[str, Future[None]]] = deque()
        self._whole = dict(_noted(path / _WHOLE))

    def state(self) -> dict[str, Any] | None:
        """What was kept last; None in a new folder. Raises NotExported."""
        return self._read(STATE)

    def keep(self, state: Mapping[str, Any]) -> None:
        """Remember this instead, whole or not at all. Raises NotExported."""
        self._replace(STATE, state)

    def partial(self) -> Partial | None:
        """The file that was arriving when the export stopped, as far as it can be taken up."""
        noted = self._read(_ARRIVING)
        try:
            received = (self.path / PART).stat().st_size
            return Partial(noted["key"], noted["validator"], received) if noted and noted["validator"] else None
        except (OSError, KeyError):
            return None

    def note(self, key: str, validator: str) -> None:
        """Which file arrives, and what version of it, once that is known. Raises NotExported."""
        self._replace(_ARRIVING, {"key": key, "validator": validator}, is_lasting=False)

    @contextmanager
    def part(self, *, starts_at: int) -> Iterator["Part"]:
        """The file that arrives, cut to where the next byte belongs. Raises NotExported where it cannot be written."""
        with _refusals():
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.path / PART, flags, _MINE)
            try:
                os.fchmod(descriptor, _MINE)
                os.ftruncate(descriptor, starts_at)
                os.lseek(descriptor, 0, os.SEEK_SET)
                yield Part(descriptor)
            finally:
                os.close(descriptor)

    def finish(self, name: str, key: str) -> None:
        """The file that arrived is whole, and gets its name; `key` says which of the provider's it is. Its bytes go to
        the disk while others arrive. Raises NotExported, also for an earlier one."""
        while len(self._unsettled) >= _MOST_SETTLING:
            self._settle_one()
        with _refusals():
            size = (self.path / PART).stat().st_size
            (self.path / PART).replace(self.path / name)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.path / _WHOLE, flags, _MINE)
            with os.fdopen(descriptor, "a", encoding="utf-8") as whole:
                whole.write(f"{size} {key} {name}\n")
        self._whole[name] = key, size
        self._unsettled.append((name, self._settling.submit(_sync, self.path / name)))

    def settle(self) -> None:
        """All files are on the disk, whatever happens to the machine. Raises NotExported where one did not get there,
        which is then not here any more."""
        while self._unsettled:
            self._settle_one()
        with _refusals():
            (self.path / _ARRIVING).unlink(missing_ok=True)
            _sync(self.path)

    def has(self, name: str, key: str) -> bool:
        """Whether the file of that name is there and is this one of the provider's, as long as it was when it was
        whole."""
        try:
            return (key, (self.path / name).stat().st_size) == self._whole.get(name)
        except OSError:
            return False

    def has_any(self) -> bool:
        """Whether any file of an export is there, of whichever, and be it a miscounted one."""
        return any(self.path.glob("*.ndjson*"))

    def remove(self, name: str) -> None:
        """It is not wanted any more. Raises NotExported."""
        with _refusals():
            (self.path / name).unlink(missing_ok=True)

    def _settle_one(self) -> None:
        name, settled = self._unsettled.popleft()
        try:
            with _refusals():
                settled.result()
        except NotExported:
            self.remove(name)
            raise

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            found = json.loads((self.path / name).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            raise NotExported(Reason.UNREADABLE_STATE) from None
        if not isinstance(found, dict):
            raise NotExported(Reason.UNREADABLE_STATE)
        return found

    def _replace(self, name: str, content: Mapping[str, Any], *, is_lasting: bool = True) -> None:
        new = self.path / f"{name}.new"
        with _refusals():
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(new, flags, _MINE)
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, _MINE)
                file.write(json.dumps(content, indent=1).encode())
                if is_lasting:
                    file.flush()
                    os.fsync(descriptor)
            new.replace(self.path / name)
            if is_lasting:
                _sync(self.path)


class Part:
    """An open file that grows."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def present(self, piece_bytes: int = 262_144) -> Iterator[bytes]:
        """What is there already, in pieces; afterwards it grows at its end."""
        while piece := os.read(self._descriptor, piece_bytes):
            yield piece

    def write(self, piece: bytes) -> None:
        """All of it, wherever the disk ends."""
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


@contextmanager
def opened(path: Path) -> Iterator[Folder]:
    """The folder, made where there is none (0700), for this process alone as long as the block lasts.

    Raises NotExported where it is somebody else's, holds something else, or another process is at work in it.
    """
    with _refusals():
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        found = path.stat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise NotExported(Reason.NOT_A_FOLDER)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise NotExported(Reason.IN_USE) from None
        if any(path.iterdir()) and not (path / STATE).is_file() and not (path / f"{STATE}.new").is_file():
            raise NotExported(Reason.NOT_A_FOLDER)
        with ThreadPoolExecutor(max_workers=1) as settling:
            yield Folder(path, settling)
    finally:
        os.close(descriptor)


@contextmanager
def _refusals() -> Iterator[None]:
    """What the disk refuses, in our words: its own hold paths, and nothing to do."""
    try:
        yield
    except OSError as refused:
        reason = Reason.DISK_FULL if refused.errno in _FULL else Reason.NOT_WRITABLE
        raise NotExported(reason) from None


def _noted(path: Path) -> Iterator[tuple[str, tuple[str, int]]]:
    """Which file has each name, and how long it was when it was whole. A line that broke off counts for nothing."""
    with suppress(FileNotFoundError):
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
            size, _, rest = line.partition(" ")
            key, _, name = rest.partition(" ")
            if size.isascii() and size.isdigit():
                yield name, (key, int(size))


def _sync(path: Path) -> None:
    """A file or a folder is on the disk as it is now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
