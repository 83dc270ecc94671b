"""Parts of a response that are made while it is sent, when the request's language and time zone are no longer
active."""

from collections.abc import Iterator
from typing import TypeVar

from django.utils import timezone
from django.utils.translation import get_language, override

Piece = TypeVar("Piece")


def as_asked(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The same pieces, each made in the language and time zone that are active now, whenever it is read."""
    language, zone = get_language(), timezone.get_current_timezone()

    def told() -> Iterator[Piece]:
        while True:
            with override(language), timezone.override(zone):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    return told()
