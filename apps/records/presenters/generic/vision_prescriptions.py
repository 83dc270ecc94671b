"""The lenses of a VisionPrescription, for glasses or contact lenses: `dispense` in DSTU2, `lensSpecification` in R4.

Numbers are as sent, with their signs: without its sign, a number would mean another lens.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Final

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import lengths, quantities
from apps.records.presenters.datatypes.lengths import NO_LENGTH, Length
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN
from apps.records.presenters.heads import status_codes

_MOST: Final = 20  # lenses, or prisms of one lens; more can only be an error


class Eye(StrEnum):
    """Which eye it is for."""

    RIGHT = "right-eye"
    LEFT = "left-eye"
    NOT_GIVEN = NOT_GIVEN


class Base(StrEnum):
    """Where the base of a prism is, its thick side."""

    UP = "base-up"
    DOWN = "base-down"
    IN = "base-in"
    OUT = "base-out"
    NOT_GIVEN = NOT_GIVEN


class Prism(msgspec.Struct, frozen=True, gc=False):
    """One prism."""

    amount: str = ""
    base: Base = Base.NOT_GIVEN


class Lens(msgspec.Struct, frozen=True, gc=False):
    """What is prescribed for one eye. `power`, `back_curve`, `diameter` and `lasts` are for contact lenses only."""

    eye: Eye = Eye.NOT_GIVEN
    product: str = ""
    sphere: str = ""
    cylinder: str = ""
    axis: str = ""
    prisms: tuple[Prism, ...] = ()
    add: str = ""
    power: str = ""
    back_curve: str = ""
    diameter: str = ""
    lasts: Length = NO_LENGTH
    color: str = ""
    brand: str = ""
    said: tuple[str, ...] = ()


_EYES: Final = {"right": Eye.RIGHT, "left": Eye.LEFT}
_BASES: Final = {"up": Base.UP, "down": Base.DOWN, "in": Base.IN, "out": Base.OUT}


def read(resource: Element) -> tuple[Lens, ...]:
    """The lenses, in the order sent."""
    sent = (part for name in ("lensSpecification", "dispense") for part in elements.children(resource, name))
    found = (lens for lens in map(_lens, sent) if lens != Lens(eye=lens.eye))
    return tuple(islice(found, _MOST))


def _lens(sent: Element) -> Lens:
    return Lens(
        eye=next((_EYES[code] for code in status_codes(sent, "eye") if code in _EYES), Eye.NOT_GIVEN),
        product=title_of(sent.get("product")),
        sphere=_number(sent, "sphere"),
        cylinder=_number(sent, "cylinder"),
        axis=_number(sent, "axis"),
        prisms=tuple(islice(_prisms(sent), _MOST)),
        add=_number(sent, "add"),
        power=_number(sent, "power"),
        back_curve=_number(sent, "backCurve"),
        diameter=_number(sent, "diameter"),
        lasts=lengths.read(elements.child(sent, "duration")),
        color=elements.text(sent, "color"),
        brand=elements.text(sent, "brand"),
        said=notes(sent, "note", "notes"),
    )


def _prisms(sent: Element) -> Iterator[Prism]:
    """The prisms of a lens: several in R4; in DSTU2 one, with its base in another element."""
    for part in elements.children(sent, "prism"):
        yield Prism(_number(part, "amount"), _base(part))
    if amount := _number(sent, "prism"):
        yield Prism(amount, _base(sent))


def _base(sent: Element) -> Base:
    return next((_BASES[code] for code in status_codes(sent, "base") if code in _BASES), Base.NOT_GIVEN)


def _number(sent: Element, name: str) -> str:
    found = elements.number(sent, name)
    return "" if found is None else quantities.digits(found)
