"""The words for a picture that our pages do not show: its author's alternative text (HTML, 4.8.4.4), and the words
within a drawing (SVG 2, 5.8 and 11).

They appear in brackets in place of the picture, as in a text browser. Nothing is loaded, and nothing drawn.
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
_OF_PROGRAMS: Final = frozenset({"metadata", "defs", "symbol", "iframe", "template"})  # browsers draw nothing of these
_IN_WORDS: Final = frozenset({"tspan", "textpath", "a", "b", "i", "em", "strong", "span"})
# A file name that a program gave, which does not say what the picture shows.
_NAME_OF_A_FILE: Final = re.compile(r"\S{1,200}\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)", re.IGNORECASE)
_MARKS: Final = frozenset(mark.strip("[] ").casefold() for mark in forms.MARKS)


class PictureText(NamedTuple):
    """Words in brackets, or empty, and how many pieces of markup were read for them."""

    said: str
    pieces: int = 0


def told(piece: Piece, *, most: int) -> PictureText:
    """The words for the picture that this piece stands for. At most `most` pieces within it are read."""
    said = attributes(piece.attributes)
    written = [" ".join(said.get(name, "").split()) for name in _WRITTEN_IN.get(piece.value, ())]
    words = next((one for one in written if one and not _NAME_OF_A_FILE.fullmatch(one)), "")
    words = f"{words[:_LONGEST]}{_MORE}" if len(words) > _LONGEST else words
    read = 0
    if piece.held:
        drawn, read = _drawn(piece.held, most)
        words = "; ".join(filter(None, (words, drawn)))
    # a picture of a tick box must not be taken for a form's own mark
    return PictureText(f"[{words}]" if words.strip("[] ").casefold() not in _MARKS else "", read)


def _drawn(held: str, most: int) -> PictureText:
    """The words of a drawing in their order, with separators between those that stand apart."""
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
    """The separator for a tag: a part of a line with a position of its own may be another line."""
    if piece.value not in _IN_WORDS:
        return "\n"
    return " " if piece.attributes.strip(" />") else ""
