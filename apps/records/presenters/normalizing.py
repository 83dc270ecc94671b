"""How words are spelled for comparison: in a search, and in a list from A to Z."""

import re
import unicodedata
from typing import Final

_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
# The accents of Latin, Greek and Cyrillic letters. In other scripts, combining marks are letters, such as vowels.
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


def words_of(text: str) -> list[str]:
    """The words of a text without case and accents, which few people type on a phone; in one spelling for letters that
    have several, such as full-width letters; and without invisible characters, such as soft hyphens and marks of
    writing direction."""
    if text.isascii() and text.isprintable():
        return text.casefold().split()
    said = _UNSEEN.sub("", text)
    for _time in range(2):  # as Unicode defines caseless matching: each step can undo the one before
        said = _ACCENTS.sub("", unicodedata.normalize("NFD", said))
        said = unicodedata.normalize("NFKC", said.casefold())
    return said.split()


def normalized(text: str) -> str:
    """The same words as one line."""
    return " ".join(words_of(text))
