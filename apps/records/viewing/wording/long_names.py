"""Names that are too long for their place."""

from django.utils.text import Truncator


def cut(name: str, most: int) -> str:
    """The name, cut with an ellipsis if it has more than `most` letters."""
    if len(name) <= most:  # truncating goes through every letter, and a page has hundreds of names
        return name
    return Truncator(name).chars(most)
