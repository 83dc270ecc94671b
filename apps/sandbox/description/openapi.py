"""The data routes of one FHIR version as an OpenAPI 3.1 document, made from `fhir.offered`."""

from typing import Any

from apps.sandbox.fhir.media_types import JSON_TYPES, STANDARD
from apps.sandbox.fhir.offered import OFFERED, Offered, Parameter

Element = dict[str, Any]
TITLES = {"dstu2": "Patient access API, FHIR DSTU2 (1.0.2)", "r4": "Patient access API, FHIR R4 (4.0.1)"}
_PAGING = (
    ("_count", "integer", "rows of a page, at most"),
    ("page", "string", "taken from the next link, as it stands; opaque"),
)


def document(version: str, origin: str) -> Element:
    """The whole document; `origin` is the sandbox's scheme, host and port."""
    base, authorization = f"{origin}/a/{version}/fhir/{version}", f"{origin}/a/{version}/auth"
    flow = {
        "authorizationUrl": f"{authorization}/authorize",
        "tokenUrl": f"{authorization}/token",
        "refreshUrl": f"{authorization}/token",
        "scopes": {},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLES[version], "version": "1", "description": _told(version)},
        "servers": [{"url": base}],
        "security": [{"patient": []}],
        "paths": paths(version),
        "components": {
            "securitySchemes": {"patient": {"type": "oauth2", "flows": {"authorizationCode": flow}}},
            "responses": {
                "Refused": {"description": "An OperationOutcome that says why", "content": _content(version)},
                "Unauthorized": {"description": "No token, or one that opens nothing; see WWW-Authenticate"},
            },
        },
    }


def paths(version: str) -> Element:
    """Every route of the data base, in the order of the table."""
    described: Element = {"/metadata": {"get": _operation(version, "What is served here", [], open_to_all=True)}}
    for one in OFFERED[version].values():
        if one.is_searched:
            described[f"/{one.resource_type}"] = {"get": _search(version, one)}
        identified = [
            {
                "name": "id",
                "in": "path",
                "required": True,
                "description": "logical id",
                "schema": {"type": "string", "maxLength": 64},
            }
        ]
        described[f"/{one.resource_type}/{{id}}"] = {
            "get": _operation(version, f"Read one {one.resource_type}", identified)
        }
    named = [
        {
            "name": "name",
            "in": "path",
            "required": True,
            "description": "as the attachment has it",
            "schema": {"type": "string"},
        }
    ]
    described["/document/{name}"] = {"get": _operation(version, "The file of a document", named)}
    return described


def _search(version: str, one: Offered) -> Element:
    parameters = [_parameter(parameter, one) for parameter in one.parameters]
    parameters += [
        {"name": name, "in": "query", "description": told, "schema": {"type": kind}} for name, kind, told in _PAGING
    ]
    if one.has_provenance:
        parameters.append(_included("_revinclude", "Provenance:target"))
    if one.includes:
        parameters.append(_included("_include", one.includes))
    summary = "The token's patient" if one.resource_type == "Patient" else f"Search {one.resource_type}"
    return _operation(version, summary, parameters)


def _included(name: str, value: str) -> Element:
    schema = {"type": "string", "enum": [value]}
    return {"name": name, "in": "query", "description": f"{value} brings those along", "schema": schema}


def _parameter(parameter: Parameter, one: Offered) -> Element:
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.name == "patient" and one.has_patient,
        "description": f"{parameter.kind}: {parameter.explains}",
        "schema": {"type": "string"},
    }


def _operation(version: str, summary: str, parameters: list[Element], *, open_to_all: bool = False) -> Element:
    operation: Element = {
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "As asked", "content": _content(version)},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "default": {"$ref": "#/components/responses/Refused"},
        },
    }
    if open_to_all:
        operation["security"] = []
        del operation["responses"]["401"]
    return operation


def _content(version: str) -> Element:
    return {name: {} for name in sorted(JSON_TYPES, key=lambda name: name != STANDARD[version])}


def _told(version: str) -> str:
    return f"Send a bearer token and Accept: application/json. Every route needs a token except /metadata ({version})."
