"""The patient's own doctors: their names and, if the record holds them, how to reach them.

`generalPractitioner` in R4 is `careProvider` in DSTU2 (interface facts 1.6). It refers to a doctor, a doctor's role or
a practice, often by a bare reference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from apps.records.exporting.ips import gathering, persons, r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.stored import Source
from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element

_NAMED_BY: Final = ("generalPractitioner", "careProvider")
_MOST: Final = 20  # more would be a mistake


@dataclass(frozen=True, repr=False)
class Doctor:
    """A doctor or a practice with this name. `resource` is empty if the record does not hold it; `about` and the name
    distinguish it from others of the same source."""

    source: Source
    name: str
    resource: Part
    about: str


def of(found: Sequence[gathering.Patient], *, at: datetime) -> tuple[Doctor, ...]:
    """Those whom any of the Patients refers to, each name once: if two entries say how to reach somebody, the first is
    used."""
    named: dict[str, Doctor] = {}
    for doctor in (doctor for each in found for doctor in _of(each, at)):
        key = doctor.name.casefold()
        if key not in named or (doctor.resource and not named[key].resource):
            named[key] = doctor
    return tuple(islice(named.values(), _MOST))


def _of(patient: gathering.Patient, at: datetime) -> Iterator[Doctor]:
    sent = patient.resource
    for reference in (each for name in _NAMED_BY for each in elements.children(sent, name)):
        held = patient.context.find(reference, within=sent)
        resource = _resource(held, patient, at)
        name = naming.name_of(reference, patient.context, within=sent)
        if name:
            yield Doctor(patient.source, name, resource, elements.text(reference, "reference"))


def _resource(held: Element, patient: gathering.Patient, at: datetime) -> Part:
    """The doctor as a resource of R4: for a role, the doctor who has it, with the role's contacts first."""
    kind = elements.text(held, "resourceType")
    if kind == "Organization":
        name = elements.text(held, "name")
        known = {"resourceType": kind, "name": name, "telecom": persons.contacts(held, at=at)}
        return r4_elements.without_empty(known) if name else {}
    if kind not in {"Practitioner", "PractitionerRole"}:
        return {}
    reference = elements.child(held, "practitioner")
    doctor = patient.context.find(reference, within=held) if kind == "PractitionerRole" else held
    names = persons.names(doctor)
    telecom = persons.contacts(held, at=at) or persons.contacts(doctor, at=at)
    return (
        r4_elements.without_empty({"resourceType": "Practitioner", "name": names, "telecom": telecom}) if names else {}
    )
