"""What a sync asks for: the types we know, and others that the capability statement declares with a `patient`
parameter, less what the provider does not offer and what the patient does not share.

A type we know that is not asked for is a step all the same, with the reason why: nothing is silently missing.
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

# Read where rows refer to them, after the searches: each before those it refers to itself.
REFERENCED: Final = ("PractitionerRole", "Practitioner", "Medication", "Location", "Organization")
PROVENANCE: Final = "Provenance"
# Not asked for by patient: they come because of what was.
ACCOMPANYING: Final = frozenset({*REFERENCED, PROVENANCE})
BROUGHT_BY: Final = ("_revinclude", "Provenance:target")
_UPDATED: Final = "_lastUpdated"

# What people look for first, and the longest: pages of one type follow each other, so that it had better begin early.
_FIRST: Final = (
    "AllergyIntolerance", "Observation", "MedicationRequest", "MedicationOrder", "Condition", "MedicationStatement",
    "DiagnosticReport", "Immunization", "DocumentReference", "Encounter",
)  # fmt: skip
# A statement that declares more types than FHIR has is somebody's joke.
_MOST_UNKNOWN: Final = 100


class Way(StrEnum):
    """How a type is asked for."""

    READ = "read"  # by the id we know (P5)
    SEARCH = "search-type"
    REFERENCES = "references"  # one read for each resource that rows refer to
    INCLUDED = "included"  # it comes with the searches of others


class Asking(msgspec.Struct, frozen=True):
    """How one type is asked for, as its step keeps it. `attempts` are sets of searches that each cover the type: the
    first that is not refused is the one. `used` is which, once the step has ended, and `lacking` are those of its
    searches that did not come to their end, where the others did. `is_stated`: the server's statement says that it
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
        """The searches that came to their end, without what only adds to them."""
        came = enumerate(self.searches(self.used or 0))
        return frozenset(_without_extras(search) for number, search in came if number not in self.lacking)

    def covers_alike(self, other: "Asking") -> bool:
        """Whether the attempt that was used asked what the other's did, apart from what only adds to it."""
        mine, theirs = (
            tuple(_without_extras(search) for search in one.searches(one.used or 0)) for one in (self, other)
        )
        return mine == theirs


def read_asking(written: object) -> Asking:
    """What `written` wrote."""
    return msgspec.convert(written, Asking)


def asks_for_changes(search: Parameters) -> bool:
    """Whether a search leaves out what did not change."""
    return _UPDATED in dict(search)


def for_everything(search: Parameters) -> Parameters:
    """The same search with what did not change."""
    return tuple(pair for pair in search if pair[0] != _UPDATED)


def for_rows_alone(search: Parameters) -> Parameters:
    """The same search without what comes along."""
    return tuple(pair for pair in search if pair != BROUGHT_BY)


@dataclass(frozen=True)
class Planned:
    """One resource type, whether the provider offers the way we ask for it, and whether the patient shares it.

    `is_stated`: by the server's own word. `tells_changes`: its route takes _lastUpdated. `brings_provenance`: a search
    may ask for it along.
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
        """`since` is a FHIR instant: of the searches that were `whole` then, what changed after it is asked for, and of
        any other everything. What only adds to a search is left out where a server refuses it every way (facts 3.12,
        servers that answer 400 to parameters they do not know), before the type is asked for in another way."""
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
    """Every type, in the order to ask for them: who it is comes first. Without a statement, or with an empty one, all
    that we know are asked for, and the answers decide; so they do where nobody said what is shared (None).

    A server that states another FHIR version than the directory may have changed over, or publish somebody else's
    statement: what either version knows is asked for."""
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
    """By the version that the statement is of, where that knows the type: of others it says nothing."""
    spoken = {name: version for version in reversed(versions) for name in _searchable(version)}
    for name in sorted(spoken, key=_place):
        about = says if spoken[name] is versions[0] else None
        planned = _planned(name, Way.SEARCH, about, shared)
        yield _with_searches(planned, resource_types.attempts(server.dialect, spoken[name], name), about)
    for name in _declared(versions, says):
        unknown = _planned(name, Way.SEARCH, says, shared)
        if unknown.is_shared:  # nobody was asked to share what we do not know
            yield _with_searches(unknown, resource_types.attempts(server.dialect, server.version, name), says)


def _searchable(version: FhirVersion) -> list[str]:
    known = resource_types.RESOURCE_TYPES[version]
    return [name for name, resource_type in known.items() if resource_type.takes_patient]


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _declared(versions: Sequence[FhirVersion], says: CapabilityStatement | None) -> Sequence[str]:
    """Types we do not know whose route takes `patient`, by the server's own word."""
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
