"""Which presenter reads which resource type, and which kind of entry it returns.

`present` never raises and always returns an entry: a resource that its presenter cannot read is shown as unreadable,
not lost.
"""

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, get_args, get_type_hints

from msgspec.structs import replace

from apps.records.presenters import (
    allergies,
    appointments,
    care_plans,
    care_teams,
    conditions,
    devices,
    documents,
    elements,
    family,
    goals,
    immunizations,
    insurance,
    modifiers,
    orders,
    procedures,
    questionnaires,
    reports,
    specimens,
    visits,
)
from apps.records.presenters.care_plans import CarePlanEntry
from apps.records.presenters.care_teams import CareTeamEntry
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry, Present
from apps.records.presenters.generic import any_resource
from apps.records.presenters.generic.any_resource import GenericEntry
from apps.records.presenters.medicines import medications
from apps.records.presenters.observations import results

_LOG = logging.getLogger(__name__)

_MODIFIER: Final = b'"modifierExtension"'


def _care_plan(resource: Element, context: Context) -> CarePlanEntry | CareTeamEntry:
    """A plan, or the care team that DSTU2 represents as one."""
    is_team = care_plans.is_care_team(resource)
    return care_teams.present(resource, context) if is_team else care_plans.present(resource, context)


PRESENTERS: Final[Mapping[str, Present]] = MappingProxyType(
    {
        "AllergyIntolerance": allergies.present,
        "Appointment": appointments.present,
        "CarePlan": _care_plan,
        "CareTeam": care_teams.present,
        "Condition": conditions.present,
        "Coverage": insurance.present,
        "Device": devices.present,
        "DiagnosticReport": reports.present,
        "DocumentReference": documents.present,
        "Encounter": visits.present,
        "FamilyMemberHistory": family.present,
        "Goal": goals.present,
        "Immunization": immunizations.present,
        "ImmunizationRecommendation": immunizations.present_recommendation,
        "MedicationDispense": medications.present_dispense,
        "MedicationOrder": medications.present_order,
        "MedicationRequest": medications.present_order,
        "MedicationStatement": medications.present_statement,
        "Observation": results.present,
        "Procedure": procedures.present,
        "QuestionnaireResponse": questionnaires.present,
        "Specimen": specimens.present,
        **dict.fromkeys(("ServiceRequest", "ProcedureRequest", "DiagnosticOrder", "ReferralRequest"), orders.present),
    }
)


def _kinds(returned: Any) -> tuple[type[Entry], ...]:
    return get_args(returned) or (returned,)


# By the name under which shelves know them.
KINDS: Final[Mapping[str, type[Entry]]] = MappingProxyType(
    {
        kind.__name__: kind
        for present in (*PRESENTERS.values(), any_resource.present)
        for kind in _kinds(get_type_hints(present)["return"])
    }
)


def _heeding(entry: Entry, resource: Element) -> Entry:
    """The entry with the modifiers of its parts, after those of the whole."""
    found = () if entry.is_withdrawn or entry.is_withheld else modifiers.modifiers_within(resource)
    if not found:
        return entry
    turning = dict.fromkeys((*modifiers.modifiers(resource), *found))
    return replace(entry, is_modified=True, said=tuple(dict.fromkeys((*turning, *entry.said))))


def present(body: bytes, *, resource_type: str, logical_id: str, context: Context) -> tuple[Element, Entry]:
    """A stored body, parsed, and the entry made from it. Type and id are those under which it is stored, whatever the
    body says."""
    resource, named = elements.parse(body), {"resource_type": resource_type, "logical_id": logical_id}
    return resource, present_parsed(resource, **named, context=context, is_turned=_MODIFIER in body)


def present_parsed(
    resource: Element, *, resource_type: str, logical_id: str, context: Context, is_turned: bool = True
) -> Entry:
    """The entry made from a resource that is parsed already. `is_turned`: it may contain modifiers."""
    try:
        entry = PRESENTERS.get(resource_type, any_resource.present)(resource, context)
    except Exception as error:  # noqa: BLE001 - a mistake of ours costs the reader no row
        _LOG.error("A resource cannot be presented: %s, %s.", resource_type, type(error).__name__)
        entry = GenericEntry()
    if is_turned:
        entry = _heeding(entry, resource)
    if (entry.resource_type, entry.logical_id) != (resource_type, logical_id):
        entry = replace(entry, resource_type=resource_type, logical_id=logical_id)
    return entry
