"""Counting the resources of NDJSON that arrives in pieces of any length (ndjson.org; FHIR R4, "NDJSON")."""

from apps.wire.errors import Code, UnexpectedAnswer

LONGEST_LINE_BYTES = 50_000_000  # a resource can contain a document; no line is kept in memory here
_OK = 200
_SPACE = b" \t\r"
_OPENS, _CLOSES = b"{}"


class LineCounter:
    """Counts lines that are not empty, and refuses those that cannot be JSON objects: a page of HTML, half a resource.

    Of the present line it keeps only the length, and the first and last character.
    """

    def __init__(self, *, longest_line_bytes: int = LONGEST_LINE_BYTES) -> None:
        self._longest = longest_line_bytes
        self._complete = 0
        self._length = 0
        self._first = self._last = b""

    @property
    def lines(self) -> int:
        """How many complete resources there were so far."""
        return self._complete

    def feed(self, piece: bytes) -> None:
        """Take the next piece. Raises UnexpectedAnswer: too large if a line is too long, unreadable if it does not
        begin and end like an object."""
        first, last = piece.find(b"\n"), piece.rfind(b"\n")
        if first < 0:
            self._add(piece)
            return
        self._add(piece[:first])
        self._end()
        whole = _objects(piece, first + 1, last + 1)
        if whole is None or last - first > self._longest:
            for line in piece[first + 1 : last].split(b"\n"):
                self._add(line)
                self._end()
        else:
            self._complete += whole
        self._add(piece[last + 1 :])

    def finish(self) -> int:
        """How many resources there were. Raises UnexpectedAnswer if the last one is incomplete."""
        self._end()
        return self._complete

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._longest:
            raise UnexpectedAnswer(code=Code.TOO_LARGE, status=_OK)
        if not self._first:
            self._first = part.lstrip(_SPACE)[:1]
        self._last = part.rstrip(_SPACE)[-1:] or self._last

    def _end(self) -> None:
        if self._first and (self._first, self._last) != (b"{", b"}"):
            raise UnexpectedAnswer(code=Code.UNREADABLE, status=_OK)
        self._complete += bool(self._first)
        self._length = 0
        self._first = self._last = b""


def _objects(piece: bytes, start: int, end: int) -> int | None:
    """How many lines there are between two positions, if each begins and ends with the brackets of an object; else
    None. It jumps from line to line, because looking at each byte would take longer than receiving it."""
    lines = 0
    while start < end:
        stop = piece.find(b"\n", start)
        if piece[start] != _OPENS or piece[stop - 1] != _CLOSES:
            return None
        start = stop + 1
        lines += 1
    return lines
