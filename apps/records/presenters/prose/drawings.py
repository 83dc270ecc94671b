"""What a document says in words of a picture that a page of ours does not show: what its author wrote in its place
(HTML, 4.8.4.4), and of a drawing the words in it (SVG 2, 5.8 and 11).

It stands in brackets where the picture would, as in a browser of text alone. Nothing is loaded, and nothing drawn.
"""

import re
from itertools import islice
from typing import Final, NamedTuple

from apps.records.presenters.prose import forms
from apps.records.presenters.prose.markup import Piece, PieceKind, attributes, pieces

_LONGEST: Final = 500
_LONGEST_DRAWN: Final = 2000
_MORE: Final = "…"
_WRITTEN_IN: Final = {"img": ("alt", "aria-label", "title"), "svg": ("aria-label",), "math": ("alttext", "aria-label")}
_OF_PROGRAMS: Final = frozenset({"metadata", "defs", "symbol", "iframe", "template"})  # nothing of it is drawn
_IN_WORDS: Final = frozenset({"tspan", "textpath", "a", "b", "i", "em", "strong", "span"})
# A name that a program gave it, which says nothing of what it shows.
_NAME_OF_A_FILE: Final = re.compile(r"\S{1,200}\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)", re.IGNORECASE)
_MARKS: Final = frozenset(mark.strip("[] ").casefold() for mark in forms.MARKS)


class PictureText(NamedTuple):
    """Words in brackets, empty where there are none, and how many pieces of markup were read for them."""

    said: str
    pieces: int = 0


def told(piece: Piece, *, most: int) -> PictureText:
    """What is said of the picture that this piece stands for, in which at most so many pieces are read."""
    said = attributes(piece.attributes)
    written = [" ".join(said.get(name, "").split()) for name in _WRITTEN_IN.get(piece.value, ())]
    words = next((one for one in written if one and not _NAME_OF_A_FILE.fullmatch(one)), "")
    words = f"{words[:_LONGEST]}{_MORE}" if len(words) > _LONGEST else words
    read = 0
    if piece.held:
        drawn, read = _drawn(piece.held, most)
        words = "; ".join(filter(None, (words, drawn)))
    # one in place of a box would be taken for the mark of a form
    return PictureText(f"[{words}]" if words.strip("[] ").casefold() not in _MARKS else "", read)


def _drawn(held: str, most: int) -> PictureText:
    """The words of a drawing in their order, those that stand apart told apart."""
    said: list[str] = []
    read = length = 0
    for piece in islice(pieces(held, unseen=_OF_PROGRAMS), max(0, most)):
        read += 1
        if piece.kind is PieceKind.TEXT:
            said.append(piece.value)
            length += len(piece.value.strip())
        elif piece.kind in {PieceKind.START, PieceKind.END}:
            said.append(_between(piece))
        if length > _LONGEST_DRAWN:
            break
    lines = (" ".join(line.split()) for line in "".join(said).split("\n"))
    words = "; ".join(filter(None, lines))
    return PictureText(f"{words[:_LONGEST_DRAWN]}{_MORE}" if len(words) > _LONGEST_DRAWN else words, read)


def _between(piece: Piece) -> str:
    """What this tag sets apart: a part of a line that has a place of its own may be another line."""
    if piece.value not in _IN_WORDS:
        return "\n"
    return " " if piece.attributes.strip(" />") else ""
