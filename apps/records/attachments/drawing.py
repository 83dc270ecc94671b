"""Whether browsers draw a picture. For damaged bytes, a page would show only the sign for a broken image.

We look only at the beginning of a picture, by the rules of its format, and never trust the media type in its record. As
for the rest, browsers draw as much as there is.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

_MOST_PIXELS: Final = 100_000_000  # twice a large scan; more can only be meant to fill a phone's memory
_MOST_PARTS: Final = 10_000  # parts of the file before the picture itself
_PNG_BEGINNING: Final = 8
_PNG_HEADER: Final = 13
_PNG_DEPTHS: Final = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}  # by color type
_JPEG_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})  # browsers do not draw lossless JPEG
_JPEG_OTHER_FRAMES: Final = frozenset(range(0xC3, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a segment
_JPEG_SCAN: Final = 0xDA
_JPEG_FRAME: Final = 6
_GIF_BEGINNING: Final = 13
_GIF_LOOKED_AT: Final = 1_000_000
_GIF_EXTENSION: Final = b"\x21"
_GIF_IMAGE: Final = b"\x2c"
_GIF_IMAGE_BEGINNING: Final = 11


def is_drawn(content: bytes, media_type: str) -> bool:
    """Whether every browser draws this, even if only in part."""
    looked_at = _KINDS.get(media_type)
    return looked_at is not None and looked_at(content)


def _is_png(content: bytes) -> bool:
    """Whether it has what ISO/IEC 15948 requires: a whole header, and data that can be decompressed."""
    parts = _png_parts(content)
    kind, header = next(parts, (b"", b""))
    if kind != b"IHDR" or len(header) != _PNG_HEADER or not _is_size(header[:4], header[4:8], "big"):
        return False
    depth, color, packing, filtering, lacing = header[8:]
    if depth not in _PNG_DEPTHS.get(color, ()) or packing or filtering or lacing > 1:
        return False
    at = _PNG_BEGINNING + 8 + _PNG_HEADER
    if content[at : at + 4] != zlib.crc32(kind + header).to_bytes(4, "big"):
        return False
    return _unpacks(next((data for kind, data in parts if kind == b"IDAT" and data), b""))


def _png_parts(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = _PNG_BEGINNING
    for _count in range(_MOST_PARTS):
        length = int.from_bytes(content[position : position + 4], "big")
        kind = content[position + 4 : position + 8]
        if len(kind) < 4:
            return
        yield kind, content[position + 8 : position + 8 + min(length, 100)]
        position += length + 12


def _unpacks(data: bytes) -> bool:
    try:
        zlib.decompressobj().decompress(data, 1)
    except zlib.error:
        return False
    return bool(data)


def _is_jpeg(content: bytes) -> bool:
    """Whether it has what ITU-T T.81 requires: a frame of a kind that browsers know, and a scan after it."""
    position, has_frame = 2, False
    for _count in range(_MOST_PARTS):
        position = content.find(b"\xff", position)
        mark = content[position + 1 : position + 2]
        if position < 0 or not mark:
            return False
        if mark == b"\xff" or mark[0] in _JPEG_ALONE:
            position += 1 if mark == b"\xff" else 2
            continue
        length = int.from_bytes(content[position + 2 : position + 4], "big")
        if mark[0] == _JPEG_SCAN:
            return has_frame and len(content) > position + 2 + length
        if mark[0] in _JPEG_OTHER_FRAMES or length < 2:
            return False
        if mark[0] in _JPEG_FRAMES:
            frame = content[position + 4 : position + 4 + _JPEG_FRAME]
            if len(frame) < _JPEG_FRAME or frame[0] != 8 or not _is_size(frame[1:3], frame[3:5], "big"):
                return False
            has_frame = True
        position += 2 + length
    return False


def _is_gif(content: bytes) -> bool:
    """Whether it has an image, after any extensions (GIF89a)."""
    content = content[:_GIF_LOOKED_AT]
    if len(content) < _GIF_BEGINNING or not _is_size(content[6:8], content[8:10], "little"):
        return False
    palette = content[10]
    position = _GIF_BEGINNING + (3 << (palette & 7) + 1 if palette & 0x80 else 0)
    while content[position : position + 1] == _GIF_EXTENSION:
        position = _past_gif_parts(content, position + 2)
    return content[position : position + 1] == _GIF_IMAGE and len(content) > position + _GIF_IMAGE_BEGINNING


def _past_gif_parts(content: bytes, position: int) -> int:
    """The position after sub-blocks, each of which begins with its length; the last is empty."""
    while (length := content[position : position + 1]) > b"\x00":
        position += 1 + length[0]
    return position + 1


def _is_size(width: bytes, height: bytes, order: Literal["big", "little"]) -> bool:
    return 0 < int.from_bytes(width, order) * int.from_bytes(height, order) <= _MOST_PIXELS


_KINDS: Final[Mapping[str, Callable[[bytes], bool]]] = {
    "image/png": _is_png,
    "image/jpeg": _is_jpeg,
    "image/gif": _is_gif,
}
