"""Counts in sentences made in Python: with their digits grouped, as templates write them.

Values, dosages and identifiers are never written like this: they stay as they were sent.
"""

from typing import Final

from django.utils import formats

_GROUP: Final = 1000  # smaller numbers have no digits to group, in any language


def grouped(count: int) -> str:
    """The count in the active language."""
    return str(int(count)) if 0 <= count < _GROUP else formats.number_format(count)


class Count(int):
    """A count that formats itself like that in a sentence, and selects its plural form."""

    def __str__(self) -> str:
        """With its digits grouped."""
        return grouped(int(self))
