"""The one Patient of the document, made from the Patients of every chosen source."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial

from django.utils.translation import gettext as _

from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import clinical, gathering, persons, r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.presenters import codeable_concepts, elements, naming
from apps.records.presenters.datatypes import moments
from apps.records.presenters.elements import Element

_GENDERS = frozenset({"male", "female", "other", "unknown"})
_NOBODY_ELSES = frozenset({"telecom", "address", "contact"})


def patient(choices: Sequence[Choice], found: Sequence[gathering.Patient], *, at: datetime) -> Part:
    """Name, birth date, gender, address and so on, each from the first Patient that has it, with every provider's
    identifier for the person."""

    def of_first(said: Callable[[Element], list[Part]]) -> list[Part]:
        return next(filter(None, (said(each.resource) for each in found)), [])

    confirmed = next((choice.person for choice in choices if choice.person is not None), None)
    fallback = confirmed.name if confirmed is not None and confirmed.name else _("Name not given")
    born = _first(r4_elements.day(elements.text(each.resource, "birthDate")) for each in found)
    born = born or (r4_elements.day(confirmed.birth_date) if confirmed is not None else "")
    gender = _first(clinical.known_code(each.resource, "gender", _GENDERS) for each in found)
    return r4_elements.without_empty(
        {
            "resourceType": "Patient",
            "identifier": [_identifier(choice) for choice in choices if choice.source.patient_id],
            "name": of_first(persons.names) or [{"text": fallback}],
            "telecom": of_first(partial(persons.contacts, at=at)),
            "gender": gender,
            **({"birthDate": born} if born else {"_birthDate": r4_elements.absent()}),
            **next(filter(None, (_death(each.resource) for each in found)), {}),
            "address": of_first(partial(persons.addresses, at=at)),
            "contact": of_first(partial(persons.others, at=at)),
            "communication": of_first(_languages),
        }
    )


def for_others(patient: Part, heard: Sequence[Choice]) -> Part:
    """What identifies the person, and nothing else: neither how to reach them or a contact person, nor former names,
    nor identifiers of providers that contribute nothing here."""
    named = [name for name in patient["name"] if name.get("use") not in naming.PAST] or patient["name"]
    known_as = [_identifier(choice) for choice in heard if choice.source.patient_id]
    kept = {name: said for name, said in patient.items() if name not in _NOBODY_ELSES}
    return r4_elements.without_empty({**kept, "name": named, "identifier": known_as})


def _identifier(choice: Choice) -> Part:
    source = choice.source
    return {"system": f"{source.base_url.rstrip('/')}/Patient", "value": source.patient_id}


def _languages(resource: Element) -> list[Part]:
    """The languages they speak, with codes and words, and which of them they prefer."""
    sent = ((each, elements.child(each, "language")) for each in elements.children(resource, "communication"))
    spoken = ((each, elements.words(language), codeable_concepts.codes_of(language)) for each, language in sent)
    preferred = {"preferred": True}
    return [
        {
            "language": r4_elements.concept(said, codes),
            **(preferred if elements.flag(each, "preferred") is True else {}),
        }
        for each, said, codes in spoken
        if said
    ]


def _death(resource: Element) -> Part:
    """That the person died, which R4 calls a modifier: without it, a person counts as living."""
    died = moments.read(resource, "deceased", means="")
    if died.starts:
        return {"deceasedDateTime": r4_elements.date(died.starts)}
    return {"deceasedBoolean": True} if died or elements.flag(resource, "deceasedBoolean") is True else {}


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
