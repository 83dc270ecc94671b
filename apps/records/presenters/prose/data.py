"""XML that is data, not a document: its values may also be in attributes, and each needs its name."""

from typing import Final

from apps.records.presenters.prose.markup import Piece, PieceKind, attributes, pieces
from apps.records.presenters.prose.readings import LONGEST_MARKUP, MOST_PIECES, Reading
from apps.records.presenters.prose.typesetting import Typesetter

_LOOKED_AT: Final = 200_000  # characters, to find the first element
_OF_PAGES: Final = frozenset(
    (
        "html", "head", "body", "div", "p", "table", "tr", "td", "th", "ul", "ol", "li", "section", "article", "text",
        "span", "h1", "h2", "h3", "h4", "h5", "h6", "b", "i", "br", "pre", "form", "svg", "math", "clinicaldocument",
    )
)  # fmt: skip
_NO_VALUES: Final = ("xmlns", "xsi:", "xml:")


def is_data(markup: str) -> bool:
    """Whether XML is data: its beginning is not that of a page, a drawing or a clinical document."""
    if not markup.lstrip().startswith("<?xml"):
        return False
    root = next((piece for piece in pieces(markup[:_LOOKED_AT]) if piece.kind is PieceKind.START), None)
    return root is not None and root.value not in _OF_PAGES


def read(markup: str) -> Reading:
    """The values, each with the name of its element, one to a line."""
    reader, is_cut = _Reader(), len(markup) > LONGEST_MARKUP
    for count, piece in enumerate(pieces(markup[:LONGEST_MARKUP]), start=1):
        if piece.kind is PieceKind.SWALLOWED and is_cut:
            break
        reader.take(piece)
        if reader.typesetter.is_full or count >= MOST_PIECES:
            return reader.typesetter.reading(is_cut=True)
    return reader.typesetter.reading(is_cut=is_cut)


class _Reader:
    def __init__(self) -> None:
        self.typesetter = Typesetter()
        self._name = ""  # of the current element, until its first value

    def take(self, piece: Piece) -> None:
        """Take the next piece."""
        if piece.kind is PieceKind.TEXT:
            self._say(piece.value)
        elif piece.kind is PieceKind.GAP:
            self.typesetter.leave_out()
        elif piece.kind is PieceKind.HIDDEN:
            self.typesetter.hide(piece.kind)
        elif piece.kind is PieceKind.SWALLOWED:
            self.typesetter.miss()
        else:
            self.typesetter.end_block()
            self._name = "" if piece.kind is PieceKind.END or piece.value in _OF_PAGES else f"{piece.value}: "
            if values := _values(piece.attributes):
                self._say(values)
                self._name = ": "

    def _say(self, text: str) -> None:
        if text.strip():
            name, self._name = self._name, ""
            self.typesetter.say(f"{name}{text}")


def _values(written: str) -> str:
    said = {name: value for name, value in attributes(written).items() if value and not name.startswith(_NO_VALUES)}
    if set(said) == {"value"}:
        return said["value"]
    return ", ".join(f"{name} {value}" for name, value in said.items())
