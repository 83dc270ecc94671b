"""Programs can decrypt the encrypted file: with joserfc and its default limits, and by hand."""

import base64
import json
import os
import traceback

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwe
from joserfc.jwk import OctKey

from apps.sharing.health_links.encrypting import encrypt
from tests.sharing import receiving

KEY = bytes(range(32))
DOCUMENT = b'{"resourceType":"Bundle","type":"document","entry":[]}'
LONGEST_COMPRESSED = 250_000


def header(file):
    return json.loads(receiving.decoded(file.partition(".")[0]))


def by_joserfc(file, registry=None):
    """As a program does that uses this library and changes none of its limits."""
    opened = jwe.decrypt_compact(file, OctKey.import_key(KEY), registry=registry)
    return opened.plaintext


class TestAFile:
    @given(st.binary(max_size=300))
    def test_is_opened_by_whoever_has_the_key(self, document):
        file = encrypt(document, KEY)
        assert receiving.opened(file, KEY) == ("application/fhir+json", document)
        assert by_joserfc(file) == document

    def test_is_a_jwe_whose_header_the_specification_knows(self):
        assert header(encrypt(DOCUMENT, KEY)) == {
            "alg": "dir",
            "enc": "A256GCM",
            "cty": "application/fhir+json",
            "zip": "DEF",
        }

    def test_is_another_each_time(self):
        files = {encrypt(DOCUMENT, KEY) for _ in range(50)}
        assert len({file.split(".")[2] for file in files}) == 50

    def test_is_not_opened_with_another_key(self):
        with pytest.raises(InvalidTag):
            receiving.opened(encrypt(DOCUMENT, KEY), bytes(32))

    def test_is_not_opened_when_it_was_altered(self):
        protected, rest = encrypt(DOCUMENT, KEY).split(".", 1)
        other = json.dumps({**header(f"{protected}."), "cty": "application/smart-health-card"}).encode()
        renamed = base64.urlsafe_b64encode(other).rstrip(b"=").decode()
        with pytest.raises(InvalidTag):
            receiving.opened(f"{renamed}.{rest}", KEY)

    def test_shrinks_a_document_that_says_much_twice(self):
        assert len(encrypt(DOCUMENT * 1_000, KEY)) < 2_000

    @pytest.mark.parametrize("more", [-1, 0, 1, 6_000, 6_001, 6_100, 100_000])
    def test_is_compressed_as_far_as_programs_unpack_by_themselves(self, more):
        """joserfc reads no more than 250 KiB, and beyond it may read a beginning without a word."""
        document = b"a" * (LONGEST_COMPRESSED + more)
        file = encrypt(document, KEY)
        assert ("zip" in header(file)) is (len(document) <= LONGEST_COMPRESSED)
        registry = jwe.JWERegistry()
        registry.max_ciphertext_length = 2**20
        assert by_joserfc(file, registry) == document

    def test_can_be_long(self):
        document = os.urandom(3_000_000)
        assert receiving.opened(encrypt(document, KEY), KEY)[1] == document

    @pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
    def test_needs_a_key_of_32_bytes_and_says_nothing_of_another(self, length):
        with pytest.raises(ValueError, match="32 bytes") as refused:
            encrypt(b"canary document", b"k" * length)
        assert refused.value.args == ("The key of a health link has 32 bytes",)
        assert "canary" not in "".join(traceback.format_exception_only(refused.value))
        assert refused.value.__context__ is None
