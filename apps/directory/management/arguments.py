"""Types for `add_argument(type=…)`: they refuse what cannot be meant, with a message."""

from argparse import ArgumentTypeError
from typing import Final

_MOST_DIGITS: Final = 6  # a million hours is more than a century, and no list is longer


def whole_number(text: str) -> int:
    """Not negative, and not implausibly large."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError("not a whole number, or below zero")
    if len(text) > _MOST_DIGITS:
        raise ArgumentTypeError("more than there can be")
    return int(text)


def given(text: str) -> str:
    """Not empty: an unset variable of a script must not count as if the option had been left out."""
    if not text.strip():
        raise ArgumentTypeError("is empty")
    return text
