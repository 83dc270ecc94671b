"""The text of a C-CDA document: its title, and the title and text of each section; or the file that it encloses.

The text of a section is what its author attests; the coded entries beside it repeat it for machines (HL7 CDA R2,
4.3.5), and are left out. A document without sections has a file in their place, such as a scanned letter (4.2.3.1,
nonXMLBody).
"""

import base64
import binascii
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from apps.records.attachments import pictures, wording
from apps.records.attachments.pictures import Picture, attributes
from apps.records.presenters.prose import blocks, rich_text
from apps.records.presenters.prose.blocks import GAP, LONGEST_MARKUP, MOST_PIECES, Block, BlockKind, Reading
from apps.records.presenters.prose.composing import Compositor
from apps.records.presenters.prose.markup import Piece, PieceKind
from apps.records.presenters.prose.markup import pieces as pieces_of

_DEEPEST = 300
_PARTS = frozenset({"title", "text"})
_WHOLES = frozenset({"clinicaldocument", "section", "nonxmlbody"})
_LONGEST_FOOTNOTE = 500
_HTML = re.compile(r"\s*+<(?:!doctype|html|head|body|div|p|table|h[1-6]|pre)\b", re.IGNORECASE)


class Enclosed(NamedTuple):
    """A file inside a clinical document, and the media type that the document declares for it."""

    content: bytes
    media_type: str


def read(markup: str, shown: Sequence[Picture] = ()) -> Reading:
    """The sections of a document as blocks, with the pictures in it; empty if it has no sections, such as one that
    encloses a PDF.

    The limit counts all pieces, even outside of texts: a real document of LONGEST_MARKUP has about 230,000 in all.
    """
    document = markup[:LONGEST_MARKUP]
    reader = _Reader(shown, _footnotes(document))
    is_cut = len(markup) > LONGEST_MARKUP
    for count, piece in enumerate(pieces_of(document), start=1):
        if piece.kind is not PieceKind.SWALLOWED:
            reader.take(piece)
        elif not is_cut:
            reader.typesetter.miss()
        if reader.typesetter.is_full or count >= MOST_PIECES:
            return reader.typesetter.reading(is_cut=True)
    reader.end()
    if reader.is_open and not is_cut:
        reader.typesetter.miss()
    return reader.typesetter.reading(is_cut=is_cut)


def enclosed(markup: str) -> Enclosed | None:
    """The file that a document encloses in place of sections, if any. Its content is empty if it cannot be taken out,
    for example because it is compressed. A document with a section encloses no file, whatever else it has."""
    found: Enclosed | None = None
    if "nonXMLBody" not in markup:
        return None
    said: Mapping[str, str] | None = None
    is_in_body = False
    for count, piece in enumerate(pieces_of(markup)):
        if piece.kind is PieceKind.START and piece.value == "section":
            return None
        if found is None and said is not None:
            found = _taken_out(said, piece.value if piece.kind is PieceKind.TEXT else "")
        if piece.kind is PieceKind.START and piece.value == "nonxmlbody":
            is_in_body = True
        elif piece.kind is PieceKind.START and piece.value == "text" and is_in_body and said is None:
            said = attributes(piece.attributes)
        if count >= MOST_PIECES:
            return None
    return found


def _taken_out(said: Mapping[str, str], written: str) -> Enclosed | None:
    if said.get("representation") != "B64":
        return None
    try:
        content = b"" if "compression" in said else base64.b64decode("".join(written.split()), validate=True)
    except (binascii.Error, ValueError):  # ValueError: characters outside of ASCII
        content = b""
    return Enclosed(content, said.get("mediaType", ""))


def _footnotes(document: str) -> Mapping[str, str]:
    """The texts of the footnotes by id, if the document refers to any: a footnote is repeated where it is referred
    to."""
    said: dict[str, list[str]] = {}
    at_hand = ""
    if "footnoteRef" not in document:
        return {}
    for count, piece in enumerate(pieces_of(document)):
        if count >= MOST_PIECES:
            break
        if piece.kind is PieceKind.START and piece.value == "footnote":
            at_hand = attributes(piece.attributes).get("ID", "")
        elif piece.kind is PieceKind.END and piece.value == "footnote":
            at_hand = ""
        elif at_hand and piece.kind in {PieceKind.TEXT, PieceKind.GAP}:
            said.setdefault(at_hand, []).append(piece.value or GAP)
    return {name: " ".join("".join(parts).split())[:_LONGEST_FOOTNOTE] for name, parts in said.items()}


class _Reader:
    """Reads a document piece by piece."""

    def __init__(self, shown: Sequence[Picture], footnotes: Mapping[str, str]) -> None:
        self.typesetter = Compositor()
        self._where = _Where()
        self._shown = shown
        self._footnotes = footnotes
        self._to_show: list[str] = []  # pictures to show after their caption
        self._written: list[str] = []  # the parts of a text in another format, until its end
        self._media_type = ""
        self._has_elements = False

    @property
    def is_open(self) -> bool:
        """Whether the document is still open, which at the end means that it is not whole."""
        return self._where.is_in_document

    def take(self, piece: Piece) -> None:
        """Take the next piece."""
        was_in_part = self._where.is_in_part
        self._where.follow(piece)
        if self._where.is_too_deep:
            self.typesetter.miss()
        if piece.kind is not PieceKind.TEXT:
            self.end(has_elements=self._where.is_in_part)
        if piece.kind is PieceKind.START and piece.value == "reference" and self._where.is_in_file:
            self.typesetter.miss()
        if was_in_part != self._where.is_in_part:
            self._show()
            self._has_elements = False
            self._media_type = attributes(piece.attributes).get("mediaType", "").lower()
            self.typesetter.end_row()
            self.typesetter.end_block(BlockKind.HEADING if self._where.is_in_title else BlockKind.PARAGRAPH)
            if self._where.is_in_text and (name := self._where.name_without_title()):
                self._say(BlockKind.HEADING, name)
        elif self._where.is_in_part:
            self._feed(piece)
        if self._where.has_left_empty:
            self._say(BlockKind.HEADING, self._where.left_name)
            self._say(BlockKind.REMARK, wording.nothing())

    def end(self, *, has_elements: bool = False) -> None:
        """End a text that may be in another format. If it `has_elements`, it is in this format after all."""
        written, self._written = "".join(self._written), []
        self._has_elements = self._has_elements or has_elements
        if written and has_elements:
            self.typesetter.say(written)
        elif written:
            self.typesetter.take_in(_in_its_format(written, self._media_type))

    def _say(self, kind: BlockKind, text: str) -> None:
        self.typesetter.end_block(kind)
        self.typesetter.say(text)
        self.typesetter.end_block()

    def _feed(self, piece: Piece) -> None:
        if piece.kind is PieceKind.START and piece.value == "rendermultimedia":
            self._show()
            named = attributes(piece.attributes).get("referencedObject", "")
            self._to_show = named.split(maxsplit=pictures.MOST)[: pictures.MOST] or [""]
        elif piece.kind is PieceKind.END and piece.value == "rendermultimedia":
            self._show()
        elif piece.kind is PieceKind.START and piece.value == "footnoteref":
            name = attributes(piece.attributes).get("IDREF", "")
            if said := self._footnotes.get(name):
                self.typesetter.say(f" ({said})")
        elif piece.kind is PieceKind.TEXT and self._where.is_in_body and not self._has_elements:
            self._written.append(piece.value)
        else:
            self.typesetter.feed(piece)

    def _show(self) -> None:
        for name in self._to_show:
            self.typesetter.show(self._picture(name))
        self._to_show = []

    def _picture(self, name: str) -> Block:
        number = pictures.named(self._shown, name)
        is_viewable = number > 0 and self._shown[number - 1].is_viewable
        return Block(BlockKind.PICTURE if is_viewable else BlockKind.UNSHOWN, picture=number)


def _in_its_format(written: str, media_type: str) -> Reading:
    """The text of a document without sections, which is not in CDA's format: HTML, RTF or plain text."""
    if rich_text.is_one(written):
        return rich_text.of_text(written)
    is_markup = "html" in media_type or _HTML.match(written) is not None
    return blocks.of_markup(written) if is_markup else blocks.of_text(written)


@dataclass
class _Section:
    """What we know of an open section. `name` is the display of its code, and empty once the section has another
    title."""

    name: str = ""
    has_title: bool = False
    has_content: bool = False


class _Where:
    """Tracks which elements are open, up to a depth. An end tag without a beginning closes nothing."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._part_at = 0  # how many elements were open when the current part began; 0: no part
        self._sections: list[_Section] = []
        self._left: _Section | None = None  # the section that the last piece ended, if it was empty
        self._too_deep = 0  # how many more elements are open than we track

    @property
    def is_in_document(self) -> bool:
        return "clinicaldocument" in self._open

    @property
    def is_in_file(self) -> bool:
        """Whether this is a reference in the body of a document without sections: it refers to a file that was not
        sent."""
        return self._open[-3:] == ["nonxmlbody", "text", "reference"]

    @property
    def is_in_body(self) -> bool:
        """Whether this is directly in the text of a document without sections, and in no element within it."""
        return self.is_in_part and self._open[-2:] == ["nonxmlbody", "text"]

    @property
    def is_too_deep(self) -> bool:
        return self._too_deep > 0

    @property
    def is_in_part(self) -> bool:
        return self._part_at > 0

    @property
    def is_in_title(self) -> bool:
        return self.is_in_part and self._open[self._part_at - 1] == "title"

    @property
    def is_in_text(self) -> bool:
        return self.is_in_part and not self.is_in_title

    @property
    def has_left_empty(self) -> bool:
        """Whether the last piece ended a section that has only a name."""
        return self._left is not None and (self._left.has_title or bool(self._left.name))

    @property
    def left_name(self) -> str:
        """The name of that section by its code; empty if it has a title."""
        return self._left.name if self._left is not None and not self._left.has_title else ""

    def name_without_title(self) -> str:
        """The name of the current section by its code, if it has no title. Returned only once, before its text."""
        section = self._sections[-1] if self._sections else _Section()
        name, section.name = ("" if section.has_title else section.name), ""
        section.has_title = section.has_title or bool(name)
        return name

    def follow(self, piece: Piece) -> None:
        self._left = None
        if piece.kind is PieceKind.START:
            self._begin(piece)
        elif piece.kind is PieceKind.END and self._too_deep:
            self._too_deep -= 1
        elif piece.kind is PieceKind.END and piece.value in self._open:
            while (ended := self._open.pop()) != piece.value:
                self._end(ended)
            self._end(ended)
            self._part_at = self._part_at if self._part_at <= len(self._open) else 0
        elif self._sections and self.is_in_part and (piece.kind is not PieceKind.TEXT or piece.value.strip()):
            self._note_content()

    def _note_content(self) -> None:
        if self.is_in_title:
            self._sections[-1].has_title = True
        else:
            self._sections[-1].has_content = True

    def _begin(self, piece: Piece) -> None:
        name = piece.value
        if len(self._open) >= _DEEPEST:
            self._too_deep += 1
            for section in self._sections:  # from here on, we do not know whether they are empty
                section.has_content = True
            return
        if name == "section":
            if self._sections:
                self._sections[-1].has_content = True
            self._sections.append(_Section())
        elif name == "code" and self._open[-1:] == ["section"]:
            said = attributes(piece.attributes).get("displayName", "")
            self._sections[-1].name = " ".join(html.unescape(said).split())
        elif name == "rendermultimedia" and self._sections:
            self._sections[-1].has_content = True
        is_part = name in _PARTS and bool(self._open) and self._open[-1] in _WHOLES
        is_file = self._open[-1:] == ["nonxmlbody"] and attributes(piece.attributes).get("representation") == "B64"
        self._open.append(name)
        if is_part and not is_file and not self.is_in_part:
            self._part_at = len(self._open)

    def _end(self, name: str) -> None:
        if name == "section" and self._sections:
            section = self._sections.pop()
            self._left = None if section.has_content else section
