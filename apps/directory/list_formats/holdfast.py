"""Our own format, "holdfast-directory/1": what the sandbox prints, and what staff write by hand.

    {"format": "holdfast-directory/1", "name": "…",
     "providers": [{"id", "name", "aliases": [], "city", "state", "postal_code", "kind", "website", "is_sandbox",
        "part_of": the id of the provider it is a site of,
        "endpoints": [{"fhir_base_url", "fhir_version", "interface", "tenant", "dialect", "portal_name", "portal_url",
           "authorization_server": {"authorize_url", "token_url", "revocation_url"}}]}]}

`name` says which directory it is. `format` and `name` stand before `providers`, because the file is read as it comes.
Without an authorization server an endpoint is listed but cannot be linked.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.directory.list_formats import guarding, providers
from apps.directory.list_formats.rows import REFUSED, EndpointRow, PairRow, ProviderRow, Refused, Row, RowRefused
from apps.directory.list_formats.terms import Terms
from apps.directory.list_formats.texts import list_of, loose, object_of, one_of, required, text, texts
from apps.directory.models import Provider
from apps.wire.dialects import DIALECTS, FhirVersion, Interface

FORMAT = "holdfast-directory/1"

_KINDS = tuple(str(kind.value) for kind in Provider.Kind)
_VERSIONS = tuple(version.value for version in FhirVersion)
_INTERFACES = tuple(interface.value for interface in Interface)


def rows(raw: Any, number: int, numbers: Iterator[int], terms: Terms) -> Iterator[Row]:
    """One element of `providers`: the provider, and each of its endpoints with the pair of the two."""
    place = f"provider {number}"
    try:
        given = object_of(raw)
        endpoints = list_of(given, "endpoints")
        portals = [_portal(endpoint) for endpoint in endpoints]
        provider = _provider(given, place, next(numbers), portals)
    except RowRefused as refusal:
        known = loose(raw.get("id"), longest=200) if isinstance(raw, dict) else ""
        yield Refused(place, str(refusal), known, blocks=not known)
        return
    yield provider
    for part, (endpoint, portal) in enumerate(zip(endpoints, portals, strict=True), start=1):
        here = f"{place}, endpoint {part}"
        try:
            row = _endpoint(object_of(endpoint), here, next(numbers), terms, is_sandbox=provider.is_sandbox)
        except RowRefused as refusal:
            yield Refused(here, str(refusal))
            yield PairRow(provider.number, endpoint=REFUSED)
        else:
            yield row
            yield PairRow(provider.number, endpoint=row.number, portal_name=portal[0], portal_url=portal[1])


def _provider(given: Mapping[str, Any], place: str, number: int, portals: list[tuple[str, str]]) -> ProviderRow:
    is_sandbox = given.get("is_sandbox", False)
    if not isinstance(is_sandbox, bool):
        raise RowRefused("is_sandbox is neither true nor false")
    return providers.row(
        number=number,
        place=place,
        directory_id=required(given, "id", longest=200),
        part_of=text(given, "part_of", longest=200),
        name=required(given, "name", longest=200),
        aliases=texts(given.get("aliases"), longest=200, most=providers.MOST_ALIASES),
        kind=one_of(given, "kind", _KINDS, default=str(Provider.Kind.OTHER.value)),
        city=text(given, "city", longest=100),
        state=text(given, "state", longest=60),
        postal_code=text(given, "postal_code", longest=20),
        website=guarding.website(text(given, "website", longest=500)),
        is_sandbox=is_sandbox,
        portals=[portal for portal in portals if any(portal)],
    )


def _portal(raw: Any) -> tuple[str, str]:
    if not isinstance(raw, dict):
        return "", ""
    return loose(raw.get("portal_name"), longest=200), guarding.link(raw.get("portal_url"))


def _endpoint(given: Mapping[str, Any], place: str, number: int, terms: Terms, *, is_sandbox: bool) -> EndpointRow:
    interface = one_of(given, "interface", _INTERFACES)
    dialect = text(given, "dialect", longest=40) or interface
    if dialect not in DIALECTS:
        raise RowRefused("dialect is not one we know")
    if DIALECTS[dialect].interface != interface:
        raise RowRefused("dialect belongs to another interface")
    authorize_url, token_url, revocation_url = _addresses(given.get("authorization_server"), terms)
    return EndpointRow(
        number=number,
        place=place,
        fhir_base_url=terms.guard.root(given, "fhir_base_url"),
        fhir_version=one_of(given, "fhir_version", _VERSIONS),
        interface=interface,
        dialect=dialect,
        states_tenant=True,
        tenant=text(given, "tenant", longest=64),
        is_sandbox=is_sandbox,
        states_server=True,
        authorize_url=authorize_url,
        token_url=token_url,
        revocation_url=revocation_url,
    )


def _addresses(raw: Any, terms: Terms) -> tuple[str, str, str]:
    """Of its authorization server: authorize, token and revocation address."""
    if raw is None:
        return "", "", ""
    given, guard = object_of(raw), terms.guard
    authorize_url, token_url = (guard.required_address(given, field) for field in ("authorize_url", "token_url"))
    revocation_url = guard.address(given, "revocation_url")
    if revocation_url:
        guard.check_same_origin(revocation_url, token_url)
    return authorize_url, token_url, revocation_url
