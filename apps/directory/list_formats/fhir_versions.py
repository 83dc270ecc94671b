"""The FHIR version of an endpoint in a list: as stated, never guessed.

It is stated by the extension endpoint-fhir-version of user-access brands (SMART App Launch 2.2), by the parameter
fhirVersion of a media type (FHIR R4, "RESTful API", version parameter), or by a path segment that names a version; and
if none of these does, by staff.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.directory.list_formats.rows import RowRefused
from apps.wire.dialects import FhirVersion

_EXTENSION = "http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version"
_MEDIA_TYPE = re.compile(r"fhirversion=\"?([0-9]+\.[0-9]+)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+\.[0-9]+")
_PARTS = re.compile(r"/(?:fhir[-_]?)?(dstu2|dstu3|stu3|r2|r3|r4b|r4|r5)(?=/|$)", re.IGNORECASE)
_OURS = {
    "1.0": FhirVersion.DSTU2,
    "dstu2": FhirVersion.DSTU2,
    "r2": FhirVersion.DSTU2,
    "4.0": FhirVersion.R4,
    "r4": FhirVersion.R4,
}
_LONGEST = 200  # the length of a statement
_MOST = 20


def stated(address: str, *, resource: Mapping[str, Any], otherwise: FhirVersion | None) -> str:
    """The version that is stated. Raises RowRefused if none is, if several are, or if we do not support it."""
    written = {*_of_the_resource(resource), *(part.lower() for part in _PARTS.findall(address))}
    if not written and otherwise is None:
        raise RowRefused("nobody states its FHIR version: where all such rows have one, name it with --fhir-version")
    found = {_OURS.get(version) for version in written} or {otherwise}
    if len(found) > 1:
        raise RowRefused("it states several FHIR versions")
    version = found.pop()
    if version is None:
        raise RowRefused("its FHIR version is neither DSTU2 nor R4")
    return version.value


def _of_the_resource(resource: Mapping[str, Any]) -> Iterator[str]:
    for extension in _some(resource.get("extension")):
        if isinstance(extension, dict) and extension.get("url") == _EXTENSION:
            number = _NUMBER.match(_statement(extension.get("valueCode") or extension.get("valueString")))
            if number:
                yield number[0]
    for media_type in _some(resource.get("payloadMimeType")):
        parameter = _MEDIA_TYPE.search(_statement(media_type))
        if parameter:
            yield parameter[1]


def _some(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else [value]


def _statement(value: Any) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""
