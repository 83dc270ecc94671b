"""JSON as text, without decoding it: a body goes into a file byte for byte, because 13.20 must not become 13.2."""

import re

import msgspec

# A string, closed or not, which is kept; or line breaks between strings, which have no meaning (RFC 8259 section 2).
_STRINGS_AND_BREAKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\r\n]+', re.DOTALL)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def is_object(body: bytes) -> bool:
    """Whether this can be embedded in another document: one complete JSON object, valid UTF-8, and nothing after it."""
    try:
        _OBJECT.decode(body)
        body.decode("utf-8")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def on_one_line(body: bytes) -> bytes:
    """The object without the line breaks between its values; every value, and all other white space, is unchanged.

    A JSON string cannot contain a raw line break: what `is_object` accepts has none there.
    """
    if b"\n" not in body and b"\r" not in body:
        return body
    return _STRINGS_AND_BREAKS.sub(lambda found: found[0] if found[0].startswith(b'"') else b"", body)
