"""How to reach those whom an entry names: the phone number of a place, an organization or a practitioner, and the
address of a place, if we have their resources."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import PAST
from apps.records.presenters.persons import patient

_MOST: Final = 5
_DEEPEST: Final = 6  # levels of nested parts
_MOST_NAMED: Final = 200  # references of one entry that we follow
# The first of these that has a number gives its name to the number, if several share it.
_TYPES: Final = ("Location", "Organization", "PractitionerRole", "Practitioner")
_FOR_OTHERS: Final = frozenset({"subject", "patient", "beneficiary", "contained"})
_CALLED: Final = frozenset({"phone", "sms"})
_PRIVATE: Final = frozenset({*PAST, "home", "temp"})  # uses of a doctor's numbers that are for nobody else
# Whose number to show for somebody who has none.
_BELONGS_TO: Final = ("location", "organization", "managingOrganization")


class ContactPoint(msgspec.Struct, frozen=True, gc=False):
    """The name of a person, an organization or a place, with the phone number as sent; for a place also the address."""

    name: str = ""
    address: str = ""
    number: str = ""


def of(resource: Element, context: Context) -> tuple[ContactPoint, ...]:
    """The contact points of an entry. Each number appears once: that of a place or an organization covers those who
    work there."""
    found: dict[str, Element] = {}
    for reference in _references(resource, 0):
        written = elements.text(reference, "reference")
        if len(found) == _MOST_NAMED:
            break
        if written not in found and (written.startswith("#") or any(f"{kind}/" in written for kind in _TYPES)):
            found[written] = context.find(reference, within=resource)
    told: dict[str, ContactPoint] = {}
    for one in sorted((one for one in found.values() if elements.text(one, "resourceType") in _TYPES), key=_rank):
        number = _number(one) or _number_of_workplace(one, context)
        address = _address(one)
        if number or address:
            name = naming.own_name(one, context)
            told.setdefault(number or f"{name} {address}", ContactPoint(name, address, number))
    return tuple(told.values())[:_MOST]


def _rank(one: Element) -> int:
    return _TYPES.index(elements.text(one, "resourceType"))


def _references(element: Element, depth: int) -> Iterator[Element]:
    for name, value in element.items():
        if name not in _FOR_OTHERS:
            yield from _within(value, depth)


def _within(value: Any, depth: int) -> Iterator[Element]:
    for each in value[: elements.MOST_REPEATED] if isinstance(value, list) else (value,):
        if isinstance(each, dict) and depth < _DEEPEST:
            if "reference" in each:
                yield each
            yield from _references(each, depth + 1)


def _number(one: Element) -> str:
    """The first number to call, but never a person's home number."""
    is_person = elements.text(one, "resourceType") == "Practitioner"
    left_out = _PRIVATE if is_person else PAST
    contacts = patient.present({"telecom": one.get("telecom")}).contacts
    return next((way.value for way in contacts if way.system in _CALLED and way.use not in left_out), "")


def _number_of_workplace(one: Element, context: Context) -> str:
    where = (context.find(reference, within=one) for name in _BELONGS_TO for reference in elements.children(one, name))
    return next(filter(None, map(_number, where)), "")


def _address(one: Element) -> str:
    if elements.text(one, "resourceType") != "Location":
        return ""
    addresses = patient.present({"address": one.get("address")}).addresses
    return next((", ".join(address.lines) for address in addresses if address.use not in PAST), "")
