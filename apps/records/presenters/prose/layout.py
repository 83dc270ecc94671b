"""What elements that stand in a line set apart, by their kind or style: in words run together a dose is nobody's.

Only the element itself is asked. Rules of a sheet of styles are not known.
"""

import re
from enum import StrEnum
from typing import Final

from apps.records.presenters.prose.markup import Piece, attributes

# They may be a part of a word. Any other element that we do not know holds words of its own.
_IN_WORDS: Final = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "img", "ins", "kbd", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
        "sub", "sup", "time", "tt", "u", "var", "wbr",
        "script", "style", "link", "meta",  # no words at all
        "content", "footnote", "footnoteref", "linkhtml", "rendermultimedia",  # of a C-CDA section
    )
)  # fmt: skip
_APART: Final = frozenset({"button", "output", "progress", "meter", "option", "td", "th"})
_STYLE: Final = re.compile(
    r"(?:\A|[\s;])(?:display\s*+:\s*+(?:(?P<line>block|flex|grid|list-item|flow-root|table(?:-row|-caption)?+(?!-))"
    r"|table-cell|inline-[a-z]++)|float\s*+:\s*+(?:left|right)|position\s*+:\s*+absolute"
    r"|(?:margin|padding)-(?:left|right)\s*+:\s*+(?:[0.]{0,9}[1-9][0-9.]{0,9}em|(?:[4-9]|[1-9][0-9]{1,5})(?:px|pt)))",
    re.IGNORECASE,
)
_INDENTED: Final = re.compile(r"""\sstyleCode\s*+=\s*+["'][^"']*?indent""", re.IGNORECASE)  # of a C-CDA section


class Apart(StrEnum):
    """How far what an element holds is from what stands before and behind it."""

    NOT = ""
    WORD = "word"  # where both are letters or digits
    SPACE = "space"
    LINE = "line"


class Layout:
    """Follows elements from their beginnings to their ends."""

    def __init__(self) -> None:
        self._open: dict[str, list[Apart]] = {}  # by name; those in one that stands apart, too

    def follow(self, piece: Piece, *, is_end: bool) -> Apart:
        """What this tag sets apart. Not for tags that begin blocks."""
        opened = self._open.get(piece.value)
        if is_end:
            return opened.pop() if opened else _by_kind(piece.value)
        found = _by_style(piece.attributes) or _by_kind(piece.value)
        if opened:
            opened.append(found)
        elif found:
            self._open[piece.value] = [found]
        return found


def _by_style(written: str) -> Apart:
    if _INDENTED.search(written):
        return Apart.LINE
    found = _STYLE.search(attributes(written).get("style", "")) if ":" in written else None
    if found is None:
        return Apart.NOT
    return Apart.LINE if found["line"] else Apart.SPACE


def _by_kind(name: str) -> Apart:
    if name in _APART:
        return Apart.SPACE
    return Apart.NOT if name in _IN_WORDS else Apart.WORD
