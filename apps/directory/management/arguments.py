"""What somebody types at a command line, for `add_argument(type=…)`: what cannot be meant is refused by name."""

from argparse import ArgumentTypeError
from typing import Final

_MOST_DIGITS: Final = 6  # a million hours are more than a century, and no list is longer


def whole_number(text: str) -> int:
    """Not below zero, and no more than there can be of anything."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError("not a whole number, or below zero")
    if len(text) > _MOST_DIGITS:
        raise ArgumentTypeError("more than there can be")
    return int(text)


def given(text: str) -> str:
    """Not empty: a variable of a script that was never set must not read as if the option had been left out."""
    if not text.strip():
        raise ArgumentTypeError("is empty")
    return text
