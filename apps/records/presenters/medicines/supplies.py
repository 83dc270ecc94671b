"""How much of a medicine was or may be dispensed: `dispenseRequest` of an order, or a dispense itself."""

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element


class Supply(msgspec.Struct, frozen=True, gc=False):
    """How much was or may be dispensed, with the numbers as sent. `refills` is the number of fills after the first. The
    first fill may differ from the others (`first`, `first_lasts`). `every` is the least time between two fills."""

    quantity: Quantity = NO_QUANTITY
    lasts: Quantity = NO_QUANTITY
    refills: str = ""
    valid: When = UNDATED
    first: Quantity = NO_QUANTITY
    first_lasts: Quantity = NO_QUANTITY
    every: Quantity = NO_QUANTITY


def read(sent: Element, lasts: str) -> Supply:
    """Read the amount, how long it lasts (from the element named by `lasts`) and, for an R4 order, the first fill and
    the least time between two fills."""
    refills = elements.number(sent, "numberOfRepeatsAllowed")
    first = elements.child(sent, "initialFill")
    return Supply(
        quantity=quantities.read(elements.child(sent, "quantity")),
        lasts=quantities.read(elements.child(sent, lasts)),
        refills="" if refills is None else quantities.digits(refills),
        valid=moments.of_period(elements.child(sent, "validityPeriod"), means="valid"),
        first=quantities.read(elements.child(first, "quantity")),
        first_lasts=quantities.read(elements.child(first, "duration")),
        every=quantities.read(elements.child(sent, "dispenseInterval")),
    )
