"""Scopes of interface B: the grammar, and what of a request this server can grant (specification 5.2.2, 5.2.3).

    patient/Observation.read      v1: read or write
    patient/Observation.rs        v2: letters of "cruds", in that order, perhaps narrowed by ?parameter=value
    http://smarthealthit.org/fhir/scopes/patient/Observation.read      the same as the first

Scopes are case-sensitive, and `*` stands for nothing here. Granted is what was asked, in the form it was asked, less
what this server does not do: writing, types it does not serve, patient/ where a type belongs to no patient.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.models import Persona, SmartVersion

CONTEXT = ("launch", "launch/patient", "launch/encounter")
REFRESH = ("online_access", "offline_access")
IDENTITY = ("openid", "fhirUser", "profile")
MOST_CHARACTERS = 6_000  # the token carries them, and has to fit into a header (interface facts 3.8)

_PREFIX = "http://smarthealthit.org/fhir/scopes/"
_NAMED = r"(?P<context>patient|user|system)/(?P<type>[A-Z][A-Za-z]*)\."
_FORMS = {
    SmartVersion.V1: re.compile(_NAMED + r"(?P<rights>read|write)", re.ASCII),
    SmartVersion.V2: re.compile(_NAMED + r"(?P<rights>(?=.)c?r?u?d?s?)(?P<narrowed>\?[^\s?]+=[^\s?]+)?", re.ASCII),
}
_V1_RIGHTS = {"read": "rs", "write": "cud"}


class Malformed(Exception):
    """A scope outside the grammar, or in that of another version."""


@dataclass(frozen=True)
class ResourceScope:
    """A scope for one resource type. `rights` are letters of "cruds"; `text` is the scope as written."""

    text: str
    context: str
    resource_type: str
    rights: str
    is_narrowed: bool = False


def resource_scope(text: str, versions: Collection[str] = tuple(SmartVersion)) -> ResourceScope | None:
    """The scope, if it is for a resource type in the grammar of one of these versions; else None."""
    for version in versions:
        found = _FORMS[SmartVersion(version)].fullmatch(text.removeprefix(_PREFIX))
        if found:
            rights = _V1_RIGHTS.get(found["rights"], found["rights"])
            narrowed = bool(found.groupdict().get("narrowed"))
            return ResourceScope(text, found["context"], found["type"], rights, is_narrowed=narrowed)
    return None


def read(given: str, versions: Collection[str]) -> tuple[str, ...]:
    """The scopes of a request, without repetition. Raises Malformed if one is outside the grammar of these versions, if
    one is for system access, which no person can allow, or if there are too many."""
    scopes = tuple(dict.fromkeys(given.split(" ")))
    if len(given) > MOST_CHARACTERS:
        raise Malformed
    for text in scopes:
        if text in (*CONTEXT, *REFRESH, *IDENTITY):
            continue
        scope = resource_scope(text, versions)
        if scope is None or scope.context == "system":
            raise Malformed
    return scopes


def grantable(asked: Sequence[str], *, version: str, persona: str, registered: Collection[str]) -> tuple[str, ...]:
    """Those of `asked` that a person can be asked to allow, in the same order. `registered` are the scopes that the
    application may request; empty means all."""
    possible = (
        _possible(text, version, persona)
        for text in asked
        if not registered or text.removeprefix(_PREFIX) in registered
    )
    return tuple(dict.fromkeys(text for text in possible if text))


def read_of_system(given: str, versions: Collection[str]) -> tuple[str, ...]:
    """The scopes of a system's request, without repetition: only `system/`, never with others (X56). Raises
    Malformed."""
    asked = tuple(dict.fromkeys(given.split(" ")))
    if len(given) > MOST_CHARACTERS:
        raise Malformed
    for text in asked:
        scope = resource_scope(text, versions)
        if scope is None or scope.context != "system":
            raise Malformed
    return asked


def grantable_to_system(asked: Sequence[str], *, versions: Collection[str]) -> tuple[str, ...]:
    """Those of `asked` that a system gets, in the same order: reading types that are marked for it in one of these FHIR
    versions."""
    possible = (
        _less_writing(scope)
        for scope in filter(None, map(resource_scope, asked))
        if not scope.is_narrowed and any(_is_for_systems(scope.resource_type, version) for version in versions)
    )
    return tuple(dict.fromkeys(text for text in possible if text))


def _is_for_systems(resource_type: str, version: str) -> bool:
    offered = OFFERED[version].get(resource_type)
    return offered is not None and offered.is_for_systems


def opens_anything(scopes: Collection[str]) -> bool:
    """Whether these scopes permit more than a context and a refresh token."""
    return any(text not in (*CONTEXT, *REFRESH) for text in scopes)


def readable(scopes: Collection[str], context: str) -> dict[str, frozenset[str]]:
    """For each resource type, the rights ("r", "s") that granted scopes of one context ("patient", "user", "system")
    give."""
    rights: dict[str, frozenset[str]] = {}
    for scope in filter(None, map(resource_scope, scopes)):
        if scope.context == context:
            rights[scope.resource_type] = rights.get(scope.resource_type, frozenset()) | frozenset(scope.rights)
    return rights


def _possible(text: str, version: str, persona: str) -> str | None:
    """The scope as far as this server can grant it, or None."""
    if text == "launch/encounter" or (text == "launch/patient" and persona != Persona.PATIENT):
        return None  # interface facts 3.3: no such context, and clinicians choose a patient in their own portal
    scope = resource_scope(text)
    if scope is None:
        return text
    offered = OFFERED[version].get(scope.resource_type)
    if offered is None or scope.is_narrowed or (scope.context == "patient" and not offered.has_patient):
        return None
    return _less_writing(scope)


def _less_writing(scope: ResourceScope) -> str | None:
    """The scope without rights to write, which this server does not offer."""
    if set(scope.rights) <= {"r", "s"}:
        return scope.text
    kept = "".join(right for right in scope.rights if right in "rs")
    return f"{scope.text.rpartition('.')[0]}.{kept}" if kept else None
