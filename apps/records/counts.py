"""How many there are of something, as a sentence of Python tells it: with its digits grouped, as templates write it.

Values, dosages and identifiers are never written so: they stay as they were sent.
"""

from typing import Final

from django.utils import formats

_GROUP: Final = 1000  # what is less has no digits to be grouped, in any language


def grouped(count: int) -> str:
    """The count in the language of now."""
    return str(int(count)) if 0 <= count < _GROUP else formats.number_format(count)


class Count(int):
    """A count that a sentence tells so by itself, and chooses its plural by."""

    def __str__(self) -> str:
        """With its digits grouped."""
        return grouped(int(self))
