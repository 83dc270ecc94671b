"""The marks of values. Their shape says where a value stands; color only helps (patient experience 4.2)."""

from enum import StrEnum

from apps.records.presenters.interpretations import Place

_ABOVE = frozenset({Place.ABOVE, Place.FAR_ABOVE, Place.UNMEASURED_ABOVE})
_BELOW = frozenset({Place.BELOW, Place.FAR_BELOW, Place.UNMEASURED_BELOW})
_OUTSIDE = frozenset({Place.OUTSIDE, Place.FAR_OUTSIDE})


class Shape(StrEnum):
    """How a value is drawn."""

    WITHIN = "within"  # a disc
    ABOVE = "above"  # a triangle that points up
    BELOW = "below"  # a triangle that points down
    OUTSIDE = "outside"  # a diamond: outside, and the side is not said
    UNPLACED = "unplaced"  # a ring: nothing to compare with
    LESS = "less"  # an open box with an arrow down: less than what stands here
    MORE = "more"


def shape_of(place: str, comparator: str = "") -> Shape:
    """The shape of a value that stands there."""
    if comparator:
        return Shape.LESS if comparator.startswith("<") else Shape.MORE
    if place in _ABOVE:
        return Shape.ABOVE
    if place in _BELOW:
        return Shape.BELOW
    if place in _OUTSIDE:
        return Shape.OUTSIDE
    return Shape.WITHIN if place == Place.WITHIN else Shape.UNPLACED


def is_outside(shape: Shape) -> bool:
    """Whether it must not disappear among others."""
    return shape in {Shape.ABOVE, Shape.BELOW, Shape.OUTSIDE}
