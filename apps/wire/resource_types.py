"""The resource types that we know, by FHIR version (interface facts 1.2 and 1.3).

This table says only how to request each type. A server's capability statement says whether it offers the type, and the
granted scopes say whether the patient shares it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from apps.wire.dialects import Dialect, FhirVersion

Parameters = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ResourceType:
    """One type in one version.

    `takes_patient`: it can be searched with patient={id} (specification 4.1, rule 2). Other types are only read, as
    others refer to them. `narrow_searches` are for servers that refuse a search by patient alone; together they find
    every resource of the type. `statuses` are all its status codes, for servers that require the parameter (facts 1.4).
    A comma means "or", so that the search finds every resource.
    """

    name: str
    takes_patient: bool = True
    narrow_searches: tuple[Parameters, ...] = ()
    statuses: str = ""


def find(version: FhirVersion, name: str) -> ResourceType | None:
    """The type of that name in that version, or None if we know no route for it."""
    return RESOURCE_TYPES[version].get(name)


def only_in(version: FhirVersion) -> frozenset[str]:
    """The types that we search by patient in this version, and that exist in no other."""
    others = {name for other, types in RESOURCE_TYPES.items() if other is not version for name in types}
    return frozenset(
        known.name for known in RESOURCE_TYPES[version].values() if known.takes_patient and known.name not in others
    )


def only_in_others(version: FhirVersion) -> frozenset[str]:
    """The same for all other versions together: a server of this version never has them."""
    return frozenset().union(*(only_in(other) for other in FhirVersion if other is not version))


def searches(dialect: Dialect, version: FhirVersion, name: str) -> tuple[Parameters, ...]:
    """The parameters, besides patient, of the searches that find every resource of a type; none for a type that is only
    read."""
    known = find(version, name)
    if known is None or not known.takes_patient:
        return ()
    return known.narrow_searches if name in dialect.needs_narrow_search[version] else ((),)


def attempts(dialect: Dialect, version: FhirVersion, name: str) -> tuple[tuple[Parameters, ...], ...]:
    """`searches`, and what to try instead if the server refuses these: first narrower searches, then searches with
    every status. For a type that we do not know, only a search by patient."""
    known = find(version, name)
    if known is None:
        return (((),),)
    usual = searches(dialect, version, name)
    ways = [usual]
    if usual and known.narrow_searches:
        ways.append(known.narrow_searches)
    if usual and known.statuses:
        ways.append(tuple(_with_status(search, known.statuses) for search in known.narrow_searches or ((),)))
    return tuple(dict.fromkeys(ways))


def _with_status(search: Parameters, statuses: str) -> Parameters:
    return search if "status" in dict(search) else (*search, ("status", statuses))


def _by(parameter: str, *values: str) -> tuple[Parameters, ...]:
    """One search for each value."""
    return tuple(((parameter, value),) for value in values)


def _table(*types: ResourceType) -> Mapping[str, ResourceType]:
    return MappingProxyType({known.name: known for known in types})


_DSTU2 = _table(
    ResourceType(
        "AllergyIntolerance", statuses="active,unconfirmed,confirmed,inactive,resolved,refuted,entered-in-error"
    ),
    ResourceType("Binary", takes_patient=False),
    # The care team is a CarePlan of its own category: DSTU2 has no CareTeam.
    ResourceType(
        "CarePlan",
        narrow_searches=_by("category", "assess-plan", "careteam"),
        statuses="proposed,draft,active,completed,cancelled",
    ),
    ResourceType("Condition", narrow_searches=_by("category", "problem", "health-concern")),
    ResourceType("Device"),
    ResourceType("DiagnosticReport", narrow_searches=_by("category", "LAB")),
    ResourceType("DocumentReference"),
    ResourceType("Encounter"),  # no Argonaut search; Cerner has it, and the capability statement tells
    ResourceType("Goal"),
    ResourceType("Immunization", statuses="in-progress,on-hold,completed,entered-in-error,stopped"),
    ResourceType("Location", takes_patient=False),
    ResourceType("Medication", takes_patient=False),
    ResourceType("MedicationOrder", statuses="active,on-hold,completed,entered-in-error,stopped,draft"),
    ResourceType("MedicationStatement", statuses="active,completed,entered-in-error,intended"),
    # Smoking status is required by code; its category is not demanded of the server.
    ResourceType(
        "Observation",
        narrow_searches=(
            *_by("category", "laboratory", "vital-signs", "social-history"),
            *_by("category", "imaging", "procedure", "survey", "exam", "therapy"),  # the others of its value set
            *_by("code", "72166-2"),
        ),
        statuses="registered,preliminary,final,amended,cancelled,entered-in-error,unknown",
    ),
    ResourceType("Organization", takes_patient=False),
    ResourceType("Patient", takes_patient=False),
    ResourceType("Practitioner", takes_patient=False),
    ResourceType("Procedure", statuses="in-progress,aborted,completed,entered-in-error"),
)

_R4 = _table(
    ResourceType("AllergyIntolerance"),
    ResourceType(
        "CarePlan",
        narrow_searches=_by("category", "assess-plan"),
        statuses="draft,active,on-hold,revoked,completed,entered-in-error,unknown",
    ),
    ResourceType("CareTeam", narrow_searches=_by("status", "proposed,active,suspended,inactive,entered-in-error")),
    ResourceType(
        "Condition", narrow_searches=_by("category", "problem-list-item", "encounter-diagnosis", "health-concern")
    ),
    ResourceType("Coverage"),
    ResourceType("Device", statuses="active,inactive,entered-in-error,unknown"),
    # v2-0074 for results; the LOINC parts for cardiology, pathology and radiology notes
    ResourceType("DiagnosticReport", narrow_searches=_by("category", "LAB", "LP29708-2", "LP7839-6", "LP29684-5")),
    ResourceType("DocumentReference", narrow_searches=_by("category", "clinical-note")),
    ResourceType("Encounter"),
    ResourceType("Endpoint", takes_patient=False),
    ResourceType("Goal"),
    ResourceType("Immunization", statuses="completed,entered-in-error,not-done"),
    ResourceType("Location", takes_patient=False),
    ResourceType("Medication", takes_patient=False),  # demanded by US Core, read where a prescription refers to it
    ResourceType("MedicationDispense"),
    ResourceType(
        "MedicationRequest",
        narrow_searches=_by(
            "intent", "proposal,plan,order,original-order,reflex-order,filler-order,instance-order,option"
        ),
        statuses="active,on-hold,cancelled,completed,entered-in-error,stopped,draft,unknown",
    ),
    ResourceType(
        "MedicationStatement", statuses="active,completed,entered-in-error,intended,stopped,on-hold,unknown,not-taken"
    ),
    ResourceType(
        "Observation",
        narrow_searches=_by(
            "category",
            *("laboratory", "vital-signs", "social-history", "survey", "sdoh"),
            *("imaging", "procedure", "exam", "therapy", "activity"),
        ),
        statuses="registered,preliminary,final,amended,corrected,cancelled,entered-in-error,unknown",
    ),
    ResourceType("Organization", takes_patient=False),
    ResourceType("Patient", takes_patient=False),
    ResourceType("Practitioner", takes_patient=False),
    ResourceType("PractitionerRole", takes_patient=False),
    ResourceType(
        "Procedure", statuses="preparation,in-progress,not-done,on-hold,stopped,completed,entered-in-error,unknown"
    ),
    ResourceType("Provenance", takes_patient=False),  # searching it is not implemented; it comes by _revinclude
    ResourceType("Questionnaire", takes_patient=False),
    ResourceType("QuestionnaireResponse"),
    ResourceType("RelatedPerson"),
    ResourceType("ServiceRequest"),
    ResourceType("Specimen"),
)

RESOURCE_TYPES: Mapping[FhirVersion, Mapping[str, ResourceType]] = MappingProxyType(
    {FhirVersion.DSTU2: _DSTU2, FhirVersion.R4: _R4}
)
