"""A picture is shown if browsers can draw it, even partly; otherwise the page tells what it is in words."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.attachments import drawing
from tests.records.attachments.filing import PNG, PNG_BEGINNING, PNG_HEADER, png_part

DATA = png_part(b"IDAT", zlib.compress(bytes(1000)))
GIF = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff\x21\xf9\4\1\0\0\0\0\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0\x3b"


def header(*, width=1, height=1, rest=b"\x08\0\0\0\0"):
    return png_part(b"IHDR", width.to_bytes(4, "big") + height.to_bytes(4, "big") + rest)


def jpeg(frame=b"\xff\xc0", *, depth=8, width=1, before=b"", scan=b"\xff\xda\0\x08\1\1\0\0\x3f\0\x37"):
    shape = bytes([depth]) + b"\0\1" + width.to_bytes(2, "big") + b"\1\1\x11\0"
    return b"\xff\xd8\xff\xe0\0\4ab" + before + frame + b"\0\x0b" + shape + scan


class TestAPicture:
    @pytest.mark.parametrize(
        ("content", "media_type"),
        [
            (PNG, "image/png"),
            (PNG_BEGINNING + PNG_HEADER + png_part(b"gAMA", bytes(4)) + DATA[:30], "image/png"),
            (jpeg(), "image/jpeg"),
            (jpeg(b"\xff\xc2"), "image/jpeg"),
            (jpeg(before=b"\xff\xff\xe1\0\5\xff\xc3\0"), "image/jpeg"),
            (GIF, "image/gif"),
        ],
        ids=["whole", "in part", "jpeg", "jpeg in steps", "jpeg with a thumbnail", "gif"],
    )
    def test_is_drawn_as_far_as_it_came(self, content, media_type):
        assert drawing.is_drawn(content, media_type)

    @pytest.mark.parametrize(
        ("content", "media_type"),
        [
            (PNG, "image/tiff"),
            (PNG_BEGINNING, "image/png"),
            (PNG_BEGINNING + DATA + PNG_HEADER, "image/png"),
            (PNG_BEGINNING + PNG_HEADER, "image/png"),
            (PNG_BEGINNING + PNG_HEADER[:-1] + b"?" + DATA, "image/png"),
            (PNG_BEGINNING + PNG_HEADER + png_part(b"IDAT", b"no data"), "image/png"),
            (PNG_BEGINNING + PNG_HEADER + png_part(b"IDAT", b"no data") + DATA, "image/png"),
            (PNG_BEGINNING + header(width=0) + DATA, "image/png"),
            (PNG_BEGINNING + header(width=100_000, height=100_000) + DATA, "image/png"),
            (PNG_BEGINNING + header(rest=b"\x07\0\0\0\0") + DATA, "image/png"),
            (jpeg()[:20], "image/jpeg"),
            (jpeg(scan=b""), "image/jpeg"),
            (jpeg(b"\xff\xc3"), "image/jpeg"),
            (jpeg(depth=12), "image/jpeg"),
            (jpeg(width=0), "image/jpeg"),
            (b"\xff\xd8\xff no picture", "image/jpeg"),
            (GIF[:24], "image/gif"),
            (b"GIF89a\0\0\1\0" + GIF[10:], "image/gif"),
            (b"GIF89a no picture at all", "image/gif"),
        ],
    )
    def test_is_not_drawn_of_which_nothing_can_be_seen(self, content, media_type):
        assert not drawing.is_drawn(content, media_type)

    @pytest.mark.parametrize(
        ("content", "media_type"),
        [
            (PNG_BEGINNING + PNG_HEADER + png_part(b"tEXt", b"") * 500_000, "image/png"),
            (b"\xff\xd8" + b"\xff\xe0\0\2" * 2_000_000, "image/jpeg"),
            (b"\xff\xd8" + b"\xff" * 8_000_000, "image/jpeg"),
            (GIF[:19] + b"\x21\xff" + b"\1x" * 5_000_000, "image/gif"),
        ],
    )
    def test_made_to_hurt_is_looked_at_where_it_begins(self, content, media_type):
        assert not drawing.is_drawn(content, media_type)

    @given(
        st.binary(max_size=60), st.sampled_from([(PNG_BEGINNING, "png"), (b"\xff\xd8\xff", "jpeg"), (GIF[:19], "gif")])
    )
    def test_is_looked_at_whatever_it_is(self, rest, begun):
        assert isinstance(drawing.is_drawn(begun[0] + rest, f"image/{begun[1]}"), bool)
