"""Lists of vendors that are not FHIR: rows with a name and an address, whose fields have various names.

    {"endpoints": [{"name", "baseUrl", "type"}]}          {"Endpoints": [{"URL", "OrganizationName", …}]}
    [{"url", "id", "name", "token", "authorize", "managingOrganization"}]

They have no ids of organizations, or ids that several share: an organization is identified by its row's id, or else by
the address of its endpoint; if several have the same, by their names.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.directory.list_formats import addressing, fhir_versions, providers
from apps.directory.list_formats.rows import (
    REFUSED,
    EndpointRow,
    Inactive,
    PairRow,
    ProviderRow,
    Refused,
    Row,
    RowRefused,
)
from apps.directory.list_formats.terms import Terms
from apps.directory.list_formats.texts import loose, object_of
from apps.wire.dialects import Interface

# Names of one field, in lower case; the first that a row has counts.
_NAMES = ("name", "organizationname", "organization", "orgname", "practicename", "facilityname", "endpointname")
_ADDRESSES = ("url", "baseurl", "base_url", "fhirurl", "fhirbaseurl", "address", "endpoint", "fhirpatientfacinguri")
_IDS = ("managingorganization", "organizationid")
_CITIES, _STATES = ("city", "organizationcity"), ("state", "organizationstate")
_POSTAL_CODES = ("zipcode", "zip", "postalcode", "organizationzipcode")
_IN_USE = frozenset({"", "prod", "production", "active"})


def rows(raw: Any, number: int, numbers: Iterator[int], terms: Terms) -> Iterator[Row]:
    """One row of a list: the provider, its endpoint, and the pair of the two."""
    place = f"row {number}"
    try:
        given = {key.lower(): value for key, value in object_of(raw).items()}
        if _first(given, ("type", "status"), longest=40).lower() not in _IN_USE:
            yield Inactive("", "")
            return
        url = _first(given, _ADDRESSES, longest=2000)
        provider = _provider(given, url, place, next(numbers))
    except RowRefused as refusal:
        yield Refused(place, str(refusal), blocks=True)
        return
    yield provider
    try:
        row = _endpoint(given, url, provider.place, next(numbers), terms)
    except RowRefused as refusal:
        yield Refused(provider.place, str(refusal))
        yield PairRow(provider.number, endpoint=REFUSED)
    else:
        yield row
        yield PairRow(provider.number, endpoint=row.number)


def _provider(given: Mapping[str, Any], url: str, place: str, number: int) -> ProviderRow:
    name = _first(given, _NAMES, longest=200)
    directory_id = _first(given, _IDS, longest=200) or addressing.short_root(url)
    if not name:
        raise RowRefused("it has no name, or one of more than 200 characters")
    if not directory_id:
        raise RowRefused("it has no address")
    return providers.row(
        number=number,
        place=f"{place} ({name[:60]})",
        directory_id=directory_id,
        shares_id=True,
        name=name,
        city=_first(given, _CITIES, longest=100),
        state=_first(given, _STATES, longest=60),
        postal_code=_first(given, _POSTAL_CODES, longest=20),
    )


def _endpoint(given: Mapping[str, Any], url: str, place: str, number: int, terms: Terms) -> EndpointRow:
    """Addresses of an authorization server count only for interface A: a SMART deployment states its own."""
    terms.guard.check_root(url, "address")
    version = fhir_versions.stated(url, resource={}, otherwise=terms.fhir_version)
    states_server = terms.interface is Interface.PATIENT_ACCESS and "authorize" in given and "token" in given
    fields = ("authorize", "token") if states_server else ()
    authorize_url, token_url = [terms.guard.required_address(given, field) for field in fields] or ("", "")
    interface = terms.interface.value
    return EndpointRow(
        number, place, url, version, interface, interface,
        states_server=states_server, authorize_url=authorize_url, token_url=token_url,
    )  # fmt: skip


def _first(given: Mapping[str, Any], names: tuple[str, ...], *, longest: int) -> str:
    texts = (loose(given.get(name), longest=longest) for name in names)
    return next((text for text in texts if text), "")
