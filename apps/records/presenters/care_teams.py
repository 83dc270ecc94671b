"""Who cares for the patient: a CareTeam (R4), or the CarePlan with the category careteam that DSTU2 has in its place
(patient experience 3.9, facts 1.2 and 1.6)."""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from apps.records.presenters import care_plans, elements, naming
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import name_of, names_of, titles
from apps.records.presenters.persons import patient
from apps.records.presenters.persons.patient import Contact

_MOST = 100


class Status(StrEnum):
    """The status of a team."""

    PLANNED = "planned"
    CURRENT = "current"
    PAUSED = "paused"
    PAST = "past"


class Circle(StrEnum):
    """The part of a team to which somebody belongs."""

    CLINICIANS = "clinicians"
    OTHERS = "others"
    FAMILY = "family"


# The statuses of CareTeam (R4) and CarePlan (DSTU2).
_STATUSES = {
    "proposed": Status.PLANNED,
    "draft": Status.PLANNED,
    "active": Status.CURRENT,
    "suspended": Status.PAUSED,
    "on-hold": Status.PAUSED,
    "inactive": Status.PAST,
    "completed": Status.PAST,
    "cancelled": Status.PAST,
    "revoked": Status.PAST,
}
_CIRCLES = {
    "Practitioner": Circle.CLINICIANS,
    "PractitionerRole": Circle.CLINICIANS,
    "RelatedPerson": Circle.FAMILY,
}


class Member(msgspec.Struct, frozen=True, gc=False):
    """One person or organization in a team; `until` is set if the membership has an end."""

    name: str = ""
    roles: tuple[str, ...] = ()
    circle: str = Circle.OTHERS
    contacts: tuple[Contact, ...] = ()
    since: str = ""
    until: str = ""
    on_behalf_of: str = ""


class CareTeamEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A team. `members` do not include the patient; `people` are the members' names. `contacts` reach the whole team
    (R4)."""

    members: tuple[Member, ...] = ()
    organizations: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()


def present(resource: Element, context: Context) -> CareTeamEntry:
    """Read a CareTeam, or a CarePlan for which `care_plans.is_care_team` holds."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return CareTeamEntry(**heading)
    organizations = names_of(elements.children(resource, "managingOrganization"), context, within=resource)
    reasons = naming.reasons(resource, context, ("reasonCode",), ("reasonReference", "addresses"))
    members = tuple(dict.fromkeys(_members(resource, context)))[:_MOST]
    called = (
        *(elements.text(resource, name) for name in ("name", "title", "description")),
        care_plans.first_line(heading["narrative"]),
        *titles(resource, "category"),
        *reasons,
        *organizations,
    )
    heading["title"] = first_name(called)
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    return CareTeamEntry(
        **heading,
        when=moments.read(resource, "period", means="started"),
        status=status,
        group=status,
        people=tuple(dict.fromkeys(member.name for member in members if member.name)),
        said=notes(resource, "note"),
        members=members,
        organizations=organizations,
        reasons=reasons,
        contacts=patient.present({"telecom": resource.get("telecom")}).contacts,
    )


def _members(resource: Element, context: Context) -> Iterator[Member]:
    for participant in elements.children(resource, "participant"):
        who = elements.child(participant, "member")
        found = context.find(who, within=resource)
        if naming.is_patient(who) or elements.text(found, "resourceType") == "Patient":
            continue
        roles = [title_of(role) for role in elements.children(participant, "role")]
        period = elements.child(participant, "period")
        member = Member(
            name=name_of(who, context, within=resource),
            roles=tuple(dict.fromkeys(filter(None, roles))) or _relationship(found),
            circle=_circle(who, found),
            contacts=patient.present(found).contacts,
            since=elements.text(period, "start"),
            until=elements.text(period, "end"),
            on_behalf_of=name_of(elements.child(participant, "onBehalfOf"), context, within=resource),
        )
        if member.name or member.roles:
            yield member


def _relationship(found: Element) -> tuple[str, ...]:
    """The relationship of a relative to the patient, if no role in the team was sent."""
    is_family = elements.text(found, "resourceType") == "RelatedPerson"
    return naming.titles(found, "relationship") if is_family else ()


def _circle(who: Element, found: Element) -> str:
    path = elements.text(who, "reference").partition("?")[0].partition("/_history/")[0]  # Practitioner?identifier=…
    kinds = (elements.text(found, "resourceType"), elements.text(who, "type"), *path.split("/")[-2:])
    return next((_CIRCLES[kind] for kind in kinds if kind in _CIRCLES), Circle.OTHERS)
