"""Where words begin in a text as it is compared (`normalizing`).

Two letters, such as CT, are in half of all longer words: they are found only where a word begins with them. Two
characters of another script may be a whole word, and are found anywhere.
"""

from typing import Final

# As it is compared, a text has the accents of no letter. What is no letter from a to z separates words: 500mg has the
# word mg, and what follows a Chinese character begins a word.
_APART: Final = bytes(one if one in b"abcdefghijklmnopqrstuvwxyz" else ord(" ") for one in range(256))
_APART_IN_LINES: Final = _APART[: ord("\n")] + b"\n" + _APART[ord("\n") + 1 :]
_TWO: Final = 2


def are_meant(text: str) -> bool:
    """Whether this is found only where a word begins with it."""
    return len(text) == _TWO and text.isascii() and text.isalpha()


def apart(text: bytes) -> bytes:
    """The text with a space before it and between its words: `b" ct"` is where one begins with ct."""
    return b" " + text.translate(_APART)


def apart_in_lines(text: bytes) -> list[str]:
    """The same for each line."""
    return (" " + text.translate(_APART_IN_LINES).decode().replace("\n", "\n ")).split("\n")


def are_in(two: bytes, text: bytes) -> bool:
    """Whether a word of the text begins with these."""
    return two in text and b" %b" % two in apart(text)
