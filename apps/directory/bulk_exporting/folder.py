"""The folder of an export: who owns its files, how they are written, and the state of the export.

Every file is accessible to the operator only (0600) from its first byte on, and gets its own name once it is complete.
The state contains addresses of the provider's, names, counts and times: no token, and none of the files' contents.

The folder is opened once, and nobody else may write into it. Files are accessed relative to its descriptor, wherever
its path leads by then. A name that is a link, a pipe or a hard link is refused, not followed.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import stat
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from apps.directory.bulk_exporting.means import Limits
from apps.directory.bulk_exporting.refusals import NotExported, Reason

STATE = "bulk-export.json"
_ARRIVING = ".arriving.json"
_WHOLE = ".whole"
_PART = re.compile(r"\.arriving(?:\.[0-9a-f]{64})?\.part")  # the previous release had no version in it
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_STRANGE = frozenset({errno.ELOOP, errno.ENXIO, errno.EISDIR})  # a link, a pipe that nobody reads, a folder
_VALIDATOR = re.compile(r'"[\x21\x23-\x7e]{0,200}"')  # as `wire.bulk.files` gives it: it is sent back
_MINE = 0o600
_OTHERS_WRITE = 0o022
_MOST_STATE_BYTES = 50_000_000
_PIECE_BYTES = 262_144
_MOST_SETTLING = 8


@dataclass(frozen=True)
class Partial:
    """The file whose download was interrupted: its key, the validator of what was received, and how many bytes that
    is."""

    key: str
    validator: str
    received_bytes: int


def part_name(key: str, validator: str) -> str:
    """The name of a file while it is downloaded. Each version of each file has its own, so that parts of one are never
    taken for another's, in whichever order the disk stored the changes."""
    version = f"{key}\n{validator}".encode(errors="surrogatepass")
    return f".arriving.{hashlib.sha256(version).hexdigest()}.part"


class Folder:
    """Use it as `with opened(path) as folder`: one process at a time."""

    def __init__(
        self, descriptor: int, settling: ThreadPoolExecutor, writing: ThreadPoolExecutor, limits: Limits
    ) -> None:
        self._descriptor = descriptor
        self._settling = settling
        self._writing = writing
        self._limits = limits
        self._unsettled: deque[tuple[str, Future[None]]] = deque()
        self._whole = dict(_noted(self._content(_WHOLE) or b""))
        self._parts = {name for name in _names(descriptor) if _PART.fullmatch(name)}
        self._arriving = part_name(*self._last_noted())

    def state(self) -> dict[str, Any] | None:
        """The state that was stored last; None in a new folder. Raises NotExported."""
        content = self._content(STATE)
        if content is None:
            return None
        found = _object(content)
        if found is None:
            raise NotExported(Reason.UNREADABLE_STATE)
        return found

    def keep(self, state: Mapping[str, Any]) -> None:
        """Replace the state atomically. Raises NotExported."""
        self._replace(STATE, state)

    def check_room(self) -> None:
        """Raises NotExported if the free space is less than the reserve."""
        with _refusals():
            _check_room(self._descriptor, 0, self._limits)

    def partial(self) -> Partial | None:
        """The interrupted file, if it can be resumed. Its note is not synced to disk: after a crash of the machine it
        may be corrupt or name a version that is not there, and the file starts again. Raises NotExported."""
        key, validator = self._last_noted()
        part = self._stat(part_name(key, validator))
        return Partial(key, validator, part.st_size) if part and _VALIDATOR.fullmatch(validator) else None

    def note(self, key: str, validator: str) -> None:
        """Note which file is downloaded, and its version once known. Parts of others are deleted. Raises
        NotExported."""
        content = json.dumps({"key": key, "validator": validator}).encode()
        with _refusals():
            descriptor = self._opened(_ARRIVING, os.O_WRONLY | os.O_CREAT)
            try:
                os.fchmod(descriptor, _MINE)
                # One write that covers the whole earlier note: if the process is killed, one of the two is there.
                # Renaming a new file instead would wait for everything that the disk is syncing.
                os.pwrite(descriptor, content.ljust(os.fstat(descriptor).st_size), 0)
            finally:
                os.close(descriptor)
            self._arriving = part_name(key, validator)
            self._throw_away(self._parts - {self._arriving})

    @contextmanager
    def part(self, *, starts_at: int) -> Iterator["Part"]:
        """The noted file, truncated to where the next byte belongs. Raises NotExported if it cannot be written, or
        would become too large."""
        with _refusals():
            self._parts.add(self._arriving)
            descriptor = self._opened(self._arriving, os.O_RDWR | os.O_CREAT)
            try:
                os.fchmod(descriptor, _MINE)
                os.ftruncate(descriptor, starts_at)
                os.lseek(descriptor, 0, os.SEEK_SET)
                part = Part(descriptor, starts_at, self._writing, self._limits)
                with part:
                    yield part
            finally:
                os.close(descriptor)

    def finish(self, name: str, key: str) -> None:
        """The file is complete and gets its name; `key` identifies it among the provider's. It is synced to disk while
        others are downloaded. Raises NotExported, also for an earlier file."""
        while len(self._unsettled) >= _MOST_SETTLING:
            self._settle_one()
        with _refusals():
            size = os.stat(self._arriving, dir_fd=self._descriptor, follow_symlinks=False).st_size
            self._rename(self._arriving, name)
            self._parts.discard(self._arriving)
            descriptor = self._opened(_WHOLE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with os.fdopen(descriptor, "a", encoding="utf-8") as whole:
                whole.write(f"{size} {key} {name}\n")
        self._whole[name] = key, size
        self._unsettled.append((name, self._settling.submit(self._sync, name)))

    def pieces(self, name: str) -> Iterator[bytes]:
        """The content of a file, in pieces. Raises NotExported."""
        with _refusals(), os.fdopen(self._opened(name, os.O_RDONLY), "rb", buffering=0) as file:
            while piece := file.read(_PIECE_BYTES):
                yield piece

    def settle(self) -> None:
        """Wait until all files are synced to disk. Raises NotExported if one could not be, and removes that file."""
        while self._unsettled:
            self._settle_one()
        with _refusals():
            self._unlink(_ARRIVING)
            self._throw_away(self._parts)
            os.fsync(self._descriptor)

    def has(self, name: str, key: str) -> bool:
        """Whether a file with that name is this one of the provider's, with the size that it had when it was
        complete."""
        found = self._stat(name)
        return found is not None and (key, found.st_size) == self._whole.get(name)

    def has_others(self, names: Collection[str] = ()) -> bool:
        """Whether there are files of any export, miscounted ones included, besides those named."""
        found = (name.partition(".ndjson") for name in _names(self._descriptor))
        return any(ending and f"{kind}{ending}" not in names for kind, ending, _mark in found)

    def remove(self, name: str) -> None:
        """Delete the file. Raises NotExported."""
        with _refusals():
            self._unlink(name)

    def _throw_away(self, parts: Collection[str]) -> None:
        for name in [*parts]:
            self._unlink(name)
            self._parts.discard(name)

    def _last_noted(self) -> tuple[str, str]:
        """The key and version of the file that was downloaded last; empty if unknown."""
        noted = _object(self._content(_ARRIVING) or b"") or {}
        key, validator = noted.get("key"), noted.get("validator")
        return (key, validator) if isinstance(key, str) and isinstance(validator, str) else ("", "")

    def _settle_one(self) -> None:
        name, settled = self._unsettled.popleft()
        try:
            with _refusals():
                settled.result()
        except NotExported:
            self.remove(name)
            raise

    def _content(self, name: str) -> bytes | None:
        """The whole content of one of our files; None if there is none. Raises NotExported, also if it is no regular
        file."""
        try:
            with os.fdopen(self._opened(name, os.O_RDONLY), "rb") as file:
                content = file.read(_MOST_STATE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError:
            raise NotExported(Reason.UNREADABLE_STATE) from None
        if len(content) > _MOST_STATE_BYTES:
            raise NotExported(Reason.UNREADABLE_STATE)
        return content

    def _replace(self, name: str, content: Mapping[str, Any]) -> None:
        new = f"{name}.new"
        with _refusals():
            self._unlink(new)
            with os.fdopen(self._opened(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                os.fchmod(file.fileno(), _MINE)
                file.write(json.dumps(content, indent=1).encode())
                file.flush()
                os.fsync(file.fileno())
            self._rename(new, name)
            os.fsync(self._descriptor)

    def _opened(self, name: str, flags: int) -> int:
        """A descriptor of a regular file that is ours and has only this name. Raises NotExported and OSError."""
        quiet = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe lets nobody wait
        descriptor = os.open(name, flags | quiet, _MINE, dir_fd=self._descriptor)
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.geteuid():
            os.close(descriptor)
            raise NotExported(Reason.STRANGE_FILES)
        return descriptor

    def _stat(self, name: str) -> os.stat_result | None:
        """The status of a regular file; None if there is none with that name."""
        try:
            found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None
        return found if stat.S_ISREG(found.st_mode) else None

    def _rename(self, name: str, other: str) -> None:
        os.replace(name, other, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def _unlink(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._descriptor)

    def _sync(self, name: str) -> None:
        """Sync the file to disk."""
        descriptor = self._opened(name, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Part:
    """An open file that grows, within limits. A piece is written while the next one is received, so that disk and
    network wait for each other as little as possible. Use it as a context manager: at its end everything is written."""

    def __init__(self, descriptor: int, size: int, writing: ThreadPoolExecutor, limits: Limits) -> None:
        self._descriptor = descriptor
        self._size = size
        self._writing = writing
        self._limits = limits
        self._behind: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_failure: object) -> None:
        behind, self._behind = self._behind, None
        if behind is not None and (refused := behind.exception()) and failed is None:
            raise refused

    def present(self) -> Iterator[bytes]:
        """What is there already, in pieces; afterwards, writes append."""
        while piece := os.read(self._descriptor, _PIECE_BYTES):
            yield piece

    def write(self, piece: bytes) -> None:
        """Write the whole piece. Raises NotExported, and writes nothing, if a limit would be exceeded; and OSError for
        an earlier piece that could not be written."""
        if self._behind is not None:
            self._behind.result()
        if self._size + len(piece) > self._limits.largest_file_bytes:
            raise NotExported(Reason.TOO_LARGE)
        _check_room(self._descriptor, len(piece), self._limits)
        self._size += len(piece)
        self._behind = self._writing.submit(self._written, piece)

    def _written(self, piece: bytes) -> None:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


@contextmanager
def opened(path: Path, limits: Limits) -> Iterator[Folder]:
    """The folder, created if needed (0700), locked for this process until the block ends.

    Raises NotExported if it is somebody else's or a link, if others may write into it, if it contains something else,
    or if another process uses it.
    """
    with _refusals(), suppress(FileExistsError):
        path.mkdir(mode=0o700)
    descriptor = _descriptor_of(path)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid():
            raise NotExported(Reason.NOT_A_FOLDER)
        if found.st_mode & _OTHERS_WRITE:
            raise NotExported(Reason.OTHERS_WRITE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise NotExported(Reason.IN_USE) from None
        names = _names(descriptor)
        if names and not names & {STATE, f"{STATE}.new"}:
            raise NotExported(Reason.NOT_A_FOLDER)
        with ThreadPoolExecutor(max_workers=1) as settling, ThreadPoolExecutor(max_workers=1) as writing:
            yield Folder(descriptor, settling, writing, limits)
    finally:
        os.close(descriptor)


def _names(descriptor: int) -> set[str]:
    return set(os.listdir(descriptor))  # a path may lead elsewhere by now


def _descriptor_of(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        raise NotExported(Reason.NOT_A_FOLDER) from None


@contextmanager
def _refusals() -> Iterator[None]:
    """Replace errors of the operating system by our own: theirs contain paths, and do not say what to do."""
    try:
        yield
    except OSError as refused:
        reason = Reason.NOT_WRITABLE
        if refused.errno in _FULL:
            reason = Reason.DISK_FULL
        elif refused.errno in _STRANGE:
            reason = Reason.STRANGE_FILES
        raise NotExported(reason) from None


def _check_room(descriptor: int, wanted_bytes: int, limits: Limits) -> None:
    """Raises NotExported if less than the reserve would be free."""
    disk = os.fstatvfs(descriptor)
    if disk.f_bavail * disk.f_frsize - wanted_bytes < limits.keep_free_bytes:
        raise NotExported(Reason.NEARLY_FULL)


def _object(content: bytes) -> dict[str, Any] | None:
    """None if it is no JSON object."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _noted(content: bytes) -> Iterator[tuple[str, tuple[str, int]]]:
    """Which file each name is, and its size when it was complete. An incomplete line is ignored."""
    for line in content.decode(errors="replace").split("\n")[:-1]:
        size, _, rest = line.partition(" ")
        key, _, name = rest.partition(" ")
        if size.isascii() and size.isdigit():
            yield name, (key, int(size))
