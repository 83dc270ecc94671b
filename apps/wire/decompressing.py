"""Decompressing the body of an HTTP answer.

gzip is the only coding that we request. urllib3 could decompress it, but does not notice if the compressed body ends
too early: unless something else states the length, half a letter would be stored as if it were the whole one. The
caller decides whether that matters; cut JSON, for example, cannot be parsed anyway.
"""

import zlib

import urllib3

_PACKED_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS
_BEGINNING = b"\x1f\x8b\x08"  # RFC 1952 section 2.3.1, with the only method there is
_NAMES = frozenset({"gzip", "x-gzip"})


class Reader:
    """Reads one answer, which may consist of several gzip members. At its end, `is_cut` says whether the last member is
    incomplete."""

    def __init__(self, raw: urllib3.BaseHTTPResponse) -> None:
        self._raw = raw
        is_gzip = raw.headers.get("Content-Encoding", "").strip().lower() in _NAMES
        self._unpacker = zlib.decompressobj(_GZIP) if is_gzip else None
        self._packed = b""
        self._is_open = self._has_ended = self._is_swallowing = False

    @property
    def is_cut(self) -> bool:
        """Whether the body ended before its last gzip member did."""
        return self._is_open

    def read(self, most: int) -> bytes:
        """The next bytes, at most `most`; none at the end. Raises what urllib3 raises, such as DecodeError."""
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
        """Whether another gzip member begins here (RFC 1952 section 2.2). Anything else after a member is ignored."""
        if self._has_ended and not self._is_swallowing:
            while len(self._packed) < len(_BEGINNING) and self._refill():
                pass
            self._is_swallowing = not self._packed.startswith(_BEGINNING)
        self._is_open = bool(self._packed) and not self._is_swallowing
        return self._is_open
