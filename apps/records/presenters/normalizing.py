"""How words are spelled where they are compared: in a search, and in a list from A to Z."""

import re
import unicodedata
from typing import Final

_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
# Of Latin, Greek and Cyrillic letters. In other scripts such marks are letters by themselves, as vowels are.
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


def words_of(text: str) -> list[str]:
    """The words of a text whatever their case and accents, which few type on a telephone; in one spelling of what can
    be spelled in several, such as a wide letter; and without what nobody sees or types, such as a hyphen for the end of
    a line or a mark of where text turns."""
    if text.isascii() and text.isprintable():
        return text.casefold().split()
    said = _UNSEEN.sub("", text)
    for _time in range(2):  # as Unicode defines a match without case: each step can undo the one before
        said = _ACCENTS.sub("", unicodedata.normalize("NFD", said))
        said = unicodedata.normalize("NFKC", said.casefold())
    return said.split()


def normalized(text: str) -> str:
    """The same in one line."""
    return " ".join(words_of(text))
