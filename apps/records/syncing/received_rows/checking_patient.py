"""Whose a row is: a provider's mistake must not put one person's data into another's record.

A resource that names no patient is taken to be about the one we asked for; one that names somebody else is not kept.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

import msgspec

from apps.records.presenters import naming
from apps.wire import large_answers
from apps.wire.fhir import Resource


class _About(msgspec.Struct):
    """The elements that name the patient: `patient` in DSTU2 and some R4 types, `subject` in others (facts 1.6; an
    Account has several), `beneficiary` of a Coverage, `individual` of a ResearchSubject, and `for` of a Task."""

    patient: Any = None
    subject: Any = None
    beneficiary: Any = None
    individual: Any = None
    for_: Any = msgspec.field(default=None, name="for")


_DECODER = msgspec.json.Decoder(_About)


def divided(resources: Iterable[Resource], *, patient_id: str) -> tuple[list[Resource], list[Resource]]:
    """Divide rows into those about somebody else and the rest."""
    theirs: list[Resource] = []
    ours: list[Resource] = []
    for resource in resources:
        (theirs if names_another_patient(resource, patient_id=patient_id) else ours).append(resource)
    return theirs, ours


def names_another_patient(resource: Resource, *, patient_id: str) -> bool:
    """Whether a resource is about somebody other than the patient we asked for. Never raises."""
    if resource.resource_type == "Patient":
        return resource.logical_id != patient_id
    with large_answers.one_at_a_time(len(resource.body)):
        return _names_another(_about(resource.body), patient_id)


def _names_another(about: _About, patient_id: str) -> bool:
    references = (
        reference
        for element in (about.patient, about.subject, about.beneficiary, about.individual, about.for_)
        for reference in _references(element)
    )
    return any(unquote(named) not in {"", patient_id} for named in map(naming.patient_in, references))


def _about(body: bytes) -> _About:
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:  # this faster decoder is stricter: it refuses some texts that `json` reads, such as lone surrogates
        content = json.loads(body)
    except (ValueError, RecursionError):  # unreadable: it names nobody, and pages show it as unreadable
        return _About()
    if not isinstance(content, dict):
        return _About()
    return _About(*map(content.get, ("patient", "subject", "beneficiary", "individual", "for")))


def _references(element: object) -> Iterator[str]:
    for part in element if isinstance(element, list) else (element,):
        reference = part.get("reference") if isinstance(part, dict) else part  # some servers send the bare text
        if isinstance(reference, str):
            yield reference
