"""Repairing JSON that is nearly valid, without decoding what is valid.

Two things are repaired. The escape of half a surrogate pair, which hardly any decoder but Python's own accepts, becomes
the replacement character: otherwise a cut emoji would make the whole page unreadable. And a line break or another
control character inside a string, which servers that do not use a JSON library forget to escape, is escaped.

A row that is nested too deeply for a decoder, or is not JSON for another reason (`NaN`), becomes null, so that it can
be counted.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

import msgspec

T = TypeVar("T")

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# An escaped backslash, a whole pair, or half a pair; only halves are replaced.
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_REPLACEMENT = b"\\ufffd"  # as long as what it replaces

# A string, or a bracket of an object or a list: they show how deeply JSON is nested.
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
# Whoever sends more wants to keep us busy: an honest page of 20 MB has about two million strings and brackets.
_MOST_TOKENS = 4_000_000
_MOST_ODD_ROWS = 1_000
_MOST_DEPTH = 500  # of a row in its page; Python's decoders stop somewhere below a thousand
_ROW_DEPTH = 3  # Bundle, list, entry
_ANYTHING = msgspec.json.Decoder(msgspec.Raw)


def mended(body: bytes) -> bytes:
    """The body without half surrogate pairs. If there are none, the same object is returned."""
    if _SURROGATE.search(body) is None:
        return body
    whole = bytearray(body)
    for found in _SURROGATES.finditer(body):  # in place: `sub` would keep each of ten million escaped backslashes
        if found[1]:
            whole[found.start() : found.end()] = _REPLACEMENT
    return bytes(whole)


def without_odd_rows(body: bytes) -> bytes:
    """The body with each unreadable row repaired, or replaced by null. A body that was cut, is broken outside its rows,
    or has too many bad rows, stays broken."""
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
    """The rows of all lists of entries: if `entry` occurs twice, a decoder returns only the last list."""
    for start, end, _deepest in _rows(body):
        yield body[start:end]


def _rows(body: bytes) -> Iterator[tuple[int, int, int]]:
    """Where each row begins and ends, and how deeply it is nested, found without recursion."""
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
    """The row, if necessary with its control characters escaped; None if it is not JSON even then."""
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
