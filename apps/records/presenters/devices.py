"""A Device of either FHIR version: what somebody has in or on their body (patient experience 3.10).

Facts 1.6: DSTU2 has the unique device identifier (UDI) as one text, `udi`; R4 has `udiCarrier`, and its parts as
separate elements. Parts that were not sent are read from the UDI if it is a GS1 identifier (GS1 General Specifications,
section 3: 01 identifier, 10 lot, 11 production date, 17 expiration date, 21 serial number).
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import besides_codes, name_of
from apps.records.presenters.persons import patient
from apps.records.presenters.persons.patient import Contact

_MOST = 20
_PART = re.compile(r"\((\d{2,4})\)([^()]{1,90})")
_DATE = re.compile(r"(\d{2})(0[1-9]|1[0-2])(\d{2})", re.ASCII)
_WORD = re.compile(r"[^\W_]+")


class Status(StrEnum):
    """Whether the device is in use."""

    IN_USE = "in-use"
    NOT_IN_USE = "not-in-use"


class Scanner(StrEnum):
    """Whether the device is safe in an MRI scanner."""

    SAFE = "mri-safe"
    CONDITIONAL = "mri-conditional"
    UNSAFE = "mri-unsafe"
    NOT_SAID = "mri-not-said"
    NOT_GIVEN = NOT_GIVEN


class Latex(StrEnum):
    """Whether the device contains natural rubber latex, to which many people are allergic."""

    CONTAINED = "latex-contained"
    NOT_CONTAINED = "latex-not-contained"


# NCI Thesaurus (FHIR R4, device safety).
_SCANNER = {
    "c106045": Scanner.SAFE,
    "c106046": Scanner.CONDITIONAL,
    "c106047": Scanner.UNSAFE,
    "c113844": Scanner.NOT_SAID,
}
_BY_GRAVITY = (Scanner.UNSAFE, Scanner.CONDITIONAL, Scanner.SAFE, Scanner.NOT_SAID)
# Names that mean the same as one of these codes.
_SCANNER_WORDS = {
    **{
        f"{field} {scanner}": known
        for field in ("mr", "mri", "magnetic resonance", "magnetic resonance mr")
        for scanner, known in (("unsafe", Scanner.UNSAFE), ("conditional", Scanner.CONDITIONAL), ("safe", Scanner.SAFE))
    },
    "labeling does not contain mri safety information": Scanner.NOT_SAID,
}
_LATEX = {"c101673": Latex.CONTAINED, "c106038": Latex.NOT_CONTAINED}
_LATEX_WORDS = {
    "labeled as containing natural rubber latex": Latex.CONTAINED,
    "not made with natural rubber latex": Latex.NOT_CONTAINED,
}
_STATUSES = {
    "available": Status.IN_USE,
    "active": Status.IN_USE,
    "not-available": Status.NOT_IN_USE,
    "inactive": Status.NOT_IN_USE,
}

# Why a device is in its status, by FHIR's codes (device-status-reason).
REASON_WORDS: Final[Mapping[str, str | Promise]] = {
    "online": _("Connected"),
    "paused": _("Paused"),
    "standby": _("On standby"),
    "offline": _("Not connected"),
    "not-ready": _("Not ready"),
    "transduc-discon": _("Its sensor is disconnected"),
    "hw-discon": _("A part of it is disconnected"),
    "off": _("Switched off"),
}


class DeviceEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A device. `udi` is never cut; `udi_groups` are all its parts, as on a label. `expires` is only shown: we do not
    warn. `scanner` is the most serious statement about MRI scanners, `scanner_too` are those that contradict it,
    `latex` are the statements about latex in codes or in FHIR's words, and `safety` is all else that the provider says
    about safety. `why` explains the status, as keys of `REASON_WORDS` or in the provider's words. `contacts` are whom
    to ask about the device."""

    scanner: Scanner = Scanner.NOT_GIVEN
    scanner_too: tuple[Scanner, ...] = ()
    latex: tuple[Latex, ...] = ()
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
    contacts: tuple[Contact, ...] = ()


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
        why=_why(resource),
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
        contacts=patient.present({"telecom": resource.get("contact")}).contacts,
    )


def _why(resource: Element) -> tuple[str, ...]:
    """The reasons for the status: keys of `REASON_WORDS`, with any further words, or else the provider's words."""
    said = list[str]()
    for reason in elements.children(resource, "statusReason"):
        known = [code.lower() for code in elements.codes(reason) if code.lower() in REASON_WORDS]
        said += (*known, besides_codes(reason)) if known else (title_of(reason),)
    return tuple(dict.fromkeys(filter(None, said)))[:_MOST]


def _safety(resource: Element) -> dict[str, Any]:
    """The safety statements of R4. Of several about MRI scanners, all are kept, the most serious first."""
    sent = list(elements.children(resource, "safety"))[:_MOST]
    found = {scanner for concept in sent for scanner in _scanners(concept)}
    scanner, *others = sorted(found, key=_BY_GRAVITY.index) or (Scanner.NOT_GIVEN,)
    latex = tuple(sorted({known for concept in sent for known in _latex(concept)}))  # "contains latex" comes first
    besides = tuple(dict.fromkeys(said for concept in sent for said in _besides(concept)))[:_MOST]
    return {"scanner": scanner, "scanner_too": tuple(others), "latex": latex, "safety": besides}


def _scanners(concept: Element) -> Iterator[Scanner]:
    coded = (_SCANNER.get(coding.code.lower()) for coding in codes_of(concept))
    yield from filter(None, (*coded, *map(_scanner_called, _said(concept))))


def _latex(concept: Element) -> Iterator[Latex]:
    """What a concept says about latex: by FHIR's words or, if the provider has no other words, by the code."""
    coded = () if _in_words(concept) else (_LATEX.get(code.lower()) for code in _bare_codes(concept))
    yield from filter(None, (*coded, *(_LATEX_WORDS.get(_plain(said)) for said in _said(concept))))


def _besides(concept: Element) -> list[str]:
    """What a concept says beyond our closed words: its text and displays, or else the codes themselves."""
    codes = (code for code in _bare_codes(concept) if code.lower() not in _SCANNER.keys() | _LATEX.keys())
    return _in_words(concept) or list(codes)


def _in_words(concept: Element) -> list[str]:
    """The texts of a concept that do not merely name one of our words. One concept may say several things."""
    return [each for each in _said(concept) if not (_scanner_called(each) or _plain(each) in _LATEX_WORDS)]


def _bare_codes(concept: Element) -> Iterator[str]:
    return (coding.code for coding in codes_of(concept) if coding.code and not coding.display)


def _said(concept: Element) -> tuple[str, ...]:
    displays = (coding.display for coding in codes_of(concept))
    return tuple(filter(None, (elements.text(concept, "text"), *displays)))


def _scanner_called(name: str) -> Scanner | None:
    return _SCANNER_WORDS.get(_plain(name))


def _plain(name: str) -> str:
    return " ".join(_WORD.findall(name.casefold()))


def _udi(resource: Element) -> tuple[str, str]:
    """The UDI in the form that people read, and the part of it that identifies the kind of device."""
    carriers = tuple(elements.children(resource, "udiCarrier"))
    identifiers = (elements.text(carrier, "deviceIdentifier") for carrier in carriers)
    written = (elements.text(resource, "udi"), *(elements.text(carrier, "carrierHRF") for carrier in carriers))
    identifier = next(filter(None, identifiers), "")
    return next(filter(None, written), "") or identifier, identifier


def _groups(udi: str) -> list[tuple[str, str]]:
    """The parts of a UDI, each with its number; none if they do not make up all of it. A serial number may contain
    parentheses itself, and cut short it would be another device's."""
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
    """The date of the element, else of the six digits in the UDI: year, month and day, or 00 for no day."""
    sent = moments.read(resource, *names, means=means)
    found = _DATE.fullmatch(written)
    if sent or found is None:
        return sent
    month = f"20{found[1]}-{found[2]}"
    return moments.of_text(month if found[3] == "00" else f"{month}-{found[3]}", means=means)
