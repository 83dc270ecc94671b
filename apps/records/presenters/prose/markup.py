"""Split XHTML, HTML or XML into text and tags, in one pass, whatever it is.

We use no library's parser: `html.parser` needs a minute for 200 kB of opened comments, and a parser that knows document
types can be made to expand entities. Here nothing is read twice, nothing is loaded, and only HTML's entities are known.
Whatever is not markup is text.
"""

import html
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

_NAME = re.compile(r"<(/?)(?:[A-Za-z_][\w.-]{0,40}:)?([A-Za-z_][\w.-]{0,60})")
# A quotation mark counts only after "=", so that <p class=o'neil> ends where it appears to.
_REST_OF_TAG = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
_RAW = frozenset({"script", "style"})  # left open, they hide everything after them, as they do in a browser
_CROSSED_OUT = frozenset({"del", "s", "strike"})
_MAY_CROSS_OUT = re.compile("line-through|delete|strike", re.IGNORECASE)  # few tags have one of these words
_IS_CROSSED_OUT = re.compile(
    r"""\s(?:revised\s*+=\s*+["']?delete\b|styleCode\s*+=\s*+(?:"[^">]*?|'[^'>]*?)\bstrike"""
    r"""|style\s*+=\s*+"(?:[^"]*;)?\s*text-decoration[^";]*\bline-through\b"""
    r"""|style\s*+=\s*+'(?:[^']*;)?\s*text-decoration[^';]*\bline-through\b)""",
    re.IGNORECASE,
)
_MAY_HIDE = re.compile("hid|display|font-size|collapse", re.IGNORECASE)
_DECLARED_HIDDEN = (
    r"(?:display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse)|mso-hide\s*+:\s*+all"
    r"|font-size\s*+:\s*+0+(?:\.0*+)?(?:px|pt|em|rem|%)?)(?=\s*+(?:![^;]*+)?(?:;|\Z))"
)
_IS_HIDDEN = re.compile(rf"(?:\A|;)\s*+{_DECLARED_HIDDEN}", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?""")
_HELD = frozenset({"svg"})
_LONGEST_HELD = 50_000
_MOST_LEFT_OPEN = 8  # vain searches for end tags, each of which reads the whole rest


class PieceKind(StrEnum):
    """What a piece is. GAP stands for something that the author crossed out, HIDDEN for something that no browser
    shows, UNSEEN for an element that the caller does not want (`value` is its name). SWALLOWED is at the end of a text
    whose rest is lost in something unclosed, such as a comment."""

    TEXT = "text"
    START = "start"
    END = "end"
    GAP = "gap"
    HIDDEN = "hidden"
    UNSEEN = "unseen"
    SWALLOWED = "swallowed"


class Piece(NamedTuple):
    """A run of text, or the name of a tag, in lower case and without its prefix, with its `attributes` as sent. For a
    drawing that is left out, `held` is the markup within it, up to a limit."""

    kind: PieceKind
    value: str
    attributes: str = ""
    held: str = ""


def pieces(markup: str, *, unseen: AbstractSet[str] = frozenset()) -> Iterator[Piece]:
    """The pieces of a markup, in order. Scripts, styles and the elements named in `unseen` are left out with their
    content, and a GAP replaces what is crossed out. What is hidden by style is left out, too: since no browser shows
    it, nobody vouches for it, and it may be an answer that was not chosen."""
    position, minds_quotes = 0, True
    left_open: set[str] = set()
    while 0 <= position < len(markup):
        opening = _next_tag(markup, position)
        if opening > position:
            yield _text(_unescaped(markup[position:opening]))
        tag = _NAME.match(markup, opening)
        if tag is None:
            position, said = _odd_end(markup, opening)
            if said:
                yield _text(said)
            continue
        position, minds_quotes = _tag_end(markup, tag.end(), minds_quotes=minds_quotes)
        name, closes_itself = tag[2].lower(), _closes_itself(markup, position)
        if tag[1] or closes_itself:
            yield from _tags(name, markup[tag.end() : position], is_end=bool(tag[1]), closes_itself=closes_itself)
        elif name in unseen or name in _RAW:
            end = _end_of_unseen(markup, position, name, left_open)
            held = markup[position : min(end, position + _LONGEST_HELD)] if name in _HELD else ""
            yield from _in_place_of(name, markup[tag.end() : position], held)
            position = end
        elif (kind := _replacement(name, markup[tag.end() : position])) is not None and (
            end := _end_of_replaced(markup, position, name, left_open)
        ):
            position = end
            yield Piece(kind, "")
        else:
            yield Piece(PieceKind.START, name, markup[tag.end() : position])
    yield from _swallowed(position)


def attributes(written: str) -> dict[str, str]:
    """The attributes of an HTML tag, by name in lower case. If one is repeated, the first counts, as in browsers."""
    said: dict[str, str] = {}
    for name, *values in _ATTRIBUTES.findall(written):
        said.setdefault(name.lower(), _unescaped("".join(values)))
    return said


def _swallowed(position: int) -> Iterator[Piece]:
    """The last piece, if the rest of the text was swallowed."""
    if position < 0:
        yield Piece(PieceKind.SWALLOWED, "")


def _next_tag(markup: str, position: int) -> int:
    found = markup.find("<", position)
    return len(markup) if found < 0 else found


def _in_place_of(name: str, attributes: str, held: str) -> Iterator[Piece]:
    """The piece for an element that is left out. Scripts and styles have none, since they are not part of the text."""
    if name not in _RAW:
        yield Piece(PieceKind.UNSEEN, name, attributes, held)


def _tags(name: str, attributes: str, *, is_end: bool, closes_itself: bool) -> Iterator[Piece]:
    if not is_end:
        yield Piece(PieceKind.START, name, attributes)
    if is_end or closes_itself:
        yield Piece(PieceKind.END, name)


def _odd_end(markup: str, opening: int) -> tuple[int, str]:
    """Where something ends that begins with "<" but is not a tag (-1: never), and what part of it is text."""
    if markup.startswith("<!--", opening):
        return _past(markup, "-->", opening + 4), ""
    if markup.startswith("<![CDATA[", opening):
        end = markup.find("]]>", opening)
        return (-1, markup[opening + 9 :]) if end < 0 else (end + 3, markup[opening + 9 : end])
    if markup.startswith("<?", opening):
        return _past(markup, ">", opening), ""
    if markup.startswith("<!", opening):
        end = _past(markup, ">", opening)
        has_subset = "[" in markup[opening : end if end > 0 else len(markup)]
        return (_past(markup, "]>", opening) if has_subset else end), ""
    return opening + 1, markup[opening : opening + 1]


def _past(markup: str, mark: str, position: int) -> int:
    end = markup.find(mark, position)
    return end if end < 0 else end + len(mark)


def _tag_end(markup: str, position: int, *, minds_quotes: bool) -> tuple[int, bool]:
    """The position after the ">" of a tag, or -1, and whether quotation marks still count: not once one of them has
    swallowed the rest."""
    if minds_quotes:
        rest = _REST_OF_TAG.match(markup, position)
        if rest is not None:
            return rest.end(), True
    return _past(markup, ">", position), False


def _closes_itself(markup: str, end: int) -> bool:
    return end >= 2 and markup[end - 2] == "/"


def _end_of_unseen(markup: str, position: int, name: str, left_open: set[str]) -> int:
    """The position after an unwanted element. If it is never closed, only its tag is left out, unless it is a script
    or a style, which then hides the rest (-1)."""
    if position < 0 or name in left_open:
        return position
    found = _closing(name).search(markup, position)
    if found is None:
        left_open.add(name)  # later elements of this name have no end tag either
        return -1 if name in _RAW else position
    return _past(markup, ">", found.end())


def _replacement(name: str, attributes: str) -> PieceKind | None:
    """The kind of piece that replaces a crossed-out or hidden element; None for any other element."""
    if _is_crossed_out(name, attributes):
        return PieceKind.GAP
    return PieceKind.HIDDEN if _is_hidden(attributes) else None


def _is_crossed_out(name: str, attributes: str) -> bool:
    """Whether the author crossed an element out, by HTML's elements and styles, or by `revised` in a C-CDA section."""
    if name in _CROSSED_OUT:
        return True
    return bool(_MAY_CROSS_OUT.search(attributes)) and bool(_IS_CROSSED_OUT.search(attributes))


def _is_hidden(written: str) -> bool:
    """Whether an element's own attributes hide it (HTML, 6.1; CSS 2, 9.2.4 and 11.2). We do not know what style sheets
    hide, or what has the color of its background."""
    if not _MAY_HIDE.search(written):
        return False
    said = attributes(written)
    return "hidden" in said or bool(_IS_HIDDEN.search(said.get("style", "")))


def _end_of_replaced(markup: str, position: int, name: str, left_open: set[str]) -> int:
    """The position after the end tag of an element that began before `position`; 0 if it has none. It is then shown:
    one missing tag must not remove the rest of the text."""
    if position < 0 or name in left_open or len(left_open) >= _MOST_LEFT_OPEN:
        return 0
    depth = 1
    for tag in _tags_named(name).finditer(markup, position):
        if not _closes_itself(markup, tag.end()):
            depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    left_open.add(name)
    return 0


@lru_cache(maxsize=32)
def _tags_named(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?)(?:[A-Za-z_][\w.-]{{0,40}}:)?{re.escape(name)}(?![\w.:-])[^<>]*+>", re.IGNORECASE)


@lru_cache(maxsize=32)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{re.escape(name)}\b", re.IGNORECASE)


def _text(value: str) -> Piece:
    return Piece(PieceKind.TEXT, value)


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text) if "&" in text else text
    except ValueError:  # a number of thousands of digits
        return text
