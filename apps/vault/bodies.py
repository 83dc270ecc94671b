"""The plaintext format of sealed resources: compressed if that helps, and padded so that sizes reveal little.

A packed body is `length of the content (4) · content · zeros` up to a multiple of 64 bytes.
"""

import struct

import zstandard

from apps.vault.errors import CannotOpen

STORED_FORMAT = 2  # content as given
COMPRESSED_FORMAT = 3  # content compressed by zstandard, without dictionary
FORMATS = frozenset({STORED_FORMAT, COMPRESSED_FORMAT})
NO_DICTIONARY = 0

PADDING_BYTES = 64
LARGEST_BODY_BYTES = 32 * 1024 * 1024  # above the largest page of results the wire reads, 20 MB
_LENGTH = struct.Struct(">I")
_LEVEL = 3


class Packer:
    """Packs and unpacks bodies. It keeps its compressor, which costs more to create than one body to compress. Not
    thread-safe."""

    def __init__(self) -> None:
        self._compressor: zstandard.ZstdCompressor | None = None
        self._decompressor: zstandard.ZstdDecompressor | None = None

    def pack(self, body: bytes) -> tuple[int, bytes]:
        """The chosen format and the packed body. Raises ValueError above LARGEST_BODY_BYTES."""
        if len(body) > LARGEST_BODY_BYTES:
            raise ValueError("The body is larger than the vault seals.")
        self._compressor = self._compressor or zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True)
        compressed = self._compressor.compress(body)
        if len(compressed) < len(body):
            return COMPRESSED_FORMAT, _pad(compressed)
        return STORED_FORMAT, _pad(body)

    def unpack(self, body_format: int, packed: bytes) -> bytes:
        """The body as it was given to `pack`. Raises CannotOpen for anything that `pack` does not produce."""
        content = _unpad(packed)
        return content if body_format == STORED_FORMAT else self._decompress(content)

    def _decompress(self, content: bytes) -> bytes:
        self._decompressor = self._decompressor or zstandard.ZstdDecompressor()
        try:
            # the library allocates the declared size in spite of max_output_size: check that size first
            if not 0 <= zstandard.frame_content_size(content) <= LARGEST_BODY_BYTES:
                raise CannotOpen
            return self._decompressor.decompress(content, max_output_size=LARGEST_BODY_BYTES)
        except zstandard.ZstdError:
            raise CannotOpen from None


def _pad(content: bytes) -> bytes:
    framed = _LENGTH.pack(len(content)) + content
    return framed + bytes(-len(framed) % PADDING_BYTES)


def _unpad(packed: bytes) -> bytes:
    if len(packed) < _LENGTH.size:
        raise CannotOpen
    (length,) = _LENGTH.unpack_from(packed)
    if length > len(packed) - _LENGTH.size:
        raise CannotOpen
    return packed[_LENGTH.size : _LENGTH.size + length]
