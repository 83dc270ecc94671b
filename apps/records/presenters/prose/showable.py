"""What a page can show of text that somebody else wrote, and what would spoil it."""

import re
from typing import Final

_UNSHOWABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
# Endless accents on one letter would be drawn over the whole page. No language has that many.
_ACCENT: Final = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED: Final = re.compile(f"({_ACCENT}{{4}}){_ACCENT}++")


def showable(text: str) -> str:
    """The text without control characters (other than line breaks and tabs), marks that change the direction of the
    text after them, lone surrogates, and excessive accents."""
    if text.isprintable():  # nearly every text is, and then only accents can be excessive
        return text if text.isascii() else _STACKED.sub(r"\1", text)
    return _STACKED.sub(r"\1", _UNSHOWABLE.sub("", text))
