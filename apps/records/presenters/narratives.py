"""The narrative of a resource, as plain text and as blocks. Nothing of its markup is kept, so nothing of it can act."""

import re

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.prose import blocks
from apps.records.presenters.prose.blocks import Reading
from apps.records.presenters.prose.showable import showable

_LONGEST_MARKUP = 60_000  # of what entries are compared and searched by
_BY_A_PROGRAM = re.compile(r"generated narrative\b", re.IGNORECASE)


def narrative(resource: Element) -> str:
    """What `text.div` says, lines kept; empty where there is none. Cut like every other text."""
    markup = elements.child(resource, "text").get("div")
    return plain(markup[:_LONGEST_MARKUP]) if isinstance(markup, str) else ""


def reading(resource: Element) -> Reading:
    """The same for its page: with its tables, as long as a file may be, and with what it leaves out."""
    markup = elements.child(resource, "text").get("div")
    return blocks.of_markup(markup) if isinstance(markup, str) else Reading()


def plain(markup: str) -> str:
    """The text between the tags. One pass, so that no markup can make it slow."""
    return showable(blocks.of_markup(markup).plain[: elements.LONGEST_TEXT]).strip()  # markup is unescaped once


def opening(narrative: str) -> str:
    """The first line of a narrative, by which something without a name can be called; empty where that is what a
    program puts before whatever it writes."""
    line = narrative.partition("\n")[0]
    return "" if _BY_A_PROGRAM.match(line) else line
