"""A Device of either version: what somebody carries in or on them (patient experience 3.10).

Facts 1.6: DSTU2 has the unique device identifier as one text, `udi`; R4 has `udiCarrier` and the parts of it as
elements of their own. The parts that a GS1 identifier holds are read from it where they were not sent (GS1 General
Specifications, section 3: 01 identifier, 10 lot, 11 made, 17 expires, 21 serial number).
"""

import re
from enum import StrEnum
from typing import Any

from apps.records.presenters import elements
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import first_name, head, notes, status_codes, title_of
from apps.records.presenters.naming import name_of

_MOST = 20
_PART = re.compile(r"\((\d{2,4})\)([^()]{1,90})")
_DATE = re.compile(r"(\d{2})(0[1-9]|1[0-2])(\d{2})", re.ASCII)


class Status(StrEnum):
    """Whether it is in use."""

    IN_USE = "in-use"
    NOT_IN_USE = "not-in-use"


class Scanner(StrEnum):
    """Whether it may come into an MRI scanner."""

    SAFE = "mri-safe"
    CONDITIONAL = "mri-conditional"
    UNSAFE = "mri-unsafe"
    NOT_SAID = "mri-not-said"
    NOT_GIVEN = NOT_GIVEN


# NCI Thesaurus (FHIR R4, device safety).
_SCANNER = {
    "c106045": Scanner.SAFE,
    "c106046": Scanner.CONDITIONAL,
    "c106047": Scanner.UNSAFE,
    "c113844": Scanner.NOT_SAID,
}
_STATUSES = {
    "available": Status.IN_USE,
    "active": Status.IN_USE,
    "not-available": Status.NOT_IN_USE,
    "inactive": Status.NOT_IN_USE,
}


class DeviceEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A device. `udi` is never cut; `udi_groups` are all its parts, as on a label. An expired date is a date.
    `scanner` is as coded, `safety` what else its provider says of that; `why` says why it is used or not."""

    scanner: Scanner = Scanner.NOT_GIVEN
    safety: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    model: str = ""
    maker: str = ""
    serial: str = ""
    lot: str = ""
    udi: str = ""
    udi_groups: tuple[str, ...] = ()
    identifier: str = ""
    made: When = UNDATED
    expires: When = UNDATED
    owner: str = ""


def present(resource: Element, context: Context) -> DeviceEntry:
    """Read a Device."""
    heading = head(resource, elements.child(resource, "type"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return DeviceEntry(**heading)
    udi, identifier = _udi(resource)
    groups = _groups(udi)
    parts = dict(groups)
    model = _model(resource)
    heading["title"] = first_name((heading["title"], model, elements.text(resource, "manufacturer")))
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    return DeviceEntry(
        **heading,
        status=status,
        group=status,
        said=notes(resource, "note"),
        **_safety(resource),
        why=tuple(elements.words(reason) for reason in elements.children(resource, "statusReason"))[:_MOST],
        model=model,
        maker=elements.text(resource, "manufacturer"),
        serial=elements.text(resource, "serialNumber") or parts.get("21", ""),
        lot=elements.text(resource, "lotNumber") or parts.get("10", ""),
        udi=udi,
        udi_groups=tuple(f"({number}){value}" for number, value in groups) or tuple(filter(None, (udi,))),
        identifier=identifier or parts.get("01", ""),
        made=_date(resource, ("manufactureDate",), parts.get("11", ""), means="made"),
        expires=_date(resource, ("expirationDate", "expiry"), parts.get("17", ""), means="expires"),
        owner=name_of(elements.child(resource, "owner"), context, within=resource),
    )


def _safety(resource: Element) -> dict[str, Any]:
    """What R4 has of it. Of several codes for a scanner, none may hide the other: then they are told as they were
    sent."""
    sent = list(elements.children(resource, "safety"))[:_MOST]
    known = {_SCANNER[code.lower()] for concept in sent for code in elements.codes(concept) if code.lower() in _SCANNER}
    scanner = known.pop() if len(known) == 1 else Scanner.NOT_GIVEN
    others = (
        one for one in sent if scanner == NOT_GIVEN or not any(c.lower() in _SCANNER for c in elements.codes(one))
    )
    return {"scanner": scanner, "safety": tuple(dict.fromkeys(filter(None, map(elements.words, others))))}


def _udi(resource: Element) -> tuple[str, str]:
    """As a person reads it, and the part that names the kind of device."""
    carriers = tuple(elements.children(resource, "udiCarrier"))
    identifiers = (elements.text(carrier, "deviceIdentifier") for carrier in carriers)
    written = (elements.text(resource, "udi"), *(elements.text(carrier, "carrierHRF") for carrier in carriers))
    identifier = next(filter(None, identifiers), "")
    return next(filter(None, written), "") or identifier, identifier


def _groups(udi: str) -> list[tuple[str, str]]:
    """Its parts, each by its number; none where they are not all of it. A serial number may hold brackets of its own,
    and a part of one is another device's."""
    found: list[tuple[str, str]] = _PART.findall(udi)
    return found if "".join(f"({number}){value}" for number, value in found) == udi else []


def _model(resource: Element) -> str:
    names = tuple(elements.children(resource, "deviceName"))
    modelled = (elements.text(name, "name") for name in names if elements.text(name, "type") == "model-name")
    others = (elements.text(name, "name") for name in names)
    own = (elements.text(resource, "model"), elements.text(resource, "modelNumber"))
    versions = (title_of(version) for version in elements.texts(resource, "version"))
    return next(filter(None, (*own, *modelled, *others, *versions)), "")


def _date(resource: Element, names: tuple[str, ...], written: str, *, means: str) -> When:
    """The element's, else the six digits of the identifier: year, month, and a day, 00 where there is none."""
    sent = moments.read(resource, *names, means=means)
    found = _DATE.fullmatch(written)
    if sent or found is None:
        return sent
    month = f"20{found[1]}-{found[2]}"
    return moments.of_text(month if found[3] == "00" else f"{month}-{found[3]}", means=means)
