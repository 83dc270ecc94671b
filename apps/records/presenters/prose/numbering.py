"""The numbers of an ordered list, written as in its document: other text may refer to item b, or to item iv."""

import re
from typing import Final

# By `type` of HTML, `list-style-type` of CSS, and `styleCode` of a C-CDA section (HL7 CDA R2, 4.3.5.7).
_STYLES: Final = {
    "a": "a", "lower-alpha": "a", "lower-latin": "a", "littlealpha": "a",
    "A": "A", "upper-alpha": "A", "upper-latin": "A", "bigalpha": "A",
    "i": "i", "lower-roman": "i", "littleroman": "i",
    "I": "I", "upper-roman": "I", "bigroman": "I",
    "none": "none",
}  # fmt: skip
_STYLE: Final = re.compile(r"""\s(?:type|styleCode)\s*+=\s*+["']?([\w-]{1,20})|list-style-type\s*+:\s*+([\w-]{1,20})""")
_START: Final = re.compile(r"""\sstart\s*+=\s*+["']?(-?[0-9]{1,6})\b""", re.IGNORECASE)
_VALUE: Final = re.compile(r"""\svalue\s*+=\s*+["']?(-?[0-9]{1,6})\b""", re.IGNORECASE)
_REVERSED: Final = re.compile(r"\sreversed\b", re.IGNORECASE)
_ORDERED: Final = re.compile(r"""\slistType\s*+=\s*+["']ordered["']""")
_LETTERS: Final = 26
_ROMANS: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN: Final = 3999
_LISTS: Final = frozenset({"ol", "ul", "list"})


def is_list(name: str) -> bool:
    """Whether an element with this name is a list, in HTML or in a C-CDA section."""
    return name in _LISTS


class Numbering:
    """Counts the items of the lists that are open."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str] | None] = []  # number and style of the last item; None: not numbered

    def begin(self, name: str, attributes: str) -> None:
        """A list begins. One that counts down gets no numbers, since we do not know yet where it starts."""
        is_ordered = name == "ol" or (name == "list" and bool(_ORDERED.search(attributes)))
        if not is_ordered or _REVERSED.search(attributes):
            self._open.append(None)
            return
        start = _START.search(attributes)
        self._open.append((int(start[1]) - 1 if start else 0, _style(attributes)))

    def end(self) -> None:
        """The innermost list ends, if one is open."""
        if self._open:
            self._open.pop()

    def next(self, attributes: str) -> str:
        """What to write before the next item of the innermost list; empty if its items have no numbers."""
        if not self._open or (at_hand := self._open[-1]) is None:
            return ""
        value = _VALUE.search(attributes)
        number, style = int(value[1]) if value else at_hand[0] + 1, at_hand[1]
        self._open[-1] = (number, style)
        return "" if style == "none" else f"{_written(number, style)}. "


def _style(attributes: str) -> str:
    found = _STYLE.search(attributes)
    said = (found[1] or found[2]) if found else ""
    return _STYLES.get(said) or _STYLES.get(said.lower() if len(said) > 1 else "", "")


def _written(number: int, style: str) -> str:
    if not style or number < 1:
        return str(number)
    said = _letters(number) if style in "aA" else _roman(number)
    return said.upper() if style.isupper() else said


def _letters(number: int) -> str:
    said = ""
    while number:
        number, letter = divmod(number - 1, _LETTERS)
        said = chr(ord("a") + letter) + said
    return said


def _roman(number: int) -> str:
    if number > _MOST_ROMAN:
        return str(number)
    said = ""
    for value, letters in _ROMANS:
        times, number = divmod(number, value)
        said += letters * times
    return said
