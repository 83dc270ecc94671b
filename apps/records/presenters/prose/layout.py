"""How far inline elements are apart from the text around them, by their kind or style: if words run together, nobody
can tell which medicine a dose belongs to.

Only the element itself counts. We do not know the rules of style sheets.
"""

import re
from enum import StrEnum
from typing import Final

from apps.records.presenters.prose.markup import Piece, attributes

# Elements that may be a part of a word. Any other element that we do not know contains words of its own.
_IN_WORDS: Final = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "img", "ins", "kbd", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
        "sub", "sup", "time", "tt", "u", "var", "wbr",
        "script", "style", "link", "meta",  # no words at all
        "content", "footnote", "footnoteref", "linkhtml", "rendermultimedia",  # in a C-CDA section
    )
)  # fmt: skip
_APART: Final = frozenset({"button", "output", "progress", "meter", "option", "td", "th"})
_STYLE: Final = re.compile(
    r"(?:\A|[\s;])(?:display\s*+:\s*+(?:(?P<line>block|flex|grid|list-item|flow-root|table(?:-row|-caption)?+(?!-))"
    r"|table-cell|inline-[a-z]++)|float\s*+:\s*+(?:left|right)|position\s*+:\s*+absolute"
    r"|(?:margin|padding)-(?:left|right)\s*+:\s*+(?:[0.]{0,9}[1-9][0-9.]{0,9}em|(?:[4-9]|[1-9][0-9]{1,5})(?:px|pt)))",
    re.IGNORECASE,
)
_INDENTED: Final = re.compile(r"""\sstyleCode\s*+=\s*+["'][^"']*?indent""", re.IGNORECASE)  # in a C-CDA section


class Apart(StrEnum):
    """How far the content of an element is from the text before and after it."""

    NOT = ""
    WORD = "word"  # a space, if there are letters or digits on both sides
    SPACE = "space"
    LINE = "line"


class Layout:
    """Tracks which elements are open."""

    def __init__(self) -> None:
        self._open: dict[str, list[Apart]] = {}  # by name, from the first that stands apart

    def follow(self, piece: Piece, *, is_end: bool) -> Apart:
        """How far the text after this tag is from the text before it. Not for tags that begin blocks."""
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
