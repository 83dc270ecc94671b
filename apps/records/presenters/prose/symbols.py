"""Fonts that have symbols in place of letters: "m" in Symbol is the Greek letter of a millionth, and a dose read
without it is a thousand times too high. Such fonts are known by their names; in any other a letter is what it is."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_UNKNOWN: Final = "\ufffd"
_FIRST, _LAST = 0x20, 0xFF
_PRIVATE: Final = 0xF000  # where Unicode has the places of these fonts, from here on
# Adobe's encoding of Symbol. A space that does not break is one here: so HTML writes it.
_SYMBOL: Final = (
    " !∀#∃%&∋()\u2217+,\u2212./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}\u223c"
    + _UNKNOWN * 33
    + " \u03d2\u2032≤\u2044∞ƒ♣♦♥♠↔←↑→↓°±″≥\u00d7∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩\u222a⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧\u2228⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    + _UNKNOWN
    + "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
    + _UNKNOWN
)
# Of the others what documents have: boxes, marks, arrows and bullets.
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
    """What the letters of this font are, for `str.translate`; None where they are letters."""
    return _FONTS.get(name.strip(" \t\r\n\"';").casefold())
