"""The pictures inside a C-CDA document, to which its text refers (HL7 CDA R2, 4.3.5.6: renderMultiMedia)."""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from apps.records.attachments import drawing, sniffing
from apps.records.attachments.sniffing import FileType
from apps.records.presenters.prose.blocks import LONGEST_MARKUP, MOST_PIECES
from apps.records.presenters.prose.markup import Piece, PieceKind, pieces

MOST: Final = 50  # pictures of one document
_ATTRIBUTE: Final = re.compile(r"""([\w:]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
# The beginnings of elements that contain or name pictures, and of comments and CDATA, which are skipped.
_BEGINNING: Final = re.compile(
    r"<(?:(?P<passed>!--|!\[CDATA\[)|(?:[A-Za-z_][\w.-]{0,40}:)?(?P<name>observationMedia|regionOfInterest)(?=[\s/>]))"
)
_PASSED: Final = {"!--": "-->", "![CDATA[": "]]>"}
_MEDIA_END: Final = re.compile(r"</(?:[A-Za-z_][\w.-]{0,40}:)?observationMedia\s*+>")
# Unlike any text, even one dictated without commas, base64 begins with 40 letters in a row.
_BASE64: Final = re.compile(r">(?=\s*+[A-Za-z0-9+/=]{40})[A-Za-z0-9+/=\s]{1000,}+<")
_ADDRESS: Final = re.compile(r"data:[\w/+.;=-]{1,100}+,[A-Za-z0-9+/=%\r\n]{1000,}+", re.IGNORECASE)


class Picture(NamedTuple):
    """A picture, its type as its content shows it, and the names by which the text may refer to it. `is_viewable`:
    every browser draws it."""

    names: frozenset[str]
    content: bytes
    file_type: FileType
    is_viewable: bool


class _Sent(NamedTuple):
    """A picture as sent: its names, its declared media type, and its base64."""

    names: frozenset[str]
    media_type: str
    written: str


def attributes(written: str) -> dict[str, str]:
    """The attributes of a tag, by name. A value in double quotation marks may contain an apostrophe."""
    return {name: quoted[1:-1] for name, quoted in _ATTRIBUTE.findall(written)}


def of(document: str) -> tuple[Picture, ...]:
    """The pictures inside a document, without those that are elsewhere or are not base64."""
    return tuple(islice(_decoded(document), MOST))


def numbered(document: str, number: int) -> Picture | None:
    """The picture at this position in `of`, counted from 1, or None. The rest of the document is not read, since a page
    with fifty pictures asks for each separately."""
    return next(islice(_decoded(document), number - 1, number), None) if 1 <= number <= MOST else None


def without(document: str) -> str:
    """The document without base64, so that megabytes of a picture do not cut off the text after it."""
    return _BASE64.sub("><", document)


def without_addresses(page: str) -> str:
    """An HTML page without the pictures in `data:` addresses (RFC 2397), if it is so long that it would be cut."""
    return _ADDRESS.sub("data:,", page) if len(page) > LONGEST_MARKUP else page


def named(pictures: Sequence[Picture], name: str) -> int:
    """The number of the picture with this name, counted from 1; 0 if there is none."""
    return next((number for number, picture in enumerate(pictures, start=1) if name in picture.names), 0)


def _decoded(document: str) -> Iterator[Picture]:
    for names, media_type, written in _sent(document):
        try:
            content = base64.b64decode("".join(written.split()), validate=True)
        except (binascii.Error, ValueError):  # ValueError: characters outside of ASCII
            continue
        if content:
            file_type = sniffing.type_of(content, declared=media_type)
            yield Picture(names, content, file_type, drawing.is_drawn(content, file_type.media_type))


def _sent(document: str) -> Iterator[_Sent]:
    looking = _Looking()
    within = (piece for part in _parts(document) for piece in pieces(part))
    for piece in islice(within, MOST_PIECES):
        if (found := looking.take(piece)) is not None:
            yield found


def _parts(document: str) -> Iterator[str]:
    """The elements that contain pictures, and the tags that give them a second name. We search for them as text: nearly
    all of a document is neither, and parsing it takes twenty times as long."""
    position = 0
    while position >= 0 and (found := _BEGINNING.search(document, position)) is not None:
        if found["passed"]:
            position = document.find(_PASSED[found["passed"]], found.end())
            continue
        if found["name"] == "regionOfInterest":
            position = document.find(">", found.end()) + 1 or len(document)
        else:
            end = _MEDIA_END.search(document, found.end())
            position = end.end() if end is not None else len(document)
        yield document[found.start() : position]


class _Looking:
    """Looks for observationMedia with a value. A reference to part of a picture (regionOfInterest) shows all of it."""

    def __init__(self) -> None:
        self._region = ""
        self._names = frozenset[str]()
        self._value: dict[str, str] = {}  # the attributes of the current value

    def take(self, piece: Piece) -> _Sent | None:
        """Take the next piece, and return the picture that it completes, if any."""
        value, self._value = self._value, {}
        if piece.kind is PieceKind.TEXT and value.get("representation") == "B64" and "compression" not in value:
            return _Sent(self._names, value.get("mediaType", ""), piece.value)
        if piece.kind is PieceKind.START:
            self._begin(piece.value, piece.attributes)
        elif piece.value == "observationmedia":
            self._names = frozenset()
        return None

    def _begin(self, name: str, written: str) -> None:
        if name == "regionofinterest":
            self._region = attributes(written).get("ID", "")
        elif name == "observationmedia":
            own = attributes(written).get("ID", "")
            self._names, self._region = frozenset(filter(None, (own, self._region))), ""
        elif name == "value" and self._names:
            self._value = attributes(written)
