"""A compressed body unpacks to what it was, and no claim about its size is believed beyond the limit."""

import struct

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from apps.vault import bodies
from apps.vault.bodies import Packer
from apps.vault.errors import CannotOpen


def framed(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


class TestPackedBody:
    @given(given_bodies=st.lists(st.binary(max_size=3000), max_size=5))
    def test_leaves_nothing_of_itself_in_the_next_one(self, given_bodies):
        packer = Packer()
        packed = [packer.pack(body) for body in given_bodies]
        assert packed == [Packer().pack(body) for body in given_bodies]
        assert [packer.unpack(*one) for one in packed] == given_bodies

    @given(body=st.binary(max_size=3000))
    def test_unpacks_to_what_was_packed(self, body):
        assert Packer().unpack(*Packer().pack(body)) == body

    def test_hides_small_differences_of_size(self):
        sizes = {len(Packer().pack(bytes(range(length)))[1]) for length in range(1, 60)}
        assert sizes == {64}

    def test_is_refused_above_the_cap(self, monkeypatch):
        monkeypatch.setattr(bodies, "LARGEST_BODY_BYTES", 100)
        assert Packer().unpack(*Packer().pack(bytes(100))) == bytes(100)
        with pytest.raises(ValueError, match="larger"):
            Packer().pack(bytes(101))

    def test_refuses_a_small_frame_that_would_unfold_beyond_the_cap(self):
        bomb = zstandard.ZstdCompressor().compress(bytes(bodies.LARGEST_BODY_BYTES + 1))
        assert len(bomb) < 10_000
        with pytest.raises(CannotOpen):
            Packer().unpack(bodies.COMPRESSED_FORMAT, framed(bomb))

    def test_refuses_a_frame_that_does_not_say_its_size(self):
        silent = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1000))
        with pytest.raises(CannotOpen):
            Packer().unpack(bodies.COMPRESSED_FORMAT, framed(silent))

    @given(noise=st.binary(max_size=100))
    def test_refuses_noise_without_crashing(self, noise):
        with pytest.raises(CannotOpen):
            Packer().unpack(bodies.COMPRESSED_FORMAT, noise)

    def test_refuses_a_length_beyond_its_end(self):
        with pytest.raises(CannotOpen):
            Packer().unpack(bodies.STORED_FORMAT, struct.pack(">I", 61) + bytes(60))
