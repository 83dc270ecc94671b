"""Within what an id names one resource: one FHIR version of one tenant. The same id in another realm is another's."""

from typing import NamedTuple


class Realm(NamedTuple):
    """`version` is "dstu2" or "r4"; `tenant` is empty for interface A, whose gateway serves every practice at once."""

    version: str
    tenant: str = ""
