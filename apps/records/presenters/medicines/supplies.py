"""What of a medicine was or may be handed over: `dispenseRequest` of an order, or a dispense itself."""

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element


class Supply(msgspec.Struct, frozen=True, gc=False):
    """What was or may be handed over, with the numbers as sent. `refills` counts those after the first, which may be
    another (`first`), and of which one may follow another after `every` so long."""

    quantity: Quantity = NO_QUANTITY
    lasts: Quantity = NO_QUANTITY
    refills: str = ""
    valid: When = UNDATED
    first: Quantity = NO_QUANTITY
    first_lasts: Quantity = NO_QUANTITY
    every: Quantity = NO_QUANTITY


def read(sent: Element, lasts: str) -> Supply:
    """The amount, and how long it lasts (`lasts`); of an order of R4, the first fill, and how often it is filled."""
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
