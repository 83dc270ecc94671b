"""The text of a C-CDA document: its title, and each section's title and text; or the file that it is a cover for.

A section's text is what its author attests; the coded entries beside it say the same to machines (HL7 CDA R2, 4.3.5),
and are left out. A document without sections has a file in their place (4.2.3.1, nonXMLBody): a scanned letter, say.
"""

import base64
import binascii
import html
import re
from typing import NamedTuple

from apps.records.presenters.blocks import LONGEST_MARKUP, MOST_PIECES, BlockKind, Reading, Typesetter
from apps.records.presenters.markup import Piece, PieceKind, pieces

_DEEPEST = 300
_PARTS = frozenset({"title", "text"})
_WHOLES = frozenset({"clinicaldocument", "section", "nonxmlbody"})
_BODY = re.compile(
    r"<(?:[\w.-]{1,40}:)?nonXMLBody(?![\w.:-])[^<>]*+>\s*+<(?:[\w.-]{1,40}:)?text(?=\s)([^<>]*+)>([^<]*+)<"
)
_ATTRIBUTE = re.compile(r"""([\w:]++)\s*+=\s*+["']([^"']*+)["']""")


class Enclosed(NamedTuple):
    """A file inside a clinical document, and what the document calls it."""

    content: bytes
    media_type: str


def read(markup: str) -> Reading:
    """Its sections as blocks; nothing for a document that has none, such as one around a PDF.

    Pieces between the texts count as well: a real document of LONGEST_MARKUP has about 230,000 of both.
    """
    typesetter, where = Typesetter(), _Where()
    for count, piece in enumerate(pieces(markup[:LONGEST_MARKUP]), start=1):
        was_in_part = where.is_in_part
        where.follow(piece)
        if was_in_part != where.is_in_part:
            typesetter.end_row()
            typesetter.end_block(BlockKind.HEADING if where.is_in_title else BlockKind.PARAGRAPH)
            if where.is_in_text and (name := where.name_without_title()):
                typesetter.end_block(BlockKind.HEADING)
                typesetter.say(name)
                typesetter.end_block()
        elif where.is_in_part:
            typesetter.feed(piece)
        if typesetter.is_full or count >= MOST_PIECES:
            return typesetter.reading(is_cut=True)
    return typesetter.reading(is_cut=len(markup) > LONGEST_MARKUP)


def enclosed(markup: str) -> Enclosed | None:
    """The file that is all a document has, if it has one. Without content where it cannot be taken out, as of one that
    is packed as well."""
    found = _BODY.search(markup)
    said = dict(_ATTRIBUTE.findall(found[1])) if found else {}
    if found is None or said.get("representation") != "B64":
        return None
    try:
        content = b"" if "compression" in said else base64.b64decode("".join(found[2].split()), validate=True)
    except (binascii.Error, ValueError):  # the second of letters that no base64 has
        content = b""
    return Enclosed(content, said.get("mediaType", ""))


class _Where:
    """Which elements are open; only so many, and an end that was never begun closes nothing."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._part_at = 0  # how many were open when the part at hand began; 0: none
        self._names: dict[int, str] = {}  # of sections by how deep they are, from their codes

    @property
    def is_in_part(self) -> bool:
        return self._part_at > 0

    @property
    def is_in_title(self) -> bool:
        return self.is_in_part and self._open[self._part_at - 1] == "title"

    @property
    def is_in_text(self) -> bool:
        return self.is_in_part and not self.is_in_title

    def name_without_title(self) -> str:
        """What the code of this section calls it, where no title does. Once."""
        return self._names.pop(self._part_at - 1, "")

    def follow(self, piece: Piece) -> None:
        if piece.kind is PieceKind.START:
            self._begin(piece)
        elif piece.kind is PieceKind.TEXT and self.is_in_title and piece.value.strip():
            self._names.pop(self._part_at - 1, None)
        elif piece.kind is PieceKind.END and piece.value in self._open:
            while self._open.pop() != piece.value:
                pass
            self._part_at = self._part_at if self._part_at <= len(self._open) else 0

    def _begin(self, piece: Piece) -> None:
        name = piece.value
        if len(self._open) >= _DEEPEST:
            return
        if name == "section":
            self._names.pop(len(self._open) + 1, None)
        elif name == "code" and self._open[-1:] == ["section"]:
            said = dict(_ATTRIBUTE.findall(piece.attributes)).get("displayName", "")
            self._names[len(self._open)] = " ".join(html.unescape(said).split())
        is_part = name in _PARTS and bool(self._open) and self._open[-1] in _WHOLES
        self._open.append(name)
        if is_part and not self.is_in_part:
            self._part_at = len(self._open)
