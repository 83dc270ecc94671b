"""Read an Organization of a Bundle as a provider; a user-access brand (SMART App Launch 2.2) with portals and sites.

Logos are neither fetched nor stored: showing them would reveal to their host who looks for a provider.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.directory.list_formats import guarding, providers, references
from apps.directory.list_formats.rows import Inactive, PairRow, ProviderRow, Refused, Row, RowRefused
from apps.directory.list_formats.texts import loose, required, texts
from apps.directory.models import Provider

_PORTAL = "http://hl7.org/fhir/StructureDefinition/organization-portal"
_KINDS = {  # terminology.hl7.org organization-type, and codes seen in lists
    "ins": Provider.Kind.INSURER,
    "pay": Provider.Kind.INSURER,
    "payer": Provider.Kind.INSURER,
    "laboratory": Provider.Kind.LABORATORY,
    "lab": Provider.Kind.LABORATORY,
    "hospital": Provider.Kind.HOSPITAL,
    "hosp": Provider.Kind.HOSPITAL,
}
_MOST = 100  # addresses, portals, codes of one organization
_MOST_ENDPOINTS = 1000


def rows(resource: Mapping[str, Any], place: str, keys: tuple[str, str], number: int) -> Iterator[Row]:
    """An Organization that is an entry of its own, and its endpoints."""
    key, other_key = keys
    if resource.get("active") is False:
        yield Inactive(key, other_key)
        return
    directory_id = (loose(resource.get("id"), longest=200) or key)[:200]
    if not directory_id:
        yield Refused(place, "id is missing", blocks=True)
        return
    try:
        yield provider(resource, place, number, directory_id=directory_id, keys=keys)
    except RowRefused as refusal:
        yield Refused(place, str(refusal), directory_id)
        return
    yield from _pairs(resource, number)


def provider(
    resource: Mapping[str, Any],
    place: str,
    number: int,
    *,
    directory_id: str,
    keys: tuple[str, str] = ("", ""),
    otherwise_named: str = "",
    shares_id: bool = False,
) -> ProviderRow:
    """Its name, place and words. Raises RowRefused if it has no name."""
    has_name = resource.get("name") is not None or not otherwise_named
    city, state, postal_code = _where(resource.get("address"))
    return providers.row(
        number=number,
        place=place,
        directory_id=directory_id,
        shares_id=shares_id,
        key=keys[0],
        other_key=keys[1],
        part_of=references.key(resource.get("partOf"), "Organization"),
        name=required(resource, "name", longest=200) if has_name else otherwise_named,
        aliases=texts(resource.get("alias"), longest=200, most=providers.MOST_ALIASES),
        kind=_kind(resource.get("type")),
        city=city,
        state=state,
        postal_code=postal_code,
        website=_website(resource.get("telecom")),
        portals=[(name, url) for name, url, _endpoints in _portals(resource)],
    )


def _pairs(resource: Mapping[str, Any], number: int) -> Iterator[PairRow]:
    """Each of its endpoints, with the portal that names it; a portal that names none belongs to all of them."""
    own = _endpoints(resource.get("endpoint"))
    portal_of: dict[str, tuple[str, str]] = {}
    for name, url, named in _portals(resource):
        for key in named or own:
            portal_of.setdefault(key, (name, url))
    for key in dict.fromkeys([*own, *portal_of]):
        name, url = portal_of.get(key, ("", ""))
        yield PairRow(number, endpoint_key=key, portal_name=name, portal_url=url)


def _portals(resource: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Name, address and endpoints of each portal."""
    extensions = _objects(resource.get("extension"))[:_MOST]
    return [_portal(extension) for extension in extensions if extension.get("url") == _PORTAL]


def _portal(extension: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    parts = _objects(extension.get("extension"))[:_MOST_ENDPOINTS]
    names = [loose(part.get("valueString"), longest=200) for part in parts if part.get("url") == "portalName"]
    addresses = [part.get("valueUrl") or part.get("valueUri") for part in parts if part.get("url") == "portalUrl"]
    named = _endpoints([part.get("valueReference") for part in parts if part.get("url") == "portalEndpoint"])
    return "".join(names[:1]), "".join(guarding.link(address) for address in addresses[:1]), named


def _endpoints(given: Any) -> list[str]:
    keys = (references.key(reference, "Endpoint") for reference in _objects(given)[:_MOST_ENDPOINTS])
    return [key for key in keys if key]


def _where(given: Any) -> tuple[str, str, str]:
    """City, state and postal code of the first address with a city; a brand may list many."""
    places = _objects(given)[:_MOST]
    said = next((place for place in places if loose(place.get("city"), longest=100)), places[0] if places else {})
    city, state = loose(said.get("city"), longest=100), loose(said.get("state"), longest=60)
    return city, state, loose(said.get("postalCode"), longest=20)


def _website(given: Any) -> str:
    links = (guarding.link(one.get("value")) for one in _objects(given)[:_MOST] if one.get("system") == "url")
    return next((link for link in links if link), "")


def _kind(given: Any) -> str:
    """DSTU2 has one CodeableConcept, R4 a list of them."""
    codes = (coding.get("code") for kind in _objects(given)[:_MOST] for coding in _objects(kind.get("coding"))[:_MOST])
    known = (_KINDS[code] for code in codes if isinstance(code, str) and code in _KINDS)
    return str(next(known, Provider.Kind.OTHER).value)


def _objects(given: Any) -> list[dict[str, Any]]:
    """The objects of a list, or a single one in place of a list."""
    values = given if isinstance(given, list) else [given]
    return [value for value in values if isinstance(value, dict)]
