"""External merge sort, in memory: sorted runs, compressed in small pieces, and merged piece by piece.

Fifty thousand rows of a thousand bytes take a few megabytes and are released with the object; nothing is written to
disk. A large row is compressed by itself when it is added and decompressed when its turn comes: while many runs are
merged, each has only one row open.
"""

import heapq
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, TypeAlias

import msgspec
import zstandard

from apps.records.shelving.arranging import Key

_A_RUN: Final = 300  # rows per run: there are some forty spools
_A_RUN_BYTES: Final = 2_000_000  # or this many bytes, whichever comes first
_A_PIECE: Final = 20
_LARGE_BYTES: Final = 16_000
_SAMPLE_BYTES: Final = 16_000  # a dictionary of the first rows: similar rows then take half the space


_Kept: TypeAlias = tuple[Key, bytes, bool]  # key, row, and whether the row is compressed by itself


class Spool:
    """Rows are added in any order, and `merged` yields them sorted by key."""

    def __init__(self) -> None:
        self._open: list[_Kept] = []
        self._open_bytes = 0
        self._runs: list[list[bytes]] = []
        self._sample: zstandard.ZstdCompressionDict | None = None

    def add(self, key: Key, row: bytes) -> None:
        """Add a row."""
        is_large = len(row) > _LARGE_BYTES
        kept = _packed(row, zstandard.ZstdCompressor(level=1)) if is_large else row
        self._open.append((key, kept, is_large))
        self._open_bytes += len(kept)
        if len(self._open) >= _A_RUN or self._open_bytes >= _A_RUN_BYTES:
            self._pack()

    def merged(self) -> Iterator[tuple[Key, bytes]]:
        """Every row, sorted."""
        self._open.sort(key=itemgetter(0))
        # One for all runs: a decompressor holds more memory than a piece, and there may be a hundred runs.
        decompressor = zstandard.ZstdDecompressor(dict_data=self._sample)
        runs = (_unpacked(run, decompressor) for run in self._runs)
        merged = heapq.merge(*runs, self._open, key=itemgetter(0))
        return ((key, _row(kept) if is_large else kept) for key, kept, is_large in merged)

    def _pack(self) -> None:
        if self._sample is None:
            rows = b"".join(row[:_SAMPLE_BYTES] for _key, row, _is_large in self._open[:_A_PIECE])
            self._sample = zstandard.ZstdCompressionDict(rows[:_SAMPLE_BYTES], zstandard.DICT_TYPE_RAWCONTENT)
        self._open.sort(key=itemgetter(0))
        compressor = zstandard.ZstdCompressor(level=1, dict_data=self._sample)
        pieces = (self._open[start : start + _A_PIECE] for start in range(0, len(self._open), _A_PIECE))
        self._runs.append([_packed(msgspec.msgpack.encode(piece), compressor) for piece in pieces])
        self._open, self._open_bytes = [], 0


def _packed(written: bytes, compressor: zstandard.ZstdCompressor) -> bytes:
    """Compress into a copy: the compressor returns an object that occupies memory for its worst case."""
    return bytes(memoryview(compressor.compress(written)))


def _unpacked(run: list[bytes], decompressor: zstandard.ZstdDecompressor) -> Iterator[_Kept]:
    for piece in run:
        yield from msgspec.msgpack.decode(decompressor.decompress(piece), type=list[_Kept])


def _row(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
