"""What a sync asks for: the resource types we know, less what the provider's capability statement does not offer and
what the patient does not share.

A type that is not asked for is a step all the same, with the reason why: nothing is silently missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from apps.wire.fhir import CapabilityStatement


class Way(StrEnum):
    """How a type is asked for, spelled as a capability statement spells the interaction."""

    READ = "read"
    SEARCH = "search-type"


@dataclass(frozen=True)
class Planned:
    """One resource type, whether the provider offers the way we ask for it, and whether the patient shares it."""

    resource_type: str
    way: Way
    is_offered: bool
    is_shared: bool


# In the order they are fetched: who it is comes first. Widening the record means adding rows here and to `subjects`.
KNOWN: Mapping[str, Way] = MappingProxyType(
    {
        "Patient": Way.READ,  # P5, with the id the patient confirmed (specification 4.1)
        "AllergyIntolerance": Way.SEARCH,  # takes patient= in both versions (facts 1.2, 1.3)
    }
)


def plan(statement: CapabilityStatement | None, *, shared: frozenset[str] | None = None) -> tuple[Planned, ...]:
    """Every type we know. Without a statement, or with an empty one, all are asked for, and the answers decide; so they
    do where nobody said what is shared (None)."""
    return tuple(
        Planned(
            resource_type,
            way,
            is_offered=_offers(statement, resource_type, way),
            is_shared=shared is None or resource_type in shared,
        )
        for resource_type, way in KNOWN.items()
    )


def _offers(statement: CapabilityStatement | None, resource_type: str, way: Way) -> bool:
    if statement is None or not statement.types:
        return True
    offered = statement.types.get(resource_type)
    # A type listed without interactions says nothing about them (facts 1.5: statements leave things out).
    return offered is not None and (not offered.interactions or way.value in offered.interactions)
