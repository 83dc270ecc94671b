"""FHIR Bundles of Endpoint and Organization, the resources in any order; R4, and what DSTU2 and later write otherwise.

An organization is an entry of its own, names its endpoints and may name the system it is a site of; or it is contained
in each of its endpoints. Contained ids mean nothing outside, and lists use one for several organizations: those are
told apart by their names. An endpoint of which nobody says whose it is stands for an organization of its own name.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from apps.directory.reading import fhir_versions, organizations, providers, references
from apps.directory.reading.rows import REFUSED, EndpointRow, Inactive, PairRow, Refused, Row, RowRefused
from apps.directory.reading.terms import Terms
from apps.directory.reading.texts import loose, object_of

_ACTIVE = "active"
_REST = "hl7-fhir-rest"


class _Here(NamedTuple):
    """Where we are: the entry's number and name for people, and the keys of its resource."""

    place: str
    key: str
    other_key: str


def rows(raw: Any, number: int, numbers: Iterator[int], terms: Terms) -> Iterator[Row]:
    """One entry of a Bundle, or a resource by itself. Yields nothing for resources of other types."""
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
    """Whether it is active and, where its kind of connection is said, speaks FHIR. That a list says otherwise is its
    way to say that an endpoint is out of use: leaving it out is no refusal."""
    status = resource.get("status")
    kinds = resource.get("connectionType")
    codings = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, dict)]
    codes = [code for coding in codings if isinstance(code := coding.get("code"), str)]
    return (not codes or _REST in codes) and (not isinstance(status, str) or status.strip().lower() == _ACTIVE)


def _whose(resource: Mapping[str, Any], here: _Here, endpoint: int, numbers: Iterator[int]) -> Iterator[Row]:
    """The organization that manages the endpoint, or one that stands in for it until the whole list is known."""
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
    """The contained organization that is meant: the one that is named, or the only one there is."""
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
