"""FHIR Bundles of Endpoint and Organization, in any order; R4, and what DSTU2 and later versions write differently.

An organization is an entry of its own, names its endpoints, and may name the system of which it is a site; or it is
contained in each of its endpoints. Contained ids mean nothing outside, and some lists use one id for several
organizations: these are distinguished by their names. An endpoint without an owner stands for an organization with its
name.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from apps.directory.list_formats import fhir_versions, organizations, providers, references
from apps.directory.list_formats.rows import REFUSED, EndpointRow, Inactive, PairRow, Refused, Row, RowRefused
from apps.directory.list_formats.terms import Terms
from apps.directory.list_formats.texts import loose, object_of

_ACTIVE = "active"
_REST = "hl7-fhir-rest"


class _Here(NamedTuple):
    """The current position: the entry's number and name for people, and the keys of its resource."""

    place: str
    key: str
    other_key: str


def rows(raw: Any, number: int, numbers: Iterator[int], terms: Terms) -> Iterator[Row]:
    """The rows of one entry of a Bundle, or of a bare resource. Yields nothing for other resource types."""
    place = f"entry {number}"
    try:
        entry = object_of(raw)
        resource = object_of(entry["resource"]) if "resource" in entry else entry
    except RowRefused as refusal:
        yield Refused(place, str(refusal), blocks=True)
        return
    resource_type = resource.get("resourceType")
    if resource_type not in ("Endpoint", "Organization"):
        return
    name = loose(resource.get("name"), longest=200)
    place = f"{place} ({name[:60]})" if name else place
    keys = references.keys_of(resource_type, resource, entry.get("fullUrl"))
    if resource_type == "Organization":
        yield from organizations.rows(resource, place, keys, next(numbers))
    else:
        yield from _endpoint(resource, _Here(place, keys[0] or place, keys[1]), numbers, terms)


def _endpoint(resource: Mapping[str, Any], here: _Here, numbers: Iterator[int], terms: Terms) -> Iterator[Row]:
    if not _is_in_use(resource):
        yield Inactive(here.key, here.other_key)
        return
    number = REFUSED
    try:
        address = terms.guard.root(resource, "address")
        version = fhir_versions.stated(address, resource=resource, otherwise=terms.fhir_version)
    except RowRefused as refusal:
        yield Refused(here.place, str(refusal))
    else:
        number, interface = next(numbers), terms.interface.value
        yield EndpointRow(
            number, here.place, address, version, interface, interface, key=here.key, other_key=here.other_key
        )
    yield from _whose(resource, here, number, numbers)


def _is_in_use(resource: Mapping[str, Any]) -> bool:
    """Whether it is active and, if a connection type is given, speaks FHIR. Otherwise the list itself says that the
    endpoint is out of use, so leaving it out is no refusal."""
    status = resource.get("status")
    kinds = resource.get("connectionType")
    codings = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, dict)]
    codes = [code for coding in codings if isinstance(code := coding.get("code"), str)]
    return (not codes or _REST in codes) and (not isinstance(status, str) or status.strip().lower() == _ACTIVE)


def _whose(resource: Mapping[str, Any], here: _Here, endpoint: int, numbers: Iterator[int]) -> Iterator[Row]:
    """The organization that manages the endpoint, or a stand-in until the whole list is known."""
    managing = resource.get("managingOrganization")
    managing_key = references.key(managing, "Organization")
    name = loose(resource.get("name"), longest=200)
    contained = _contained(resource.get("contained"), managing_key)
    if contained is not None:
        yield from _contained_provider(contained, name, here, endpoint, numbers)
        return
    if managing_key:
        yield PairRow(0, managing_key, endpoint, here.key)
        name = loose(managing.get("display"), longest=200) or name  # type: ignore[union-attr]  # it has a key
    if not name:
        return  # some other entry may name the endpoint as its own
    directory_id = (managing_key or here.key).rpartition("/")[2][:200]
    spare = providers.row(
        number=next(numbers), place=here.place, directory_id=directory_id, name=name, shares_id=True, is_spare=True
    )
    yield spare
    yield PairRow(spare.number, "", endpoint, here.key, is_spare=True)


def _contained(given: Any, managing_key: str) -> Mapping[str, Any] | None:
    """The contained organization that is referred to, or the only one."""
    resources = given[:100] if isinstance(given, list) else []
    found = [one for one in resources if isinstance(one, dict) and one.get("resourceType") == "Organization"]
    named = [
        one
        for one in found
        if managing_key and f"Organization/{loose(one.get('id'), longest=400).removeprefix('#')}" == managing_key
    ]
    return next(iter(named or (found if len(found) == 1 else [])), None)


def _contained_provider(
    contained: Mapping[str, Any], endpoint_name: str, here: _Here, endpoint: int, numbers: Iterator[int]
) -> Iterator[Row]:
    own_id = loose(contained.get("id"), longest=200) or here.key.rpartition("/")[2][:200]
    try:
        provider = organizations.provider(
            contained, here.place, next(numbers), directory_id=own_id, otherwise_named=endpoint_name, shares_id=True
        )
    except RowRefused as refusal:
        yield Refused(here.place, str(refusal), blocks=True)
        return
    yield provider
    yield PairRow(provider.number, "", endpoint, here.key)
