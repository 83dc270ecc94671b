"""The marks of values. Their shape says where a value stands; color only helps (patient experience 4.2)."""

from enum import StrEnum
from typing import Final

from apps.records.presenters.observations.interpretations import Place


class Shape(StrEnum):
    """How a value is drawn."""

    WITHIN = "within"  # a disc
    ABOVE = "above"  # a triangle that points up
    BELOW = "below"  # a triangle that points down
    OUTSIDE = "outside"  # a diamond: outside, and the side is not said
    UNPLACED = "unplaced"  # a ring: nothing to compare with
    LESS = "less"  # an open box with an arrow down: less than what stands here
    MORE = "more"
    DOUBTED = "doubted"  # a cross: it may mean something else than it seems to


def shape_of(place: str, comparator: str = "", *, is_modified: bool = False) -> Shape:
    """The shape of a value that stands there, unless it may mean something else."""
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
    """Whether it must not disappear among others."""
    return shape in _OUTSIDE


def drawing_of(shape: Shape, *, is_second: bool) -> str:
    """Which drawing a mark is. Of a second provider it is hollow in another color; what is round has a dot or a bar in
    it besides, since a ring is hollow of either."""
    return f"{shape}-second" if is_second and shape in _ROUND else str(shape)
