"""Repairs JSON that is nearly valid, without decoding what is good.

Two things are repaired. An escape of half a surrogate pair, which stands for no character and which hardly any decoder
but Python's own accepts, becomes the replacement character: otherwise one cut emoji would cost the whole page. A line
break or another control character inside a text, which servers that write JSON by hand forget to escape, is escaped
where it would cost the page.

A row that is nested deeper than a decoder descends, or is no JSON for another reason (`NaN`), cannot be read by
anybody: it alone is left out, so that it can be counted.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

import msgspec

T = TypeVar("T")

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# An escaped backslash, a whole pair, or half a pair; only the last is replaced.
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_REPLACEMENT = b"\\ufffd"  # as long as what it replaces

# A text, or what opens or closes an object or a list: all there is to see of how deep JSON is nested.
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
# Who sends more of either means to keep us busy: a page of 20 MB has about two million texts and brackets.
_MOST_TOKENS = 4_000_000
_MOST_ODD_ROWS = 1_000
_MOST_DEPTH = 500  # of a row in its page; Python's decoders, ours among them, end somewhere below a thousand
_ROW_DEPTH = 3  # Bundle, list, entry
_ANYTHING = msgspec.json.Decoder(msgspec.Raw)


def mended(body: bytes) -> bytes:
    """The body without half surrogate pairs; the same object where there is none."""
    if _SURROGATE.search(body) is None:
        return body
    whole = bytearray(body)
    for found in _SURROGATES.finditer(body):  # in place: `sub` would keep each of ten million escaped backslashes
        if found[1]:
            whole[found.start() : found.end()] = _REPLACEMENT
    return bytes(whole)


def without_odd_rows(body: bytes) -> bytes:
    """The body with what `readable` makes of each row that no decoder takes, or null. A body that was cut, or is
    broken outside its rows, stays broken; so does one that is odd all over."""
    kept: list[bytes] = []
    kept_to = 0
    for start, end, deepest in _rows(body):
        row = body[start:end]
        mended_row = readable(row) if deepest <= _MOST_DEPTH else None
        if mended_row != row:
            kept += [body[kept_to:start], mended_row or b"null"]
            kept_to = end
        if len(kept) == 2 * _MOST_ODD_ROWS:
            break
    return b"".join([*kept, body[kept_to:]])


def rows(body: bytes) -> Iterator[bytes]:
    """Each row, of whichever of several lists: where a name stands twice, decoders keep what it named last."""
    for start, end, _deepest in _rows(body):
        yield body[start:end]


def _rows(body: bytes) -> Iterator[tuple[int, int, int]]:
    """Where each row begins and ends, and how deep it is nested; found without descending into any."""
    depth = deepest = row_starts = 0
    named, is_in_rows = b"", False
    for found in islice(_NESTING.finditer(body), _MOST_TOKENS):
        if found[0] in b"{[":
            depth += 1
            deepest = max(deepest, depth)
            if depth == _ROW_DEPTH - 1:
                is_in_rows = named == b'"entry"'
            elif depth == _ROW_DEPTH:
                row_starts, deepest = found.start(), depth
        elif found[0] in b"}]":
            if depth == _ROW_DEPTH and is_in_rows:
                yield row_starts, found.end(), deepest
            depth -= 1
        elif depth == 1:
            named = found[0]


def readable(row: bytes) -> bytes | None:
    """The row, its texts escaped as they should have been; None for what is no JSON all the same."""
    if decoded(row, _ANYTHING) is not None:
        return row
    row = _NESTING.sub(lambda found: _escaped(found[0]), row)
    return row if decoded(row, _ANYTHING) is not None else None


def _escaped(text: bytes) -> bytes:
    if _CONTROL.search(text):
        for code in range(0x20):
            text = text.replace(b"%c" % code, b"\\u%04x" % code)
    return text


def decoded(raw: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[T]) -> T | None:
    """The JSON as the decoder's type, or None."""
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
