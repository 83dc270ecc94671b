"""The server's metadata: Conformance in DSTU2, CapabilityStatement in R4, both made from `offered`."""

from typing import Any

from apps.sandbox.fhir.media_types import STANDARD
from apps.sandbox.fhir.offered import OFFERED, Offered

Element = dict[str, Any]
_SERVICES = {
    "dstu2": "http://hl7.org/fhir/restful-security-service",
    "r4": "http://terminology.hl7.org/CodeSystem/restful-security-service",
}
_PUBLISHED = "2026-11-01"
_FOR_SYSTEMS = "System access: system/{}.read"
_SOFTWARE = {"name": "Sandbox of an invented practice", "version": "1"}


def statement(version: str, base: str, title: str, security: Element, *, tells_of_systems: bool = False) -> Element:
    """The statement for one version and data base URL; `security` is its rest.security element.

    `tells_of_systems`: the documentation of each interaction says whether systems may use it (specification 5.2.5).
    """
    resources = [_resource(version, one, for_systems=tells_of_systems) for one in OFFERED[version].values()]
    rest = {"mode": "server", "security": security, "resource": resources}
    head = _dstu2() if version == "dstu2" else _r4()
    return {**head, "implementation": {"description": title, "url": base}, "rest": [rest]}


def security(version: str, service: str, *, cors: bool = False) -> Element:
    """The rest.security element with one code of the version's restful-security-service."""
    return {"cors": cors, "service": [{"coding": [{"system": _SERVICES[version], "code": service}]}]}


def _dstu2() -> Element:
    """Conformance 1.0.2."""
    return {
        "resourceType": "Conformance",
        "status": "active",
        "date": _PUBLISHED,
        "kind": "instance",
        "software": _SOFTWARE,
        "fhirVersion": "1.0.2",
        "acceptUnknown": "no",
        "format": ["json", STANDARD["dstu2"]],
    }


def _r4() -> Element:
    """CapabilityStatement 4.0.1."""
    return {
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": _PUBLISHED,
        "kind": "instance",
        "software": _SOFTWARE,
        "fhirVersion": "4.0.1",
        "format": [STANDARD["r4"]],
    }


def _resource(version: str, one: Offered, *, for_systems: bool) -> Element:
    address = f"http://hl7.org/fhir/StructureDefinition/{one.resource_type}"
    told = {"documentation": _FOR_SYSTEMS.format(one.resource_type)} if for_systems and one.is_for_systems else {}
    described: Element = {
        "type": one.resource_type,
        "profile": {"reference": address} if version == "dstu2" else address,
        "interaction": [{"code": code, **told} for code in one.interactions],
    }
    if one.includes:
        described["searchInclude"] = [one.includes]
    if one.has_provenance:
        described["searchRevInclude"] = ["Provenance:target"]
    parameters = [
        {"name": parameter.name, "type": parameter.kind, "documentation": parameter.explains}
        for parameter in one.parameters
    ]
    return {**described, "searchParam": parameters} if parameters else described
