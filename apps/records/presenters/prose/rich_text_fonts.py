"""The fonts of an RTF document: the encoding of each, and which of them have symbols in place of letters."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from apps.records.presenters.prose import symbols
from apps.records.presenters.prose.symbols import Signs

# By \fcharset. Western Windows (0) and the default (1) are missing here: they mean the document's own encoding.
_CHARSETS: Final[Mapping[int, str]] = MappingProxyType(
    {
        2: "latin-1", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950",
        161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
        222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
    }
)  # fmt: skip
_LONGEST_NAME: Final = 100
_MOST: Final = 10_000


@dataclass
class _Font:
    encoding: str = ""  # empty: the document's encoding
    name: str = ""


def encoding_of(code_page: int | None) -> str:
    """Python's name for a code page; Western Windows if Python does not know it."""
    try:
        return codecs.lookup(f"cp{code_page}").name
    except LookupError:
        return "cp1252"


class Fonts:
    """The fonts in the font table of a document, by number."""

    def __init__(self) -> None:
        self._fonts: dict[int, _Font] = {}
        self._at_hand = _Font()

    def describe(self, word: str, number: int | None) -> None:
        """Take a control word of the font table."""
        if word == "f" and len(self._fonts) < _MOST:
            self._at_hand = self._fonts[number or 0] = _Font()
        elif word == "fcharset":
            self._at_hand.encoding = _CHARSETS.get(number or 0, "")
        elif word == "cpg":
            self._at_hand.encoding = encoding_of(number)

    def name(self, text: str) -> None:
        """Take a part of the name of the font that is being described."""
        self._at_hand.name = f"{self._at_hand.name}{text}"[:_LONGEST_NAME]

    def encoding(self, number: int, *, otherwise: str) -> str:
        """The encoding of a font's bytes."""
        font = self._fonts.get(number)
        return font.encoding or otherwise if font is not None else otherwise

    def signs(self, number: int) -> Signs | None:
        """The symbols that replace a font's letters, if it has any."""
        font = self._fonts.get(number)
        return symbols.of_font(font.name) if font is not None else None
