"""What a sync asks for: the types we know, and others that the capability statement declares with a `patient`
parameter, except what the provider does not offer and what the patient does not share.

A type we know that is not asked for still becomes a step, with the reason: nothing is silently missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import msgspec

from apps.wire import resource_types
from apps.wire.dialects import FhirVersion
from apps.wire.fhir import CapabilityStatement, FhirServer, OfferedType
from apps.wire.resource_types import Parameters

# Read if rows refer to them, after the searches. Each type precedes those that it refers to itself.
REFERENCED: Final = ("PractitionerRole", "Practitioner", "Medication", "Location", "Organization")
PROVENANCE: Final = "Provenance"
# Not searched for by patient: they come because of other types.
ACCOMPANYING: Final = frozenset({*REFERENCED, PROVENANCE})
BROUGHT_BY: Final = ("_revinclude", "Provenance:target")
_UPDATED: Final = "_lastUpdated"

# What people look for first, and what takes longest: pages of one type come one after another, so start that early.
_FIRST: Final = (
    "AllergyIntolerance", "Observation", "MedicationRequest", "MedicationOrder", "Condition", "MedicationStatement",
    "DiagnosticReport", "Immunization", "DocumentReference", "Encounter",
)  # fmt: skip
# A statement that declares more types than FHIR has is not serious.
_MOST_UNKNOWN: Final = 100


class Way(StrEnum):
    """How a type is asked for."""

    READ = "read"  # by the id we know (P5)
    SEARCH = "search-type"
    REFERENCES = "references"  # one read for each resource that rows refer to
    INCLUDED = "included"  # it comes with the searches of others


class Asking(msgspec.Struct, frozen=True):
    """How one type is asked for, as stored in its step. `attempts` are sets of searches that each cover the type: the
    first that is not refused is used. `used` is its number, once the step has ended, and `lacking` are those of its
    searches that did not reach their end although the others did. `is_stated`: the server's statement says that it
    offers the type."""

    way: Way
    attempts: tuple[tuple[Parameters, ...], ...] = ()
    used: int | None = None
    lacking: tuple[int, ...] = ()
    is_stated: bool = False

    def written(self) -> dict[str, object]:
        """For `SyncStep.asked`."""
        plain: dict[str, object] = msgspec.to_builtins(self)
        return plain

    def searches(self, attempt: int) -> tuple[Parameters, ...]:
        """The searches of one attempt."""
        return self.attempts[attempt] if attempt < len(self.attempts) else ()

    def whole(self) -> frozenset[Parameters]:
        """The searches that reached their end, without the parameters that only add to them."""
        came = enumerate(self.searches(self.used or 0))
        return frozenset(_without_extras(search) for number, search in came if number not in self.lacking)

    def covers_alike(self, other: "Asking") -> bool:
        """Whether both used the same searches, apart from parameters that only add to them."""
        mine, theirs = (
            tuple(_without_extras(search) for search in one.searches(one.used or 0)) for one in (self, other)
        )
        return mine == theirs


def read_asking(written: object) -> Asking:
    """The inverse of `written`."""
    return msgspec.convert(written, Asking)


def asks_for_changes(search: Parameters) -> bool:
    """Whether a search leaves out what did not change."""
    return _UPDATED in dict(search)


def for_everything(search: Parameters) -> Parameters:
    """The same search, including what did not change."""
    return tuple(pair for pair in search if pair[0] != _UPDATED)


def for_rows_alone(search: Parameters) -> Parameters:
    """The same search, without rows that come along."""
    return tuple(pair for pair in search if pair != BROUGHT_BY)


@dataclass(frozen=True)
class Planned:
    """One resource type, whether the provider offers it in the way we ask for it, and whether the patient shares it.

    `is_stated`: the server's own statement says so. `tells_changes`: its searches accept _lastUpdated.
    `brings_provenance`: they can include Provenance.
    """

    resource_type: str
    way: Way
    is_offered: bool = True
    is_shared: bool = True
    is_stated: bool = False
    attempts: tuple[tuple[Parameters, ...], ...] = ()
    tells_changes: bool = False
    brings_provenance: bool = False

    def asking(self, *, since: str = "", whole: frozenset[Parameters] = frozenset()) -> Asking:
        """`since` is a FHIR instant: searches that were `whole` then ask for changes since, all others for everything.
        If a server refuses a type in every form (facts 3.12: servers that answer 400 to parameters they do not know),
        parameters that only add to a search are left out before another way of asking is tried."""
        brought = (BROUGHT_BY,) if self.brings_provenance else ()
        changed = ((_UPDATED, f"ge{since}"),) if self.tells_changes else ()
        known = [searches for searches in self.attempts if not whole.isdisjoint(searches)]
        added = (
            *(tuple((*each, *brought, *(changed if each in whole else ())) for each in searches) for searches in known),
            *(tuple((*each, *brought) for each in searches) for searches in self.attempts),
        )
        return Asking(self.way, tuple(dict.fromkeys((*added, *self.attempts))), is_stated=self.is_stated)


def plan(
    server: FhirServer, statement: CapabilityStatement | None, *, shared: frozenset[str] | None = None
) -> tuple[Planned, ...]:
    """Every type, in the order to ask for them: the patient comes first. Without a statement, or with an empty one, all
    types that we know are asked for, and the answers decide; likewise if it is unknown what is shared (None).

    A server that states another FHIR version than the directory may have changed over, or may publish somebody else's
    statement: so what either version knows is asked for.
    """
    says = statement if statement is not None and statement.types else None
    versions = tuple(dict.fromkeys((says.version if says else server.version, server.version)))
    found = [_planned("Patient", Way.READ, says, shared), *_searched(server, versions, says, shared)]
    if any(planned.brings_provenance and planned.is_offered and planned.is_shared for planned in found):
        found.append(Planned(PROVENANCE, Way.INCLUDED, is_shared=shared is None or PROVENANCE in shared))
    else:
        found.append(Planned(PROVENANCE, Way.INCLUDED, is_offered=False))
    referenced = (name for name in REFERENCED if any(resource_types.find(version, name) for version in versions))
    return (*found, *(_planned(name, Way.REFERENCES, says, shared) for name in referenced))


def _searched(
    server: FhirServer,
    versions: Sequence[FhirVersion],
    says: CapabilityStatement | None,
    shared: frozenset[str] | None,
) -> Iterator[Planned]:
    """Judged by the version of the statement if that version knows the type: about others, the statement says
    nothing."""
    spoken = {name: version for version in reversed(versions) for name in _searchable(version)}
    for name in sorted(spoken, key=_place):
        about = says if spoken[name] is versions[0] else None
        planned = _planned(name, Way.SEARCH, about, shared)
        yield _with_searches(planned, resource_types.attempts(server.dialect, spoken[name], name), about)
    for name in _declared(versions, says):
        unknown = _planned(name, Way.SEARCH, says, shared)
        if unknown.is_shared:  # nobody was asked to share a type that we do not know
            yield _with_searches(unknown, resource_types.attempts(server.dialect, server.version, name), says)


def _searchable(version: FhirVersion) -> list[str]:
    known = resource_types.RESOURCE_TYPES[version]
    return [name for name, resource_type in known.items() if resource_type.takes_patient]


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _declared(versions: Sequence[FhirVersion], says: CapabilityStatement | None) -> Sequence[str]:
    """Types that we do not know but whose search accepts `patient`, by the server's own statement."""
    if says is None:
        return ()
    found = [
        name
        for name, offered in says.types.items()
        if not any(resource_types.find(version, name) for version in versions)
        and "patient" in offered.search_parameters
        and offered.allows(Way.SEARCH.value)
    ]
    return sorted(found)[:_MOST_UNKNOWN]


def _planned(name: str, way: Way, says: CapabilityStatement | None, shared: frozenset[str] | None) -> Planned:
    interaction = Way.SEARCH if way is Way.SEARCH else Way.READ
    offered = says.types.get(name) if says else None
    return Planned(
        name,
        way,
        is_offered=says is None or (offered is not None and offered.allows(interaction.value)),
        is_shared=shared is None or name in shared,
        is_stated=offered is not None,
    )


def _with_searches(
    planned: Planned, attempts: tuple[tuple[Parameters, ...], ...], says: CapabilityStatement | None
) -> Planned:
    offered = says.types.get(planned.resource_type, _NOTHING) if says else _NOTHING
    return replace(
        planned,
        attempts=attempts,
        tells_changes=_UPDATED in offered.search_parameters,
        brings_provenance=BROUGHT_BY[1] in offered.reverse_includes,
    )


_NOTHING: Final = OfferedType(frozenset(), frozenset())


def _without_extras(search: Parameters) -> Parameters:
    return for_rows_alone(for_everything(search))
