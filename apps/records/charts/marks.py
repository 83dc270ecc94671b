"""The marks of values. The shape alone says where a value lies in its range; color only helps (patient experience
4.2)."""

from enum import StrEnum
from typing import Final

from apps.records.presenters.observations.interpretations import Place


class Shape(StrEnum):
    """How a value is drawn."""

    WITHIN = "within"  # a disc
    ABOVE = "above"  # a triangle that points up
    BELOW = "below"  # a triangle that points down
    OUTSIDE = "outside"  # a diamond: outside, but the side was not sent
    UNPLACED = "unplaced"  # a ring: nothing to compare with
    LESS = "less"  # an open box with an arrow down: less than the value here
    MORE = "more"
    DOUBTED = "doubted"  # a cross: the value has a modifier or a doubt, and may mean something else


def shape_of(place: str, comparator: str = "", *, is_modified: bool = False) -> Shape:
    """The shape of a value: a cross if it may mean something else, else by its comparator or its place."""
    if is_modified:
        return Shape.DOUBTED
    if comparator:
        return Shape.LESS if comparator.startswith("<") else Shape.MORE
    return _SHAPES.get(place, Shape.UNPLACED)


_SHAPES: Final[dict[str, Shape]] = {
    Place.WITHIN: Shape.WITHIN,
    **dict.fromkeys((Place.ABOVE, Place.FAR_ABOVE, Place.UNMEASURED_ABOVE), Shape.ABOVE),
    **dict.fromkeys((Place.BELOW, Place.FAR_BELOW, Place.UNMEASURED_BELOW), Shape.BELOW),
    **dict.fromkeys((Place.OUTSIDE, Place.FAR_OUTSIDE), Shape.OUTSIDE),
}
_ROUND: Final = frozenset({Shape.WITHIN, Shape.UNPLACED})
_OUTSIDE: Final = frozenset({Shape.ABOVE, Shape.BELOW, Shape.OUTSIDE, Shape.DOUBTED})


def is_outside(shape: Shape) -> bool:
    """Whether a mark must stay visible if values are combined."""
    return shape in _OUTSIDE


def drawing_of(shape: Shape, *, is_second: bool) -> str:
    """The drawing for a mark. Marks of a second provider are hollow, in another color. Their round shapes have a dot or
    a bar inside as well, since a ring is hollow for either provider."""
    return f"{shape}-second" if is_second and shape in _ROUND else str(shape)
