"""Sort more rows than memory should hold at once: sorted runs, packed in small pieces, merged piece by piece.

Fifty thousand rows of a thousand bytes take some ten megabytes, and are gone with the object: nothing reaches a disk.
"""

import heapq
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

import msgspec
import zstandard

from apps.records.shelving.arranging import Key

_A_RUN: Final = 300  # of each spool, and there are some forty
_A_PIECE: Final = 20


class Spool:
    """Rows go in by `add` in any order, and come out of `merged` sorted by key."""

    def __init__(self) -> None:
        self._open: list[tuple[Key, bytes]] = []
        self._runs: list[list[bytes]] = []
        self._compressor = zstandard.ZstdCompressor(level=1)

    def add(self, key: Key, row: bytes) -> None:
        """Take a row."""
        self._open.append((key, row))
        if len(self._open) >= _A_RUN:
            self._pack()

    def merged(self) -> Iterator[tuple[Key, bytes]]:
        """Every row, sorted."""
        self._open.sort(key=itemgetter(0))
        return heapq.merge(*(_unpacked(run) for run in self._runs), self._open, key=itemgetter(0))

    def _pack(self) -> None:
        self._open.sort(key=itemgetter(0))
        pieces = (self._open[start : start + _A_PIECE] for start in range(0, len(self._open), _A_PIECE))
        self._runs.append([self._packed(piece) for piece in pieces])
        self._open = []

    def _packed(self, piece: list[tuple[Key, bytes]]) -> bytes:
        """The compressor hands out an object as large as its worst case: only a copy is as small as it looks."""
        return bytes(memoryview(self._compressor.compress(msgspec.msgpack.encode(piece))))


def _unpacked(run: list[bytes]) -> Iterator[tuple[Key, bytes]]:
    decompressor = zstandard.ZstdDecompressor()
    for piece in run:
        yield from msgspec.msgpack.decode(decompressor.decompress(piece), type=list[tuple[Key, bytes]])
