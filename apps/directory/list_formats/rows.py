"""The checked rows of a list: providers, endpoints, and which of them belong together.

Numbers count the rows of an import. A pair refers to its ends by number if the format nests them, otherwise by a key:
the list's own reference.
"""

from collections.abc import Sequence
from typing import NamedTuple

REFUSED = -1  # instead of the number of an endpoint that was


class NotADirectory(Exception):
    """The file is no list of a format we know. The text says why."""


class RowRefused(Exception):
    """One row cannot be accepted. The text says why, and repeats at most the name of a field."""


class ProviderRow(NamedTuple):
    """One provider. `words` are the search words from this row."""

    number: int
    place: str  # its place in the list, for people
    directory_id: str
    shares_id: bool  # several providers may have this id: rows with the same name are the same provider
    is_spare: bool  # counts only if no other provider has its endpoint
    key: str
    other_key: str
    part_of: str  # the key, or in our own format the id, of the provider it is a site of
    name: str
    plain_name: str
    aliases: Sequence[str]
    kind: str
    city: str
    state: str
    postal_code: str
    website: str
    is_sandbox: bool
    words: list[str]


class EndpointRow(NamedTuple):
    """One endpoint. Most lists state neither a tenant nor an authorization server: then the known values stay."""

    number: int
    place: str
    fhir_base_url: str
    fhir_version: str
    interface: str
    dialect: str
    key: str = ""
    other_key: str = ""
    states_tenant: bool = False
    tenant: str = ""
    is_sandbox: bool = False
    states_server: bool = False
    authorize_url: str = ""
    token_url: str = ""
    revocation_url: str = ""


class PairRow(NamedTuple):
    """A provider and one of its endpoints, and the portal through which patients sign in there. An end is a number, or
    0 and a key; an endpoint that was refused is REFUSED."""

    provider: int = 0
    provider_key: str = ""
    endpoint: int = 0
    endpoint_key: str = ""
    is_spare: bool = False
    portal_name: str = ""
    portal_url: str = ""


class Refused(NamedTuple):
    """A row that was left out. A provider whose id is known is not marked as vanished. If it `blocks`, nothing of the
    list is, because this row may be the missing one."""

    place: str
    reason: str
    directory_id: str = ""
    blocks: bool = False


class Inactive(NamedTuple):
    """A row that the list itself says is out of use, or not for us: treated as if it were not there."""

    key: str
    other_key: str


class PublishedListRow(NamedTuple):
    """Where somebody publishes a list of endpoints."""

    number: int
    name: str
    url: str
    file_name: str


Row = ProviderRow | EndpointRow | PairRow | Refused | Inactive | PublishedListRow
