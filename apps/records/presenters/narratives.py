"""The narrative of a resource, as plain text and as blocks. No markup is kept, so that none can do any harm."""

import re
from collections.abc import Iterator

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.prose import blocks, readings
from apps.records.presenters.prose.blocks import Block, BlockKind, Reading
from apps.records.presenters.prose.showable import showable

_LONGEST_MARKUP = 60_000  # characters that serve to compare and search entries
_DEEPEST = 5  # levels of nested sections
_BY_A_PROGRAM = re.compile(r"generated narrative\b", re.IGNORECASE)


def narrative(resource: Element) -> str:
    """The text of `text.div`, with its lines; empty if there is none. It is cut like any other text."""
    markup = _markup(resource)
    return plain(markup[:_LONGEST_MARKUP]) if markup else ""


def reading(resource: Element) -> Reading:
    """The narrative for its page: with its tables, up to the length of a file, and with what was left out. A document
    (Composition) has a narrative in each of its sections."""
    read = [_reading(resource), *_of_parts(resource, 0)]
    return readings.together(each for each in read if each.says_any)


def _reading(part: Element) -> Reading:
    markup = _markup(part)
    return blocks.of_markup(markup) if markup else Reading()


def _of_parts(part: Element, depth: int) -> Iterator[Reading]:
    """The narratives of the sections, each under its title. Each is read separately, so that unclosed markup in one
    cannot swallow the next."""
    for section in elements.children(part, "section"):
        title, read = elements.text(section, "title"), _reading(section)
        if title and read.says_any:
            yield Reading((Block(BlockKind.HEADING, title),))
        yield read
        if depth < _DEEPEST:
            yield from _of_parts(section, depth + 1)


def _markup(part: Element) -> str:
    markup = elements.child(part, "text").get("div")
    return markup if isinstance(markup, str) else ""


def plain(markup: str) -> str:
    """The text between the tags, in one pass, so that no markup can make it slow."""
    return showable(blocks.of_markup(markup).plain[: elements.LONGEST_TEXT]).strip()  # markup is unescaped once


def opening(narrative: str) -> str:
    """The first line of a narrative, which can name something that has no name; empty if it is a line that programs put
    before every narrative."""
    line = narrative.partition("\n")[0]
    return "" if _BY_A_PROGRAM.match(line) else line
