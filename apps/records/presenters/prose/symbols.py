"""Fonts that have symbols in place of letters: "m" in Symbol is the Greek letter for "micro", and a dose read as "m"
is a thousand times too high. We recognize such fonts by name; in any other font, letters are letters."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_UNKNOWN: Final = "\ufffd"
_FIRST, _LAST = 0x20, 0xFF
_PRIVATE: Final = 0xF000  # where the characters of these fonts begin in Unicode's private use area
# Adobe's encoding of Symbol, in which we add the no-break space, since HTML uses it.
_SYMBOL: Final = (
    " !∀#∃%&∋()\u2217+,\u2212./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}\u223c"
    + _UNKNOWN * 33
    + " \u03d2\u2032≤\u2044∞ƒ♣♦♥♠↔←↑→↓°±″≥\u00d7∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩\u222a⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧\u2228⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    + _UNKNOWN
    + "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
    + _UNKNOWN
)
# Of the other fonts, only what documents use: boxes, check marks, arrows and bullets.
_WINGDINGS: Final = {
    " ": " ", "\xa0": " ", "\t": "\t", "\n": "\n", "(": "☎", "*": "✉", "F": "☞", "J": "☺", "K": "😐", "L": "☹",
    "N": "☠", "l": "●", "n": "■", "o": "☐", "p": "☐", "q": "☐", "r": "☐", "s": "◆", "t": "◆", "u": "◆", "v": "❖",
    "w": "◆", "x": "☒", "\x9f": "•", "\x9e": "·", "¡": "○", "¤": "◉", "§": "▪", "¨": "☐", "«": "★", "Ø": "➢", "ß": "←",
    "à": "→", "á": "↑", "â": "↓", "è": "➔", "ï": "⇦", "ð": "⇨", "ñ": "⇧", "ò": "⇩", "û": "✗", "ü": "✓", "ý": "☒",
    "þ": "☑",
}  # fmt: skip
_WINGDINGS_2: Final = {
    " ": " ", "\xa0": " ", "\t": "\t", "\n": "\n", "O": "✗", "P": "✓", "Q": "☒", "R": "☑", "S": "☒", "T": "☒", "£": "☐",
    "*": "☐", "—": "●", "\x97": "●", "¡": "■", "¢": "■",
}  # fmt: skip

Signs = Mapping[int, str]


def _table(signs: Mapping[str, str]) -> Signs:
    known = {ord(letter): sign for letter, sign in signs.items()}
    places = {place: known.get(place, _UNKNOWN) for place in range(_FIRST, _LAST + 1)}
    return MappingProxyType({**known, **places, **{_PRIVATE + place: sign for place, sign in places.items()}})


_FONTS: Final[Mapping[str, Signs]] = MappingProxyType(
    {
        "symbol": _table({chr(_FIRST + place): sign for place, sign in enumerate(_SYMBOL)}),
        "wingdings": _table(_WINGDINGS),
        "wingdings 2": _table(_WINGDINGS_2),
    }
)


def of_font(name: str) -> Signs | None:
    """The symbols of this font, for `str.translate`; None if it has letters."""
    return _FONTS.get(name.strip(" \t\r\n\"';").casefold())
