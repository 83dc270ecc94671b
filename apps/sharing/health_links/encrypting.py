"""The file that a link leads to: a document, encrypted with the link's key.

By "Encrypting and Decrypting Files": a JWE in compact form, `alg` dir, `enc` A256GCM, `cty` the type of the document,
and `zip` DEF if it was compressed first (raw DEFLATE, RFC 1951). All files of a link have the same key over all its
life, so each encryption needs its own nonce: joserfc draws 96 random bits, which is safe for far more files than
anybody requests.

Only a short document is compressed. Against decompression bombs, programs limit what they unpack: panva/jose to 250 kB,
joserfc to 250 KiB. And joserfc (1.8) does not always reject what is larger, but may return its beginning as if that
were all.
"""

from typing import Final

from joserfc import jwe
from joserfc.jwk import OctKey

from apps.sharing.health_links.links import KEY_BYTES

FHIR: Final = "application/fhir+json"

_LONGEST_TO_COMPRESS: Final = 250_000
_ALGORITHMS: Final = ("dir", "A256GCM", "DEF")


def encrypt(document: bytes, key: bytes) -> str:
    """The encrypted file, different each time. Raises ValueError for a key of another length."""
    if len(key) != KEY_BYTES:
        raise ValueError("The key of a health link has 32 bytes")
    header = {"alg": "dir", "enc": "A256GCM", "cty": FHIR}
    if len(document) <= _LONGEST_TO_COMPRESS:
        header["zip"] = "DEF"
    return jwe.encrypt_compact(header, document, OctKey.import_key(key), algorithms=_ALGORITHMS)
