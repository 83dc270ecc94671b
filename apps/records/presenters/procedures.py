"""A Procedure of either FHIR version (facts 1.6, patient experience 3.7).

DSTU2 has `notPerformed` where R4 has the status not-done, and `aborted` where R4 has stopped. An order is not a
procedure yet: `orders` presents it, in a group of its own.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.records.presenters import elements, naming
from apps.records.presenters.absences import known_absence, says_no_information
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, mapped
from apps.records.presenters.naming import Person

_MOST = 20  # devices of one procedure; more can only be an error


class Status(StrEnum):
    """How far a procedure or an order went. The last five are for orders; "planned" is also for a procedure in
    preparation."""

    DONE = "done"
    UNDER_WAY = "under-way"
    NOT_FINISHED = "not-finished"
    NOT_DONE = "not-done"
    ON_HOLD = "on-hold"
    NOT_GIVEN = NOT_GIVEN
    ORDERED = "ordered"
    PLANNED = "planned"
    CANCELED = "canceled"
    NOT_TO_BE_DONE = "not-to-be-done"
    WAS_NOT_TO_BE_DONE = "was-not-to-be-done"


class Group(StrEnum):
    """The groups, in the order of the page. The last two are for entries that say there was no procedure, or no
    information."""

    PERFORMED = "performed"
    ORDERED = "ordered"
    NOT_DONE = "not-done"
    NOT_GIVEN = NOT_GIVEN
    NONE_KNOWN = "none-known"
    NO_INFORMATION = "no-information"


class Change(StrEnum):
    """What was done to a device (FHIR procedure device action codes)."""

    PUT_IN = "implanted"
    TAKEN_OUT = "explanted"
    WORKED_ON = "manipulated"
    NOT_GIVEN = NOT_GIVEN


class Urgency(StrEnum):
    """How soon an order must be carried out, if it is not routine."""

    URGENT = "urgent"
    SOON = "asap"
    AT_ONCE = "stat"
    NOT_GIVEN = NOT_GIVEN


class Handled(msgspec.Struct, frozen=True, gc=False):
    """A device that was put in, taken out or worked on. `said` is the action in the provider's words, if we do not know
    the code."""

    device: str = ""
    change: Change = Change.NOT_GIVEN
    said: str = ""


class ProcedureEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A procedure or surgery, or an order for one; then `planned` is when it should be done.

    The roles of `performers` are as sent. `devices` were only used; those in `handled` were what the procedure was
    about. `reasons_not` say why it was not done, or not finished. `reports` are the names of its reports. For an order,
    `canceled` are its canceled items, `schedule` is how often it should be done, `specimen` what to examine, and
    `advice` what the patient should do.
    """

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    category: str = ""
    recorder: str = ""
    asserter: str = ""
    is_patient_asserted: bool = False
    performers: tuple[Person, ...] = ()
    place: str = ""
    reasons: tuple[str, ...] = ()
    reasons_not: tuple[str, ...] = ()
    body_sites: tuple[str, ...] = ()
    outcome: str = ""
    complications: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    handled: tuple[Handled, ...] = ()
    devices: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    planned: When = UNDATED
    schedule: tuple[Dosage, ...] = ()
    amount: Quantity = NO_QUANTITY
    urgency: Urgency = Urgency.NOT_GIVEN
    specimen: str = ""
    advice: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    canceled: tuple[str, ...] = ()


_STATUSES = {
    "completed": Status.DONE,
    "in-progress": Status.UNDER_WAY,
    "preparation": Status.PLANNED,
    "aborted": Status.NOT_FINISHED,
    "stopped": Status.NOT_FINISHED,
    "not-done": Status.NOT_DONE,
    "on-hold": Status.ON_HOLD,
    "suspended": Status.ON_HOLD,
}
_NOTHING_DONE = frozenset({Status.PLANNED, Status.NOT_DONE})
_CHANGES = {change.value: change for change in Change if change is not Change.NOT_GIVEN}
_GROUPS = {
    Status.PLANNED: Group.ORDERED,
    Status.NOT_DONE: Group.NOT_DONE,
    Status.NOT_GIVEN: Group.NOT_GIVEN,
}


def present(resource: Element, context: Context) -> ProcedureEntry:
    """Read a Procedure of either FHIR version."""
    top = head(resource, resource.get("code"))
    if top["is_withdrawn"] or top["is_withheld"]:
        return ProcedureEntry(**top)
    status = _status(resource)
    absence = known_absence(top["codes"], top["title"])
    no_information = says_no_information(top["codes"])
    performers = _performers(resource, context)
    group = _GROUPS.get(status, Group.PERFORMED)
    return ProcedureEntry(
        **top,
        when=moments.read(resource, "performed", means="done", birth_date=context.birth_date),
        status=status,
        group=Group.NONE_KNOWN if absence else Group.NO_INFORMATION if no_information else group,
        people=tuple(dict.fromkeys(person.name for person in performers if person.name)),
        said=notes(resource, "note", "notes"),
        is_known_absence=absence is not None,
        says_no_information=no_information,
        category=title_of(resource.get("category")),
        recorder=naming.name_of(resource.get("recorder"), context, within=resource),
        asserter=naming.name_of(resource.get("asserter"), context, within=resource),
        is_patient_asserted=naming.is_patient(resource.get("asserter")),
        performers=performers,
        place=naming.name_of(resource.get("location"), context, within=resource),
        reasons=naming.reasons(resource, context, ("reasonCode", "reasonCodeableConcept"), ("reasonReference",)),
        reasons_not=naming.titles(resource, "statusReason", "reasonNotPerformed"),
        body_sites=naming.titles(resource, "bodySite"),
        outcome=title_of(resource.get("outcome")),
        complications=naming.reasons(resource, context, ("complication",), ("complicationDetail",)),
        follow_ups=naming.titles(resource, "followUp"),
        **_devices(resource, context, status),
        reports=naming.names_of(elements.children(resource, "report"), context, within=resource),
    )


def _status(resource: Element) -> Status:
    if elements.flag(resource, "notPerformed") is True:
        return Status.NOT_DONE
    return mapped(resource, "status", _STATUSES) or Status.NOT_GIVEN


def _performers(resource: Element, context: Context) -> tuple[Person, ...]:
    """Who performed it; the role is `role` in DSTU2 and `function` in R4."""
    return naming.people_of(
        Person(
            name=naming.name_of(elements.child(sent, "actor") or sent, context, within=resource),
            role=title_of(sent.get("function")) or title_of(sent.get("role")),
        )
        for sent in elements.children(resource, "performer")
    )


def _devices(resource: Element, context: Context, status: Status) -> dict[str, Any]:
    """The devices that were used, and those that the procedure was about. If it was not done, no device was put in, and
    all of them are only named."""
    used = (*elements.children(resource, "usedReference"), *elements.children(resource, "used"))
    named = (*naming.names_of(used, context, within=resource), *naming.titles(resource, "usedCode"))
    handled = _handled(resource, context)
    if status in _NOTHING_DONE:
        named, handled = (*(one.device for one in handled if one.device), *named), ()
    return {"handled": handled, "devices": tuple(dict.fromkeys(named))}


def _handled(resource: Element, context: Context) -> tuple[Handled, ...]:
    read = (
        (elements.child(sent, "manipulated"), mapped(sent, "action", _CHANGES), elements.words(sent.get("action")))
        for sent in elements.children(resource, "focalDevice")
    )
    found = (
        Handled(naming.name_of(device, context, within=resource), change or Change.NOT_GIVEN, "" if change else said)
        for device, change, said in read
    )
    return tuple(dict.fromkeys(one for one in found if one != Handled()))[:_MOST]


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.DONE: _("Done"),
    Status.UNDER_WAY: _("Under way"),
    Status.NOT_FINISHED: _("Started, not finished"),
    Status.NOT_DONE: _("Not done"),
    Status.ON_HOLD: _("On hold"),
    Status.NOT_GIVEN: _("Status not given"),
    Status.ORDERED: _("Ordered"),
    Status.PLANNED: _("Planned"),
    Status.CANCELED: _("Canceled"),
    Status.NOT_TO_BE_DONE: _("Ordered not to be done"),
    Status.WAS_NOT_TO_BE_DONE: _("Was ordered not to be done; that order is over"),
}
URGENCY_WORDS: Mapping[Urgency, str | Promise] = {
    Urgency.URGENT: _("Urgent"),
    Urgency.SOON: _("As soon as possible"),
    Urgency.AT_ONCE: _("Right away"),
    Urgency.NOT_GIVEN: "",
}
CHANGE_WORDS: Mapping[Change, str | Promise] = {
    Change.PUT_IN: _("Put in"),
    Change.TAKEN_OUT: _("Taken out"),
    Change.WORKED_ON: _("Worked on, still in place"),
    Change.NOT_GIVEN: "",
}
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.PERFORMED: pgettext_lazy("procedures", "Done"),
    Group.ORDERED: _("Ordered or planned"),
    Group.NOT_DONE: pgettext_lazy("procedures", "Not done"),
    Group.NOT_GIVEN: _("Status not given"),
    Group.NONE_KNOWN: _("Recorded as having none"),
    Group.NO_INFORMATION: _("No information"),
}
