"""The narrative of a resource, as plain text and as blocks. Nothing of its markup is kept, so nothing of it can act."""

import re
from collections.abc import Iterator

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.prose import blocks, readings
from apps.records.presenters.prose.blocks import Block, BlockKind, Reading
from apps.records.presenters.prose.showable import showable

_LONGEST_MARKUP = 60_000  # of what entries are compared and searched by
_DEEPEST = 5  # parts within parts
_BY_A_PROGRAM = re.compile(r"generated narrative\b", re.IGNORECASE)


def narrative(resource: Element) -> str:
    """What `text.div` says, lines kept; empty where there is none. Cut like every other text."""
    markup = _markup(resource)
    return plain(markup[:_LONGEST_MARKUP]) if markup else ""


def reading(resource: Element) -> Reading:
    """The same for its page: with its tables, as long as a file may be, and with what it leaves out. A document
    (Composition) has a narrative in each of its parts."""
    read = [_reading(resource), *_of_parts(resource, 0)]
    return readings.together(each for each in read if each.says_any)


def _reading(part: Element) -> Reading:
    markup = _markup(part)
    return blocks.of_markup(markup) if markup else Reading()


def _of_parts(part: Element, depth: int) -> Iterator[Reading]:
    """Each under its name: read by itself, so that none swallows the next where its markup does not end."""
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
    """The text between the tags. One pass, so that no markup can make it slow."""
    return showable(blocks.of_markup(markup).plain[: elements.LONGEST_TEXT]).strip()  # markup is unescaped once


def opening(narrative: str) -> str:
    """The first line of a narrative, by which something without a name can be called; empty where that is what a
    program puts before whatever it writes."""
    line = narrative.partition("\n")[0]
    return "" if _BY_A_PROGRAM.match(line) else line
