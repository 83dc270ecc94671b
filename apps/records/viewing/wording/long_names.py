"""Names that are longer than a place has room for."""

from django.utils.text import Truncator


def cut(name: str, most: int) -> str:
    """The name; one of more letters than that ends in an ellipsis."""
    if len(name) <= most:  # cutting looks at every letter, and this is asked of hundreds of names a page
        return name
    return Truncator(name).chars(most)
