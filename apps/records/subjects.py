"""What pages group a record by, whatever the resource types behind it (patient experience 2.1).

A resource belongs to one subject (`subject_of`). Its type nearly always decides which; an Observation may be a result,
a vital sign or social history, and a CarePlan of DSTU2 may be a care team. Types that nobody foresaw are Other entries.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import care_plans
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import social, vitals
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion


class Order(StrEnum):
    """The order of the rows in one group."""

    NEWEST = "newest"
    NAMED = "named"  # A to Z: people look for the name (patient experience 3.1)


@dataclass(frozen=True)
class Subject:
    """One subject. `groups` are the groups of its entries in the order in which they are listed; any others come after
    them.

    `key` is part of addresses: it names the page, and nothing on it. The name of a subject depends on the reader's
    language; its key does not.
    """

    key: str
    name: str | Promise = field(compare=False)
    resource_types: tuple[str, ...]
    order: Order = Order.NEWEST
    groups: tuple[str, ...] = ()


PATIENT: Final = Subject("patient", _("Personal details"), ("Patient",))
RESULTS: Final = Subject("results", _("Results"), ("Observation", "DiagnosticReport"))
MEDICINES: Final = Subject(
    "medicines",
    _("Medicines"),
    ("MedicationOrder", "MedicationRequest", "MedicationStatement", "MedicationDispense"),
    Order.NAMED,
    (
        "current", "paused", "reported", "not-to-be-taken", "not-given", "past", "suggested", "filled", "none-known",
        "no-information",
    ),
)  # fmt: skip
ALLERGIES: Final = Subject(
    "allergies",
    _("Allergies and reactions"),
    ("AllergyIntolerance",),
    Order.NAMED,
    ("current", "not-given", "past", "ruled-out", "none-known", "no-information"),
)
CONDITIONS: Final = Subject(
    "conditions",
    _("Health conditions"),
    ("Condition",),
    Order.NAMED,
    (
        "current",
        "not-clear",
        "being-looked-into",
        "at-a-visit",
        "not-given",
        "past",
        "ruled-out",
        "none-known",
        "no-information",
    ),
)
VITALS: Final = Subject("vitals", _("Vitals"), ("Observation",))
VACCINES: Final = Subject(
    "vaccines",
    _("Vaccines"),
    ("Immunization", "ImmunizationRecommendation"),
    Order.NAMED,
    (
        "given",
        "not-given",
        "not-completed",
        "was-not-given",
        "recommended",
        "advised-against",
        "none-known",
        "no-information",
    ),
)
VISITS: Final = Subject(
    "visits", _("Visits"), ("Encounter",), groups=("now", "planned", "past", "not-given", "canceled")
)
PROCEDURES: Final = Subject(
    "procedures",
    _("Procedures and surgeries"),
    ("Procedure", "ServiceRequest", "ProcedureRequest", "DiagnosticOrder", "ReferralRequest"),
    groups=("performed", "not-given", "ordered", "not-done", "none-known", "no-information"),
)
DOCUMENTS: Final = Subject(
    "documents", _("Documents and notes"), ("DocumentReference",), groups=("current", "not-given", "earlier")
)
PLANS: Final = Subject(
    "plans",
    _("Care plans and goals"),
    ("CarePlan", "Goal"),
    groups=("current", "suggested", "not-final", "not-given", "past"),
)
TEAM: Final = Subject("team", _("Care team"), ("CareTeam", "CarePlan"))
INSURANCE: Final = Subject("insurance", _("Insurance"), ("Coverage",))
DEVICES: Final = Subject("devices", _("Devices and implants"), ("Device", "DeviceUseStatement"))
HISTORY: Final = Subject("history", _("Family and social history"), ("FamilyMemberHistory", "Observation"))
OTHER: Final = Subject("other", _("Other entries"), ())

# In the order in which pages show them.
SUBJECTS: Final = (
    PATIENT, RESULTS, MEDICINES, ALLERGIES, CONDITIONS, VITALS, VACCINES, VISITS, PROCEDURES, DOCUMENTS, PLANS, TEAM,
    INSURANCE, DEVICES, HISTORY, OTHER,
)  # fmt: skip
# Those that are lists of entries.
LISTED: Final = SUBJECTS[1:]

# Read only because others refer to them, and not listed: people, places, medicines, files, formalities.
REFERRED_TO: Final = ("Practitioner", "PractitionerRole", "Organization", "Location", "Medication")
_UNLISTED: Final = frozenset({*REFERRED_TO, "Binary", "Endpoint", "Provenance", "Questionnaire", "RelatedPerson"})

_OF_TYPE: Final[Mapping[str, tuple[Subject, ...]]] = MappingProxyType(
    {
        resource_type: tuple(subject for subject in SUBJECTS if resource_type in subject.resource_types)
        for resource_type in {name for subject in SUBJECTS for name in subject.resource_types}
    }
)
KNOWN_TYPES: Final = frozenset(_OF_TYPE) | _UNLISTED


def find(key: str) -> Subject | None:
    """The subject with that key, if it is a list of entries."""
    return next((subject for subject in LISTED if subject.key == key), None)


def shelved_for(resource_type: str) -> tuple[Subject, ...]:
    """The subjects whose shelves change when this resource type does; none if it is not listed."""
    return () if resource_type in _UNLISTED else _OF_TYPE.get(resource_type, (OTHER,))


def is_asked_for(subject: Subject, version: str) -> bool:
    """Whether any type of a subject has a route that we know in that FHIR version. Other types are requested only if a
    provider says that it offers them."""
    return any(resource_types.find(FhirVersion(version), name) for name in subject.resource_types)


def subject_of(resource: Element, *, resource_type: str) -> Subject | None:
    """The one subject of a resource; None if it is not listed. If what decides is missing, it is a result, or a
    plan."""
    if resource_type == "Observation":
        return _of_observation(resource)
    if resource_type == "CarePlan":
        return TEAM if care_plans.is_care_team(resource) else PLANS
    return next(iter(shelved_for(resource_type)), None)


def _of_observation(resource: Element) -> Subject:
    if vitals.is_vital(resource):
        return VITALS
    return HISTORY if social.is_social(resource) else RESULTS
