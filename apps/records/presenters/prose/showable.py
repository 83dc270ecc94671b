"""What a page can show of text that somebody else wrote, and what would spoil it."""

import re
from typing import Final

_UNSHOWABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
# Accents upon accents, without end, would be drawn over all the page. No language has as many on one letter.
_ACCENT: Final = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED: Final = re.compile(f"({_ACCENT}{{4}}){_ACCENT}++")


def showable(text: str) -> str:
    """The same without control characters but line breaks and tabs, signs that turn the direction of what follows,
    lone surrogates, and accents that no letter has."""
    if text.isprintable():  # nearly every text is: it has none but accents
        return text if text.isascii() else _STACKED.sub(r"\1", text)
    return _STACKED.sub(r"\1", _UNSHOWABLE.sub("", text))
