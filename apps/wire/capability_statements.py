"""Reading what a FHIR server says that it supports: Conformance in DSTU2, CapabilityStatement in R4.

Missing and invalid elements are ignored, because one bad row must not hide what the server offers. Real statements lack
searchParam, and invent types and interactions (interface facts 1.5).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from apps.wire.bundles import RESOURCE_TYPE
from apps.wire.dialects import FhirVersion
from apps.wire.errors import Code, EndpointMisconfigured

_KINDS = {"Conformance": FhirVersion.DSTU2, "CapabilityStatement": FhirVersion.R4}  # interface facts 1.5
_VERSIONS = {"1.0": FhirVersion.DSTU2, "4.0": FhirVersion.R4}  # 1.0.2 and 4.0.1, and their other patch versions


@dataclass(frozen=True)
class OfferedType:
    """What a server supports for one resource type: interaction codes such as search-type, names of search parameters,
    and what a search can include (`searchRevInclude`, such as Provenance:target)."""

    interactions: frozenset[str]
    search_parameters: frozenset[str]
    reverse_includes: frozenset[str] = frozenset()

    def allows(self, interaction: str) -> bool:
        """Whether it is listed, or no interactions are listed for this type at all (interface facts 1.5)."""
        return not self.interactions or interaction in self.interactions


@dataclass(frozen=True)
class CapabilityStatement:
    """What a server says about itself. `software` is for staff: its name and release, or its publisher, or empty.
    `is_odd`: its resource type belongs to another FHIR version than it states."""

    version: FhirVersion
    software: str
    types: Mapping[str, OfferedType]
    is_odd: bool = False


def read_capability_statement(statement: Mapping[str, Any]) -> CapabilityStatement:
    """Read a statement. Raises EndpointMisconfigured if it is none (NO_METADATA), or is of a FHIR version that we do
    not support (UNKNOWN_VERSION)."""
    kind = _text(statement, "resourceType")
    if kind not in _KINDS:
        raise EndpointMisconfigured(code=Code.NO_METADATA, status=200)
    version = _VERSIONS.get(".".join(_text(statement, "fhirVersion").split(".")[:2]))
    if version is None:
        raise EndpointMisconfigured(code=Code.UNKNOWN_VERSION, status=200)
    types: dict[str, OfferedType] = {}
    for server in servers(statement):
        for resource in objects(server, "resource"):
            name = _text(resource, "type")
            if RESOURCE_TYPE.fullmatch(name):
                types[name] = OfferedType(
                    interactions=frozenset(_texts(resource, "interaction", "code")),
                    search_parameters=frozenset(_texts(resource, "searchParam", "name")),
                    reverse_includes=frozenset(_plain_texts(resource, "searchRevInclude")),
                )
    return CapabilityStatement(version, _software(statement), MappingProxyType(types), _KINDS[kind] is not version)


def servers(statement: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The members of `rest` that describe a server; one without a mode is taken for one."""
    return (rest for rest in objects(statement, "rest") if rest.get("mode", "server") == "server")


def _software(statement: Mapping[str, Any]) -> str:
    software = statement.get("software")
    named = (_text(software, "name"), _text(software, "version")) if isinstance(software, dict) else ()
    written = " ".join(part for part in named if part) or _text(statement, "publisher")
    return "".join(character for character in written if character.isprintable())[:200]


def objects(parent: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    members = parent.get(name)
    return (member for member in (members if isinstance(members, list) else ()) if isinstance(member, dict))


def _texts(parent: Mapping[str, Any], name: str, member: str) -> Iterator[str]:
    return (text for text in (_text(child, member) for child in objects(parent, name)) if text)


def _plain_texts(parent: Mapping[str, Any], name: str) -> Iterator[str]:
    members = parent.get(name)
    return (member for member in (members if isinstance(members, list) else ()) if isinstance(member, str))


def _text(parent: Mapping[str, Any], name: str) -> str:
    value = parent.get(name)
    return value if isinstance(value, str) else ""
