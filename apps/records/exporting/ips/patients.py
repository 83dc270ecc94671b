"""The one Patient of the document, from the Patients of every chosen source."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import clinical, gathering, writing
from apps.records.exporting.ips.writing import Part
from apps.records.presenters import elements, moments
from apps.records.presenters.elements import Element

_USES = frozenset({"usual", "official", "temp", "nickname", "anonymous", "old", "maiden"})
_GENDERS = frozenset({"male", "female", "other", "unknown"})


def patient(choices: Sequence[Choice], found: Sequence[gathering.Patient]) -> Part:
    """Name, birth date and gender of the first that says them, with the identifier each provider knows them by."""
    confirmed = next((choice.person for choice in choices if choice.person is not None), None)
    names = next(filter(None, (_names(each.resource) for each in found)), [])
    fallback = confirmed.name if confirmed is not None and confirmed.name else _("Name not given")
    born = _first(writing.day(elements.text(each.resource, "birthDate")) for each in found)
    born = born or (writing.day(confirmed.birth_date) if confirmed is not None else "")
    gender = _first(clinical.known_code(each.resource, "gender", _GENDERS) for each in found)
    return writing.without_empty(
        {
            "resourceType": "Patient",
            "identifier": [_identifier(choice) for choice in choices if choice.source.patient_id],
            "name": names or [{"text": fallback}],
            "gender": gender,
            **({"birthDate": born} if born else {"_birthDate": writing.absent()}),
            **next(filter(None, (_death(each.resource) for each in found)), {}),
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


def _death(resource: Element) -> Part:
    """That the person died, which R4 calls a modifier: without it, somebody lives."""
    died = moments.read(resource, "deceased", means="")
    if died.starts:
        return {"deceasedDateTime": writing.date(died.starts)}
    return {"deceasedBoolean": True} if died or elements.flag(resource, "deceasedBoolean") is True else {}


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
