"""The body of one answer as it was before it was squeezed for the way.

gzip, the only coding we ask for, is undone here: urllib3 takes a body for whole that ends in the middle of it, and
where nothing else says how long it should be, half a letter would be kept as the letter. Whether such an end matters
is for who reads: JSON that was cut is no JSON.
"""

import zlib

import urllib3

_PACKED_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS
_NAMES = frozenset({"gzip", "x-gzip"})


class Reader:
    """Reads one answer to its end. `is_cut` is said there: the first of what was packed has no end."""

    def __init__(self, raw: urllib3.BaseHTTPResponse) -> None:
        self._raw = raw
        is_gzip = raw.headers.get("Content-Encoding", "").strip().lower() in _NAMES
        self._unpacker = zlib.decompressobj(_GZIP) if is_gzip else None
        self._packed = b""
        self._has_begun = self._has_ended = self._is_swallowing = False

    @property
    def is_cut(self) -> bool:
        """Whether it ended before what was packed did."""
        return self._has_begun and not self._has_ended

    def read(self, most: int) -> bytes:
        """The next bytes, at most so many; none at the end. Raises what urllib3 does: DecodeError among others."""
        if self._unpacker is None:
            piece: bytes = self._raw.read(most, decode_content=True)
            return piece
        while True:
            is_all_here = not self._packed and not self._refill()
            piece = self._unpacked(self._unpacker, most)
            if piece or is_all_here:
                return piece

    def _refill(self) -> bool:
        self._packed = self._raw.read(_PACKED_BYTES, decode_content=False)
        self._has_begun = self._has_begun or bool(self._packed)
        return bool(self._packed)

    def _unpacked(self, unpacker: "zlib._Decompress", most: int) -> bytes:
        """What follows a whole one is another one (RFC 1952 section 2.2), or nothing that anybody reads."""
        if self._is_swallowing:
            self._packed = b""
            return b""
        try:
            piece = unpacker.decompress(self._packed, most)
        except zlib.error:
            if not self._has_ended:
                raise urllib3.exceptions.DecodeError from None
            self._is_swallowing = True
            return b""
        self._packed = unpacker.unconsumed_tail
        if unpacker.eof:
            self._has_ended = True
            self._packed = unpacker.unused_data
            self._unpacker = zlib.decompressobj(_GZIP)
        return piece
