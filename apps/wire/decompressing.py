"""The decompressed body of one HTTP answer.

gzip, the only coding we ask for, is undone here and not by urllib3, which takes a compressed body for whole that ends
in its middle: where nothing else says how long it should be, half a letter would be kept as the letter. Whether a cut
body matters is for the caller to say: JSON that was cut is no JSON.
"""

import zlib

import urllib3

_PACKED_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS
_BEGINNING = b"\x1f\x8b\x08"  # RFC 1952 section 2.3.1, with the only method there is
_NAMES = frozenset({"gzip", "x-gzip"})


class Reader:
    """Reads one answer to its end, however many it is packed in. `is_cut` is said there: the last has no end."""

    def __init__(self, raw: urllib3.BaseHTTPResponse) -> None:
        self._raw = raw
        is_gzip = raw.headers.get("Content-Encoding", "").strip().lower() in _NAMES
        self._unpacker = zlib.decompressobj(_GZIP) if is_gzip else None
        self._packed = b""
        self._is_open = self._has_ended = self._is_swallowing = False

    @property
    def is_cut(self) -> bool:
        """Whether it ended before what was packed did."""
        return self._is_open

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
        more = self._raw.read(_PACKED_BYTES, decode_content=False)
        self._packed += more
        return bool(more)

    def _unpacked(self, unpacker: "zlib._Decompress", most: int) -> bytes:
        if not self._is_open and not self._begins():
            self._packed = b""
            return b""
        try:
            piece = unpacker.decompress(self._packed, most)
        except zlib.error:
            raise urllib3.exceptions.DecodeError from None
        self._packed = unpacker.unconsumed_tail
        if unpacker.eof:
            self._is_open, self._has_ended = False, True
            self._packed = unpacker.unused_data
            self._unpacker = zlib.decompressobj(_GZIP)
        return piece

    def _begins(self) -> bool:
        """Whether there is one more: what follows a whole one is another (RFC 1952 section 2.2), which has to be whole
        as well, or nothing that anybody reads."""
        if self._has_ended and not self._is_swallowing:
            while len(self._packed) < len(_BEGINNING) and self._refill():
                pass
            self._is_swallowing = not self._packed.startswith(_BEGINNING)
        self._is_open = bool(self._packed) and not self._is_swallowing
        return self._is_open
