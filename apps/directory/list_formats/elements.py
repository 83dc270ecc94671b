"""Walk through a JSON file of any length, element by element of its top-level arrays, without holding all of it in
memory.

A list of providers is one array, or an object with a few members, one of which is a long array. Each element of such an
array is decoded separately, so memory use is bounded by the longest row.
"""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, cast

LONGEST_ROW = 1_000_000  # characters
LONGEST_FILE = 4_000_000_000  # bytes, decompressed: a limit against decompression bombs
_CHUNK = 1 << 18
_NEAR_THE_END = 64  # an error so close to the end of the chunk may be due to the cut
_ENDS = frozenset(" \t\n\r,]}")  # what may follow a number
_GZIP = b"\x1f\x8b"
_SPACE = re.compile(r"[ \t\n\r]*")
_IN_TEXT = re.compile(r'["\\]')
_OUTSIDE_TEXT = re.compile(r'["\[\]{}]')
_BEHIND_A_WORD = re.compile(r"[,\]}]")
_ANYTHING = re.compile(r".", re.DOTALL)


class Broken(Exception):
    """The file cannot be read to its end. The text says why, and repeats nothing of the file."""


class Unreadable(NamedTuple):
    """A placeholder for an element that was skipped."""

    reason: str


class Piece(NamedTuple):
    """An element of a top-level array (`number` from one), or, with number 0, a member of the top-level object: its
    value, or OPENED before the elements of an array."""

    key: str  # the member's name, empty for an array that is the whole file
    number: int
    value: Any


OPENED = Unreadable("an array begins")
TOO_LONG = Unreadable(f"it is longer than {LONGEST_ROW:,} characters")
TOO_DEEP = Unreadable("it is nested too deeply")
TOO_LARGE_A_NUMBER = Unreadable("it has a number with too many digits")


def walk(file: BinaryIO) -> Iterator[Piece]:
    """The pieces of a JSON file, compressed with gzip or not, in UTF-8, UTF-16 or UTF-32. Raises Broken, and
    OSError."""
    return _Walk(_unpacked(file)).pieces()


def _unpacked(file: BinaryIO) -> BinaryIO:
    """Decided by its first two bytes, not by its name."""
    magic = file.read(len(_GZIP))
    file.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=file)) if magic == _GZIP else file


class _Walk:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = json.JSONDecoder(strict=False).raw_decode
        self._text, self._at = "", 0
        self._bytes_read = 0
        self._decoder: codecs.IncrementalDecoder | None = None

    def pieces(self) -> Iterator[Piece]:
        opening = self._peek()
        if opening == "[":
            yield from self._elements("")
        elif opening == "{":
            yield from self._members()
        else:
            raise Broken("it is not JSON")
        if self._peek():
            raise Broken("more follows where it should end")

    def _members(self) -> Iterator[Piece]:
        self._take("{")
        if self._peek() == "}":
            self._take("}")
            return
        while True:
            key = self._value()
            if not isinstance(key, str):
                raise Broken("it is not JSON")
            self._take(":")
            if self._peek() == "[":
                yield from self._elements(key)
            else:
                yield Piece(key, 0, self._value())
            if self._take(",}") == "}":
                return

    def _elements(self, key: str) -> Iterator[Piece]:
        yield Piece(key, 0, OPENED)
        self._take("[")
        if self._peek() == "]":
            self._take("]")
            return
        number = 0
        while True:
            number += 1
            yield Piece(key, number, self._value(number))
            if self._take(",]") == "]":
                return

    def _peek(self) -> str:
        """The next character that is no whitespace, or "" at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing too
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _take(self, expected: str) -> str:
        found = self._peek()
        if not found:
            raise Broken("it ends too early: the file was cut")
        if found not in expected:
            raise Broken("it is not JSON")
        self._at += 1
        return found

    def _value(self, number: int = 0) -> Any:
        """The value that begins here, or a placeholder if it was skipped."""
        self._peek()
        while len(self._text) - self._at <= LONGEST_ROW + _CHUNK:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._need_more(error, number)
            except RecursionError:
                return self._skip(TOO_DEEP)
            except ValueError:  # the interpreter's limit on the digits of a number
                return self._skip(TOO_LARGE_A_NUMBER)
            else:
                if isinstance(value, int | float) and self._text[end : end + 1] not in _ENDS and self._more():
                    continue  # a number may go on in the next chunk
                is_too_long, self._at = end - self._at > LONGEST_ROW, end
                return TOO_LONG if is_too_long else value
        return self._skip(TOO_LONG)

    def _need_more(self, error: json.JSONDecodeError, number: int) -> None:
        """Read another chunk, unless the text is invalid whatever follows."""
        where = f" (row {number:,})" if number else ""
        is_open = error.msg.startswith("Unterminated string")
        if not is_open and error.pos < len(self._text) - _NEAR_THE_END:
            raise Broken(f"it is not JSON{where}")
        if not self._more():
            raise Broken(f"it ends too early: the file was cut{where}")

    def _skip(self, instead: Unreadable) -> Unreadable:
        """Skip the value that begins here, matching only brackets and quotes."""
        if self._peek() not in '"[{':
            self._find(_BEHIND_A_WORD)
            self._at -= 1
            return instead
        depth, is_in_text = 0, False
        while True:
            sign = self._find(_IN_TEXT if is_in_text else _OUTSIDE_TEXT)
            if sign == "\\":
                self._find(_ANYTHING)
            elif sign == '"':
                is_in_text = not is_in_text
            else:
                depth += 1 if sign in "[{" else -1
            if depth <= 0 and not is_in_text:
                return instead

    def _find(self, pattern: re.Pattern[str]) -> str:
        """Move behind the next match."""
        while True:
            match = pattern.search(self._text, self._at)
            if match is not None:
                self._at = match.end()
                return match[0]
            self._at = len(self._text)
            if not self._more():
                raise Broken("it ends too early: the file was cut")

    def _more(self) -> bool:
        """Append another chunk to the remaining text. False at the end of the file."""
        try:
            chunk = self._file.read(_CHUNK)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise Broken("it cannot be unpacked: the file was cut or damaged") from None
        self._bytes_read += len(chunk)
        if self._bytes_read > LONGEST_FILE:
            raise Broken(f"it is longer than {LONGEST_FILE:,} bytes")
        if self._decoder is None:
            # lone surrogates exist; a text is cleaned of them where it is read
            self._decoder = codecs.getincrementaldecoder(json.detect_encoding(chunk))("surrogatepass")
        try:
            added = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            raise Broken("it is not text in UTF-8") from None
        self._text, self._at = self._text[self._at :] + added, 0
        return bool(chunk)
