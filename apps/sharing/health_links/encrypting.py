"""The file that a link leads to: a document, encrypted under the link's key.

By "Encrypting and Decrypting Files": a JWE in compact form, `alg` dir, `enc` A256GCM, `cty` the type of the document,
and `zip` DEF where it was compressed first (raw DEFLATE, RFC 1951). The key stays the same for all files of a link,
over all its life, so that each encryption needs a nonce of its own: joserfc draws 96 random bits each time, which is
safe for far more files than anybody asks for.

Only a short document is compressed. Programs unpack so much and no more, for fear of bombs: panva/jose 250 kB, joserfc
250 KiB. And joserfc (1.8) does not always refuse what is larger, but may give its beginning as if that were all.
"""

from typing import Final

from joserfc import jwe
from joserfc.jwk import OctKey

from apps.sharing.health_links.links import KEY_BYTES

FHIR: Final = "application/fhir+json"

_LONGEST_TO_COMPRESS: Final = 250_000
_ALGORITHMS: Final = ("dir", "A256GCM", "DEF")


def encrypt(document: bytes, key: bytes) -> str:
    """The file, each time another. Raises ValueError for a key of another length."""
    if len(key) != KEY_BYTES:
        raise ValueError("The key of a health link has 32 bytes")
    header = {"alg": "dir", "enc": "A256GCM", "cty": FHIR}
    if len(document) <= _LONGEST_TO_COMPRESS:
        header["zip"] = "DEF"
    return jwe.encrypt_compact(header, document, OctKey.import_key(key), algorithms=_ALGORITHMS)
