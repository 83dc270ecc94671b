"""The namespace of resource ids: one FHIR version of one tenant. The same id in another realm is another resource."""

from typing import NamedTuple


class Realm(NamedTuple):
    """`version` is "dstu2" or "r4"; `tenant` is empty for interface A, whose gateway serves every practice."""

    version: str
    tenant: str = ""
