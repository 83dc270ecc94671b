"""The fonts of an RTF document: which characters its bytes are, and where letters stand for pictures."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from apps.records.presenters.prose import symbols
from apps.records.presenters.prose.symbols import Signs

# By \fcharset; those of Windows in the west (0), and of whatever machine it is (1), are the document's.
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
    encoding: str = ""  # empty: the document's
    name: str = ""


def encoding_of(code_page: int | None) -> str:
    """What Python calls a code page; that of Windows where it knows none."""
    try:
        return codecs.lookup(f"cp{code_page}").name
    except LookupError:
        return "cp1252"


class Fonts:
    """Those that the table of a document names, by their numbers."""

    def __init__(self) -> None:
        self._fonts: dict[int, _Font] = {}
        self._at_hand = _Font()

    def describe(self, word: str, number: int | None) -> None:
        """A word of the table."""
        if word == "f" and len(self._fonts) < _MOST:
            self._at_hand = self._fonts[number or 0] = _Font()
        elif word == "fcharset":
            self._at_hand.encoding = _CHARSETS.get(number or 0, "")
        elif word == "cpg":
            self._at_hand.encoding = encoding_of(number)

    def name(self, text: str) -> None:
        """A part of the name of the one that is described."""
        self._at_hand.name = f"{self._at_hand.name}{text}"[:_LONGEST_NAME]

    def encoding(self, number: int, *, otherwise: str) -> str:
        """In which code its bytes are."""
        font = self._fonts.get(number)
        return font.encoding or otherwise if font is not None else otherwise

    def signs(self, number: int) -> Signs | None:
        """What stands for its letters, if anything does."""
        font = self._fonts.get(number)
        return symbols.of_font(font.name) if font is not None else None
