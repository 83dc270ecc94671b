"""Read a directory file of our own format, "holdfast-directory/1", into rows: nothing is stored here.

    {"format": "holdfast-directory/1", "name": "…",
     "providers": [{"id", "name", "city", "state", "kind", "website", "is_sandbox",
        "endpoints": [{"fhir_base_url", "fhir_version", "interface", "tenant", "dialect",
           "authorization_server": {"authorize_url", "token_url", "revocation_url"}}]}]}

`name` says which directory it is; without it the file's name does. A row that cannot be read is refused with a reason
and never stops the others.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.directory.models import Provider
from apps.wire.dialects import DIALECTS, FhirVersion, Interface

FORMAT = "holdfast-directory/1"


class NotADirectory(Exception):
    """The file is not JSON of the format holdfast-directory/1."""


class RowRefused(Exception):
    """One row cannot be taken. The text says why; it repeats at most the name of a field."""


@dataclass(frozen=True)
class ServerRow:
    """Addresses of an authorization server as the file gives them."""

    authorize_url: str
    token_url: str
    revocation_url: str


@dataclass(frozen=True)
class EndpointRow:
    """One endpoint as the file gives it. Without an authorization server it is listed but cannot be linked."""

    fhir_base_url: str
    fhir_version: FhirVersion
    interface: Interface
    dialect: str
    tenant: str
    server: ServerRow | None


@dataclass(frozen=True)
class ProviderRow:
    """One provider as the file gives it, its endpoints still unread."""

    directory_id: str
    name: str
    city: str
    state: str
    kind: str
    website: str
    is_sandbox: bool
    raw_endpoints: list[Any]


@dataclass(frozen=True)
class DirectoryFile:
    """A file whose outermost shape is right."""

    name: str
    raw_providers: list[Any]


def read(content: bytes, *, name: str) -> DirectoryFile:
    """The file's outermost shape. `name` stands in where it gives none. Raises NotADirectory."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise NotADirectory from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise NotADirectory
    providers, given_name = document.get("providers"), document.get("name")
    if not isinstance(providers, list) or not isinstance(given_name, str | None):
        raise NotADirectory
    return DirectoryFile(_on_one_line(given_name or "")[:120] or name, providers)


def provider_row(raw: Any) -> ProviderRow:
    """One provider. Raises RowRefused."""
    given = _object(raw)
    endpoints = given.get("endpoints", [])
    if not isinstance(endpoints, list):
        raise RowRefused("endpoints is not a list")
    is_sandbox = given.get("is_sandbox", False)
    if not isinstance(is_sandbox, bool):
        raise RowRefused("is_sandbox is neither true nor false")
    return ProviderRow(
        directory_id=_required(given, "id", longest=200),
        name=_required(given, "name", longest=200),
        city=_text(given, "city", longest=100),
        state=_text(given, "state", longest=60),
        kind=_one_of(given, "kind", Provider.Kind, default=Provider.Kind.OTHER.value),
        website=_address(given, "website", longest=500),
        is_sandbox=is_sandbox,
        raw_endpoints=endpoints,
    )


def endpoint_row(raw: Any) -> EndpointRow:
    """One endpoint of a provider. Raises RowRefused."""
    given = _object(raw)
    interface = Interface(_one_of(given, "interface", Interface))
    dialect = _text(given, "dialect", longest=40) or interface.value
    if dialect not in DIALECTS:
        raise RowRefused("dialect is not one we know")
    return EndpointRow(
        fhir_base_url=_required_address(given, "fhir_base_url"),
        fhir_version=FhirVersion(_one_of(given, "fhir_version", FhirVersion)),
        interface=interface,
        dialect=dialect,
        tenant=_text(given, "tenant", longest=64),
        server=_server_row(given.get("authorization_server")),
    )


def _server_row(raw: Any) -> ServerRow | None:
    if raw is None:
        return None
    given = _object(raw)
    return ServerRow(
        authorize_url=_required_address(given, "authorize_url"),
        token_url=_required_address(given, "token_url"),
        revocation_url=_address(given, "revocation_url", longest=1000),
    )


def each(rows: list[Any], parse: Callable[[Any], Any]) -> Iterator[tuple[int, Any | RowRefused]]:
    """Number and parsed row, or number and refusal, counted from one."""
    for number, raw in enumerate(rows, start=1):
        try:
            yield number, parse(raw)
        except RowRefused as refusal:
            yield number, refusal


def _object(raw: Any) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise RowRefused("it is not an object")
    return raw


def _text(given: Mapping[str, Any], field: str, *, longest: int, default: str = "") -> str:
    value = given.get(field)
    if value is None:
        return default
    if not isinstance(value, str):
        raise RowRefused(f"{field} is not text")
    text = _on_one_line(value)
    if len(text) > longest:
        raise RowRefused(f"{field} is longer than {longest} characters")
    return text


def _on_one_line(value: str) -> str:
    """The text without what no database holds and nobody sees: lone surrogates, marks that turn the direction of
    writing, and control characters, which count as a space."""
    invisible = {"Cf": "", "Cs": "", "Cc": " "}
    visible = (invisible.get(unicodedata.category(character), character) for character in value)
    return " ".join("".join(visible).split())


def _address(given: Mapping[str, Any], field: str, *, longest: int) -> str:
    """An address as it is written, and never mended: without a mark that nobody sees it would be another one."""
    address = _text(given, field, longest=longest)
    if address != (given.get(field) or "").strip():
        raise RowRefused(f"{field} has characters that no address has")
    return address


def _required(given: Mapping[str, Any], field: str, *, longest: int) -> str:
    return _present(_text(given, field, longest=longest), field)


def _required_address(given: Mapping[str, Any], field: str) -> str:
    return _present(_address(given, field, longest=1000), field)


def _present(value: str, field: str) -> str:
    if not value:
        raise RowRefused(f"{field} is missing")
    return value


def _one_of(given: Mapping[str, Any], field: str, allowed: Any, *, default: str = "") -> str:
    value = _text(given, field, longest=40, default=default)
    if value not in {str(member.value) for member in allowed}:
        raise RowRefused(f"{field} is not one of {', '.join(str(member.value) for member in allowed)}")
    return value
