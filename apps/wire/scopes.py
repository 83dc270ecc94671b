"""Scopes: their grammar, which ones to request, and what was granted (specification 5.2; interface facts 3.8).

There are two notations: `patient/Goal.read` in SMART 1 is `patient/Goal.rs` in SMART 2. Both may have an old prefix.
Scopes are therefore compared by what they permit: a context, a resource type, and each right by itself.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from apps.wire.bundles import RESOURCE_TYPE
from apps.wire.errors import Code, RequestRefused
from apps.wire.resource_types import RESOURCE_TYPES

RefreshScope = Literal["online_access", "offline_access"]

EVERY_TYPE = "*"
_PREFIX = "http://smarthealthit.org/fhir/scopes/"
# RFC 6749 section 3.3: printable ASCII without the quotation mark and the backslash.
_TOKEN = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,1000}")
_CLINICAL = re.compile(
    r"(?P<context>patient|user|system)/(?P<type>\*|[A-Z][A-Za-z]{0,63})"
    r"\.(?P<rights>read|write|\*|(?=[cruds])c?r?u?d?s?)(?:\?(?P<filter>[^?\s]+))?"
)
_RIGHTS = {"read": "rs", "write": "cud", "*": "cruds"}  # SMART App Launch 2.2, "Scopes for requesting FHIR Resources"
_READING = frozenset("rs")

# Interface facts 3.8 [CEL]: there is no patient/ for what is not the patient's own (FHIR R4, the Patient compartment).
_ASKED_AS_USER = frozenset(
    {"Endpoint", "Location", "Medication", "Organization", "Practitioner", "PractitionerRole", "Questionnaire"}
)
_NEVER_SEARCHED = frozenset({"Binary"})  # interface facts 3.8 [CEL]: patient/Binary.r only


class SmartVersion(StrEnum):
    """The notation of a registration's scopes. Servers cope badly with a mixture (interface facts 3.8 [ORD])."""

    V1 = "v1"
    V2 = "v2"


class LaunchKind(StrEnum):
    """How the app was launched: the scope that says so."""

    STANDALONE = "launch/patient"
    EHR = "launch"


class Context(StrEnum):
    """Whose permission limits the scope."""

    PATIENT = "patient"
    USER = "user"
    SYSTEM = "system"


@dataclass(frozen=True)
class Scope:
    """A permission on one resource type, or on EVERY_TYPE. `rights` are letters of "cruds"; `filter` is the search
    part that SMART 2 allows behind a question mark, or empty."""

    context: Context
    resource_type: str
    rights: frozenset[str]
    filter: str = ""

    def __str__(self) -> str:
        """In the notation of SMART 2."""
        rights = "".join(right for right in "cruds" if right in self.rights)
        return f"{self.context.value}/{self.resource_type}.{rights}" + (f"?{self.filter}" if self.filter else "")


def parse(text: str) -> Scope | None:
    """One scope on a resource type, in either notation; None for anything else, such as `openid`."""
    found = _CLINICAL.fullmatch(text.removeprefix(_PREFIX))
    if found is None or not _TOKEN.fullmatch(text):
        return None
    rights, search = found["rights"], found["filter"] or ""
    if search and rights in _RIGHTS:
        return None  # only SMART 2 narrows a scope
    return Scope(Context(found["context"]), found["type"], frozenset(_RIGHTS.get(rights, rights)), search)


def joined(scopes: Sequence[str] | str) -> str:
    """The scope parameter: names with single spaces between them, in their own case and order, each once.

    A `str` is what somebody typed, with any white space between names.

    Raises RequestRefused (INVALID_SCOPE) for a name that does not follow the grammar, and if there are both `system/`
    scopes and others (specification 5.2 rules 2 and 3).
    """
    names = tuple(dict.fromkeys(scopes.split() if isinstance(scopes, str) else scopes))
    for name in names:
        is_clinical = name.startswith(("patient/", "user/", "system/", _PREFIX))
        if not _TOKEN.fullmatch(name) or (is_clinical and parse(name) is None):
            raise RequestRefused(code=Code.INVALID_SCOPE)
    if 0 < sum(map(is_system, names)) < len(names):
        raise RequestRefused(code=Code.INVALID_SCOPE)
    return " ".join(names)


def is_system(name: str) -> bool:
    """Whether the scope is for a client that acts for no person, which only client_credentials can request."""
    return name.removeprefix(_PREFIX).startswith("system/")


def request(
    *,
    version: SmartVersion,
    resource_types: Iterable[str],
    launch: LaunchKind | None,
    refresh: RefreshScope | None,
    identity: bool,
    supported: Iterable[str] = (),
) -> tuple[str, ...]:
    """The smallest scopes for reading these types.

    `supported` are the scopes that the server lists. If it lists a type, no other right is requested for that type; if
    it does not, the list is taken to be incomplete. What belongs to the patient is never requested with `user/`.

    Raises RequestRefused (INVALID_SCOPE) for something that is not a type.
    """
    offered = _reading_rights(supported)
    names: list[str] = [launch.value] if launch else []
    if identity:
        names += ["openid", "fhirUser"]
    if refresh:
        names.append(refresh)
    names += [_reading(version, resource_type, offered) for resource_type in resource_types]
    return tuple(joined(names).split(" ")) if names else ()


def readable_types(granted: Iterable[str]) -> frozenset[str] | None:
    """The resource types that a grant lets us read or search. `*` means all types that we know.

    None if the grant has no scope on any resource type, although some were requested.
    """
    scopes = [scope for scope in map(parse, granted) if scope is not None]
    if not scopes:
        return None
    readable = {
        scope.resource_type for scope in scopes if scope.rights & _READING and scope.context is not Context.SYSTEM
    }
    if EVERY_TYPE in readable:
        readable |= {name for types in RESOURCE_TYPES.values() for name in types}
    return frozenset(readable - {EVERY_TYPE})


def missing(requested: Iterable[str], granted: Iterable[str] | None) -> tuple[str, ...]:
    """The requested scopes that were not granted, or not completely. If the server did not say what it granted, it
    granted all of them (RFC 6749 section 5.1).

    Scopes are compared by what they permit: `.read` is the same as `.rs`, and `*` includes each type.
    """
    return () if granted is None else _uncovered(tuple(dict.fromkeys(requested)), by=tuple(granted))


def _reading_rights(supported: Iterable[str]) -> Mapping[tuple[Context, str], frozenset[str]]:
    """The rights to read that a server lists, by context and type."""
    rights: dict[tuple[Context, str], frozenset[str]] = {}
    for scope in map(parse, supported):
        if scope is not None and scope.rights & _READING:
            key = (scope.context, scope.resource_type)
            rights[key] = rights.get(key, frozenset()) | (scope.rights & _READING)
    return rights


def _reading(version: SmartVersion, resource_type: str, offered: Mapping[tuple[Context, str], frozenset[str]]) -> str:
    if not RESOURCE_TYPE.fullmatch(resource_type):  # no wildcard either: some servers refuse it (facts 3.8 [CER])
        raise RequestRefused(code=Code.INVALID_SCOPE)
    usual = Context.USER if resource_type in _ASKED_AS_USER else Context.PATIENT
    contexts = (usual, Context.PATIENT)
    context = next((each for each in contexts if (each, resource_type) in offered), usual)
    in_v2 = offered.get((context, resource_type), frozenset("r" if resource_type in _NEVER_SEARCHED else "rs"))
    right = "read" if version is SmartVersion.V1 else "".join(right for right in "rs" if right in in_v2)
    return f"{context.value}/{resource_type}.{right}"


_Unit = tuple[Context, str, str, str]


def _uncovered(names: Sequence[str], *, by: Sequence[str]) -> tuple[str, ...]:
    """The scopes that `by` does not permit, or only in part."""
    permitted = {unit for scope in map(parse, by) if scope for unit in _units(scope)}
    spoken = {name.removeprefix(_PREFIX) for name in by}
    left = []
    for name in names:
        scope = parse(name)
        if scope is None:
            is_covered = name.removeprefix(_PREFIX) in spoken
        else:
            is_covered = all(_wider(unit) & permitted for unit in _units(scope))
        if not is_covered:
            left.append(name)
    return tuple(left)


def _units(scope: Scope) -> set[_Unit]:
    return {(scope.context, scope.resource_type, right, scope.filter) for right in scope.rights}


def _wider(unit: _Unit) -> set[_Unit]:
    """The unit itself and those that include it."""
    context, resource_type, right, search = unit
    return {(context, named, right, narrowed) for named in (resource_type, EVERY_TYPE) for narrowed in (search, "")}
