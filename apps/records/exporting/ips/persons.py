"""A person's names and present contact details, as elements of R4 from either version."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from apps.records.exporting.ips import clinical, r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.wire import datetimes

_USES: Final = frozenset({"usual", "official", "temp", "nickname", "anonymous", "old", "maiden"})
_SYSTEMS: Final = ("phone", "fax", "email", "pager", "url", "sms", "other")
_CONTACT_USES: Final = ("home", "work", "temp", "mobile")
_ADDRESS_USES: Final = ("home", "work", "temp", "billing")
_ADDRESS_TYPES: Final = ("postal", "physical", "both")
_ADDRESS_PARTS: Final = ("text", "city", "district", "state", "postalCode", "country")


def names(resource: Element) -> list[Part]:
    """The names that identify somebody: a title alone does not (ips-pat-1)."""
    found = map(_name, elements.children(resource, "name"))
    return [name for name in found if {"text", "family", "given"} & name.keys()]


def _name(sent: Element) -> Part:
    use = elements.text(sent, "use")
    return r4_elements.without_empty(
        {
            "use": use if use in _USES else "",
            "text": elements.text(sent, "text"),
            "family": " ".join(elements.texts(sent, "family")),
            "given": list(elements.texts(sent, "given")),
            "prefix": list(elements.texts(sent, "prefix")),
            "suffix": list(elements.texts(sent, "suffix")),
        }
    )


def contacts(resource: Element, *, at: datetime) -> list[Part]:
    """How to reach them now (cpt-2: each has a system)."""
    found = ((each, elements.text(each, "value")) for each in _of_now(resource, "telecom", at))
    return [
        r4_elements.without_empty(
            {
                "system": clinical.known_code(each, "system", _SYSTEMS) or "other",
                "value": value,
                "use": clinical.known_code(each, "use", _CONTACT_USES),
            }
        )
        for each, value in found
        if value
    ]


def addresses(resource: Element, *, at: datetime) -> list[Part]:
    """Where they live now."""
    found = []
    for each in _of_now(resource, "address", at):
        parts = {"line": list(elements.texts(each, "line"))}
        said = r4_elements.without_empty(parts | {name: elements.text(each, name) for name in _ADDRESS_PARTS})
        kinds = {
            "use": clinical.known_code(each, "use", _ADDRESS_USES),
            "type": clinical.known_code(each, "type", _ADDRESS_TYPES),
        }
        found.append({**r4_elements.without_empty(kinds), **said} if said else {})
    return [each for each in found if each]


def others(resource: Element, *, at: datetime) -> list[Part]:
    """Contact persons of the patient, each with something that identifies them (pat-1)."""
    return [contact for contact in (_other(each, at) for each in _of_now(resource, "contact", at)) if contact]


def _other(sent: Element, at: datetime) -> Part:
    named = {
        "name": next(iter(names(sent)), {}),
        "telecom": contacts(sent, at=at),
        "address": next(iter(addresses(sent, at=at)), {}),
        "organization": r4_elements.without_empty(
            {"display": elements.text(elements.child(sent, "organization"), "display")}
        ),
    }
    if not any(named.values()):
        return {}
    return r4_elements.without_empty({"relationship": r4_elements.concepts(sent, "relationship"), **named})


def _of_now(resource: Element, name: str, at: datetime) -> Iterator[Element]:
    """The current ones: what is marked as old, or has ended, may belong to somebody else by now."""
    found = elements.children(resource, name)
    return (each for each in found if elements.text(each, "use") != "old" and not _has_ended(each, at))


def _has_ended(sent: Element, at: datetime) -> bool:
    """Whether it has ended. Some servers write an end far in the future if there is none. An end that is not a date
    counts as past."""
    end = elements.text(elements.child(sent, "period"), "end")
    parsed = datetimes.parse(end)
    return bool(end) and (parsed is None or parsed.last_day < at.date())
