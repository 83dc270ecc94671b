"""Text that a provider wrote, as blocks that a page can show. This is the entry point for callers."""

import re
from collections.abc import Iterator
from itertools import groupby

from apps.records.presenters.prose.composing import Compositor
from apps.records.presenters.prose.markup import PieceKind, pieces
from apps.records.presenters.prose.readings import (
    GAP,
    LONGEST_MARKUP,
    MOST_BLOCKS,
    MOST_CHARACTERS,
    MOST_PIECES,
    Block,
    BlockKind,
    Reading,
)
from apps.records.presenters.prose.typesetting import Typesetter

__all__ = [
    "GAP",
    "LONGEST_MARKUP",
    "MOST_BLOCKS",
    "MOST_CHARACTERS",
    "MOST_PIECES",
    "Block",
    "BlockKind",
    "Reading",
    "of_markup",
    "of_text",
]

_LINE = re.compile(r"([^\r\n]*+)(?:\r\n?|\n|\Z)")
_EMPTY_LINES = re.compile(r"[\r\n](?:[^\S\r\n]*+[\r\n]){4,}+")  # such lines may contain spaces
_COLUMNS = re.compile(r"\S(?: {3}|\t)")  # in a stripped line: wider than the space between words
_FEWEST_LINES = 2  # lines with columns that make a table
_UNSEEN = frozenset({"title", "template", "iframe", "svg", "math", "datalist"})


def of_markup(markup: str) -> Reading:
    """The text of HTML or XHTML, without what a browser would not show."""
    compositor, is_cut = Compositor(), len(markup) > LONGEST_MARKUP
    for piece in pieces(markup[:LONGEST_MARKUP], unseen=_UNSEEN):
        if piece.kind is not PieceKind.SWALLOWED or not is_cut:
            compositor.feed(piece)
        if compositor.is_full:
            break
    return compositor.reading(is_cut=is_cut)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, as many as fit on a page: a file may have ten megabytes of short lines."""
    left = MOST_CHARACTERS
    text = text.replace("\f", "\n").replace("\v", "\n")
    for line in _LINE.finditer(_EMPTY_LINES.sub("\n\n", text)):
        yield line[1]
        left -= len(line[1].strip())
        if left < 0:
            return


def of_text(text: str) -> Reading:
    """Plain text: an empty line ends a block."""
    typesetter = Typesetter()
    for is_said, block in groupby(_lines(text), key=lambda line: bool(line.strip())):
        if is_said:
            together = list(block)
            has_columns = sum(bool(_COLUMNS.search(line.strip())) for line in together) >= _FEWEST_LINES
            typesetter.end_block(BlockKind.ALIGNED if has_columns else BlockKind.PARAGRAPH)
            for line in together:
                typesetter.say(line)
                typesetter.end_line()
        if typesetter.is_full:
            break
    return typesetter.reading()
