"""Counting resources in NDJSON as it arrives, in pieces that end anywhere (ndjson.org; FHIR R4, "NDJSON")."""

from apps.wire.errors import Code, UnexpectedAnswer

LONGEST_LINE_BYTES = 50_000_000  # a document inside a resource; nothing here holds a line
_OK = 200
_SPACE = b" \t\r"
_OPENS, _CLOSES = b"{}"


class LineCounter:
    """Counts lines that hold something, and refuses what can be no JSON object: a page of HTML, half a resource.

    It holds no line, only what it must know of the one it is in: how long it is, and its first and last character.
    """

    def __init__(self, *, longest_line_bytes: int = LONGEST_LINE_BYTES) -> None:
        self._longest = longest_line_bytes
        self._complete = 0
        self._length = 0
        self._first = self._last = b""

    @property
    def lines(self) -> int:
        """How many resources there were whole lines of so far."""
        return self._complete

    def feed(self, piece: bytes) -> None:
        """The next piece. Raises UnexpectedAnswer: too large for a line without end, unreadable for one that does not
        begin and end as an object does."""
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
        """How many resources there were. Raises UnexpectedAnswer where the last one breaks off."""
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
    """How many whole lines there are between two places, where each begins and ends at once as an object does; None
    where one does not. It jumps from end to end: looking at every byte would take longer than receiving them."""
    lines = 0
    while start < end:
        stop = piece.find(b"\n", start)
        if piece[start] != _OPENS or piece[stop - 1] != _CLOSES:
            return None
        start = stop + 1
        lines += 1
    return lines
