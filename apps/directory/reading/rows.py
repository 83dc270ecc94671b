"""What a list says, as rows that were checked: providers, endpoints, and which of the two belong together.

Numbers count the rows of an import. A pair names its ends by number where the format nests them, and else by a key:
what the list itself refers to them by.
"""

from collections.abc import Sequence
from typing import NamedTuple

REFUSED = -1  # instead of the number of an endpoint that was


class NotADirectory(Exception):
    """The file is no list of a format we know. The text says why."""


class RowRefused(Exception):
    """One row cannot be taken. The text says why; it repeats at most the name of a field."""


class ProviderRow(NamedTuple):
    """One provider. `words` is what searching looks through, so far as this row says it."""

    number: int
    place: str  # where in the list, for people
    directory_id: str
    shares_id: bool  # of several rows with one id, those with one name are one provider, and others are others
    is_spare: bool  # counts only where nobody else has its endpoint
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
    """One endpoint. Most lists state neither a tenant nor an authorization server: then what is known stays."""

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
    """A provider and one of its endpoints, and through which of its portals patients sign in there. An end is a number,
    or 0 and a key; an endpoint that was refused is REFUSED."""

    provider: int = 0
    provider_key: str = ""
    endpoint: int = 0
    endpoint_key: str = ""
    is_spare: bool = False
    portal_name: str = ""
    portal_url: str = ""


class Refused(NamedTuple):
    """A row that was left out. A provider known by its id is not taken for vanished; where it `blocks`, nothing of the
    list is, for this row may be what is missing."""

    place: str
    reason: str
    directory_id: str = ""
    blocks: bool = False


class Inactive(NamedTuple):
    """A row that the list itself says is out of use, or not for us: as if it were not there."""

    key: str
    other_key: str


class PublishedListRow(NamedTuple):
    """Where somebody publishes a list of endpoints."""

    number: int
    name: str
    url: str
    file_name: str


Row = ProviderRow | EndpointRow | PairRow | Refused | Inactive | PublishedListRow
