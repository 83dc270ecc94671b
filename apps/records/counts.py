"""How many there are of something, as a sentence of Python tells it: with its digits grouped, as templates write it.

Values, dosages and identifiers are never written so: they stay as they were sent.
"""

from django.utils import formats


def grouped(count: int) -> str:
    """The count in the language of now."""
    return formats.number_format(count)


class Count(int):
    """A count that a sentence tells so by itself, and chooses its plural by."""

    def __str__(self) -> str:
        """With its digits grouped."""
        return grouped(int(self))
