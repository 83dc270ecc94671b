"""The one Patient of the document, from the Patients of every chosen source."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial

from django.utils.translation import gettext as _

from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import clinical, gathering, writing
from apps.records.exporting.ips.writing import Part
from apps.records.presenters import elements, moments
from apps.records.presenters.elements import Element
from apps.wire import datetimes

_USES = frozenset({"usual", "official", "temp", "nickname", "anonymous", "old", "maiden"})
_GENDERS = frozenset({"male", "female", "other", "unknown"})
_SYSTEMS = ("phone", "fax", "email", "pager", "url", "sms", "other")
_CONTACT_USES = ("home", "work", "temp", "mobile")
_ADDRESS_USES = ("home", "work", "temp", "billing")
_ADDRESS_TYPES = ("postal", "physical", "both")
_ADDRESS_PARTS = ("text", "city", "district", "state", "postalCode", "country")


def patient(choices: Sequence[Choice], found: Sequence[gathering.Patient], *, at: datetime) -> Part:
    """Name, birth date, gender, address and so on, each of the first that says it, with the identifier each provider
    knows them by."""

    def of_first(said: Callable[[Element], list[Part]]) -> list[Part]:
        return next(filter(None, (said(each.resource) for each in found)), [])

    confirmed = next((choice.person for choice in choices if choice.person is not None), None)
    fallback = confirmed.name if confirmed is not None and confirmed.name else _("Name not given")
    born = _first(writing.day(elements.text(each.resource, "birthDate")) for each in found)
    born = born or (writing.day(confirmed.birth_date) if confirmed is not None else "")
    gender = _first(clinical.known_code(each.resource, "gender", _GENDERS) for each in found)
    return writing.without_empty(
        {
            "resourceType": "Patient",
            "identifier": [_identifier(choice) for choice in choices if choice.source.patient_id],
            "name": of_first(_names) or [{"text": fallback}],
            "telecom": of_first(partial(_contacts, at=at)),
            "gender": gender,
            **({"birthDate": born} if born else {"_birthDate": writing.absent()}),
            **next(filter(None, (_death(each.resource) for each in found)), {}),
            "address": of_first(partial(_addresses, at=at)),
            "generalPractitioner": of_first(_doctors),
        }
    )


def _identifier(choice: Choice) -> Part:
    source = choice.source
    return {"system": f"{source.base_url.rstrip('/')}/Patient", "value": source.patient_id}


def _names(resource: Element) -> list[Part]:
    """Those that name somebody: a title alone does not (ips-pat-1)."""
    found = map(_name, elements.children(resource, "name"))
    return [name for name in found if {"text", "family", "given"} & name.keys()]


def _name(sent: Element) -> Part:
    use = elements.text(sent, "use")
    return writing.without_empty(
        {
            "use": use if use in _USES else "",
            "text": elements.text(sent, "text"),
            "family": " ".join(elements.texts(sent, "family")),
            "given": list(elements.texts(sent, "given")),
            "prefix": list(elements.texts(sent, "prefix")),
            "suffix": list(elements.texts(sent, "suffix")),
        }
    )


def _contacts(resource: Element, *, at: datetime) -> list[Part]:
    """How to reach them now (cpt-2: what it is, is said)."""
    found = ((each, elements.text(each, "value")) for each in _of_now(resource, "telecom", at))
    return [
        writing.without_empty(
            {
                "system": clinical.known_code(each, "system", _SYSTEMS) or "other",
                "value": value,
                "use": clinical.known_code(each, "use", _CONTACT_USES),
            }
        )
        for each, value in found
        if value
    ]


def _addresses(resource: Element, *, at: datetime) -> list[Part]:
    """Where they live now."""
    found = []
    for each in _of_now(resource, "address", at):
        parts = {"line": list(elements.texts(each, "line"))}
        said = writing.without_empty(parts | {name: elements.text(each, name) for name in _ADDRESS_PARTS})
        kinds = {
            "use": clinical.known_code(each, "use", _ADDRESS_USES),
            "type": clinical.known_code(each, "type", _ADDRESS_TYPES),
        }
        found.append({**writing.without_empty(kinds), **said} if said else {})
    return [each for each in found if each]


def _of_now(resource: Element, name: str, at: datetime) -> Iterable[Element]:
    """What is marked as old, or has ended, may be somebody else's by now."""
    found = elements.children(resource, name)
    return (each for each in found if elements.text(each, "use") != "old" and not _has_ended(each, at))


def _has_ended(sent: Element, at: datetime) -> bool:
    """Some servers write an end far ahead where there is none. One that is no date is taken for past."""
    end = elements.text(elements.child(sent, "period"), "end")
    parsed = datetimes.parse(end)
    return bool(end) and (parsed is None or parsed.first_day <= at.date())


def _doctors(resource: Element) -> list[Part]:
    """`careProvider` in DSTU2 (interface facts 1.6)."""
    found = (each for name in ("generalPractitioner", "careProvider") for each in elements.children(resource, name))
    return [{"display": said} for each in found if (said := elements.text(each, "display"))]


def _death(resource: Element) -> Part:
    """That the person died, which R4 calls a modifier: without it, somebody lives."""
    died = moments.read(resource, "deceased", means="")
    if died.starts:
        return {"deceasedDateTime": writing.date(died.starts)}
    return {"deceasedBoolean": True} if died or elements.flag(resource, "deceasedBoolean") is True else {}


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
