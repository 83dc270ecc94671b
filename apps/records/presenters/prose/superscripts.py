"""Superscripts and subscripts as plain text: 10 to the power of 9 is not 109, and the number of a footnote is not the
last digit of what it follows."""

import re
from typing import Final

_RAISED: Final = str.maketrans("0123456789+-\u2212=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED: Final = str.maketrans("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SIGNS: Final = re.compile("[0-9+\u2212=()-]+", re.ASCII)
_A_POWER: Final = re.compile("[+\u2212-]?[0-9]+", re.ASCII)
_TEN: Final = re.compile(r"(?<![0-9.,])10\Z", re.ASCII)
_ENDS_AS_NUMBER: Final = re.compile(r"[0-9]\Z", re.ASCII)
_ENDS_AS_FRACTION: Final = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079] ?[/\u2044] ?\\Z")
_OF_NUMBERS: Final = frozenset({"st", "nd", "rd", "th"})  # as in 1st


def above(text: str, *, behind: str) -> str:
    """A superscript as plain text, following the text `behind`. A power of ten is written as in units: 10^9."""
    if not text.strip() or text.strip().casefold() in _OF_NUMBERS:
        return text
    if _TEN.search(behind) and _A_POWER.fullmatch(text):
        return f"^{text}"
    return _written(text, _RAISED, behind, "^")


def below(text: str, *, behind: str) -> str:
    """A subscript as plain text, following the text `behind`. After a letter it needs no mark: H2O, B12. In a fraction
    it keeps its form: 2¹/₂ must not become 2¹/2."""
    may_be_more = _ENDS_AS_NUMBER.search(behind) or _ENDS_AS_FRACTION.search(behind)
    return _written(text, _LOWERED, behind, "_") if text.strip() and may_be_more else text


def _written(text: str, signs: dict[int, int], behind: str, mark: str) -> str:
    if _SIGNS.fullmatch(text.strip()):
        return text.translate(signs)
    return f"{mark}{text}" if _ENDS_AS_NUMBER.search(behind) else text
