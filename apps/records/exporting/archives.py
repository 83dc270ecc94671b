"""Several files as one zip, made while it is read: nothing is on disk, and no file is held in memory as a whole.

The sizes of a file are known only at its end, so they follow it (APPNOTE 6.3.10 section 4.4.4, bit 3). The last file
lists all others with their sizes and SHA-256, so that a copy can be checked; an archive without it was cut off.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

CONTENTS = "contents.json"
_PIECE_BYTES = 64 * 1024
# A file that may exceed two gigabytes needs Zip64, which old programs cannot read: so only such a file gets it.
_LONG_FORM_FROM_BYTES = 1 << 30


@dataclass(frozen=True)
class File:
    """One file. `largest` is the most bytes that it can be expected to have."""

    name: str
    pieces: Iterable[bytes]
    largest: int = 0


class _Outlet(io.RawIOBase):
    """Receives the archive, which is taken from it piece by piece. It cannot seek."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]  # any buffer
        self._pieces.append(piece)
        return len(piece)

    def taken(self) -> bytes:
        """What was written since the last call."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def archive(files: Iterable[File], *, at: datetime) -> Iterator[bytes]:
    """The zip, piece by piece; `at` is the time of every file in it. All names are ours: none comes from outside."""
    outlet = _Outlet()
    contents: list[dict[str, object]] = []
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for file in files:
            digest, size = hashlib.sha256(), 0
            with packed.open(_info(file.name, at), "w", force_zip64=file.largest >= _LONG_FORM_FROM_BYTES) as member:
                for piece in _gathered(file.pieces):
                    digest.update(piece)
                    size += len(piece)
                    member.write(piece)
                    if taken := outlet.taken():
                        yield taken
            contents.append({"name": file.name, "bytes": size, "sha256": digest.hexdigest()})
        packed.writestr(_info(CONTENTS, at), json.dumps({"files": contents}, indent=2) + "\n")
    yield outlet.taken()


def _info(name: str, at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, at.astimezone(UTC).timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16  # only its owner can read an unpacked file
    return info


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Small pieces are joined, so that each is not compressed and counted separately; large ones are sent in parts."""
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        while len(waiting) >= _PIECE_BYTES:
            yield bytes(waiting[:_PIECE_BYTES])
            del waiting[:_PIECE_BYTES]
    if waiting:
        yield bytes(waiting)
