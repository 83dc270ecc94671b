"""Scopes and patients in the words of the consent page."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.sandbox.models import Resource
from apps.sandbox.sign_in.shared_types import SHARED_TYPES
from apps.sandbox.smart import scopes
from apps.sandbox.smart.addresses import Place

_TYPES: dict[str, Promise] = {
    **SHARED_TYPES["dstu2"],
    **SHARED_TYPES["r4"],
    "Binary": _("Files behind documents"),
    "Endpoint": _("Addresses of other services"),
    "Location": _("Places"),
    "Medication": _("What medicines are made of"),
    "Organization": _("Practices and laboratories"),
    "Patient": _("Name, birth date and contact details"),
    "Practitioner": _("The people who treat you"),
    "PractitionerRole": _("What they do, and where"),
    "Provenance": _("Who wrote what, and when"),
    "Questionnaire": _("Questionnaires"),
}
_OTHERS: dict[str, Promise] = {
    "openid": _("Proof that it is you who signed in"),
    "fhirUser": _("Which person in our records you are"),
    "profile": _("Which person in our records you are"),
    "online_access": _("To go on reading while you stay signed in here"),
    "offline_access": _("To go on reading when you are not here, until you take it back"),
}


def ticks(asked: Sequence[str]) -> list[tuple[str, Promise | str]]:
    """Every scope that a person can leave out, in words. A launch context cannot be left out: access would be
    useless."""
    return [(text, _words(text)) for text in asked if text not in scopes.CONTEXT]


def names(place: Place, patient_ids: Sequence[str]) -> list[tuple[str, str]]:
    """These patients by the names in their records, in the given order; by id if a record has none."""
    rows = Resource.objects.filter(
        tenant=place.tenant, version=place.version, resource_type="Patient", logical_id__in=patient_ids
    )
    known = {row.logical_id: _name(json.loads(bytes(row.body)).get("name") or [{}]) for row in rows}
    return [(patient_id, known.get(patient_id) or patient_id) for patient_id in patient_ids]


def _words(text: str) -> Promise | str:
    scope = scopes.resource_scope(text)
    return _OTHERS.get(text, text) if scope is None else _TYPES.get(scope.resource_type, scope.resource_type)


def _name(given: list[dict[str, Any]]) -> str:
    """A name of a Patient; its parts are lists in DSTU2, and only some in R4."""
    parts = (given[0].get("given"), given[0].get("family"))
    return " ".join(word for part in parts for word in _listed(part))


def _listed(part: object) -> Iterable[str]:
    return [str(word) for word in part] if isinstance(part, list) else [str(part)] if part else []
