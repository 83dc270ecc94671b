"""A medicine as prescribed, as reported or as filled, in either FHIR version (facts 1.6, patient experience 3.1).

DSTU2 has MedicationOrder, MedicationStatement and MedicationDispense; R4 has MedicationRequest and the last two. Only
an active order with a prescribing intent is current; an active statement is reported, and a dispense appears under the
prescription that it fills. An order that has expired stays in the group of its status: `ends_at` lets the page say
that it has.
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
from apps.records.presenters.dosing import dosages
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, UNLISTED, Context, Entry
from apps.records.presenters.heads import head, is_suggested, mapped, status_codes
from apps.records.presenters.medicines import courses, products, substitutions, supplies
from apps.records.presenters.medicines.products import Product
from apps.records.presenters.medicines.substitutions import Substitution
from apps.records.presenters.medicines.supplies import Supply


class Kind(StrEnum):
    """Whether the medicine was prescribed, reported or filled."""

    PRESCRIBED = "prescribed"
    REPORTED = "reported"
    FILLED = "filled"


class Status(StrEnum):
    """The status of a medicine; the last four are for dispenses."""

    ON_LIST = "on-list"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    CANCELED = "canceled"
    PLANNED = "planned"
    SUGGESTED = "suggested"
    NOT_TAKEN = "not-taken"
    NOT_TO_BE_TAKEN = "not-to-be-taken"
    WAS_NOT_TO_BE_TAKEN = "was-not-to-be-taken"
    NOT_FINAL = "not-final"
    NOT_GIVEN = NOT_GIVEN
    PREPARING = "preparing"
    WAITING = "waiting"
    FILLED = "filled"
    NOT_FILLED = "not-filled"


class Group(StrEnum):
    """The groups, in the order of the page. A fill appears under its prescription if we have that, and a draft in no
    list."""

    CURRENT = "current"
    PAUSED = "paused"
    REPORTED = "reported"
    NOT_TO_BE_TAKEN = "not-to-be-taken"
    NOT_GIVEN = NOT_GIVEN
    PAST = "past"
    SUGGESTED = "suggested"
    NONE_KNOWN = "none-known"
    NO_INFORMATION = "no-information"
    FILLED = "filled"
    UNLISTED = UNLISTED


class MedicationEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A medicine. `orders` are the ids of the prescriptions that a dispense fills.

    `people` are the prescriber, the source of a report, or who filled it. `stopped_because` says why it was stopped,
    declined or not taken. `brands` are names that were sent as brand names, `also_called` all other names except the
    title. `ends_at` is the last day for which it was meant, as sent, and `ended` is when an order in DSTU2 was stopped.
    `course` is a key of `courses.WORDS`, or in the provider's words; `warnings` are names of detected issues, `fill` is
    the type of fill, `handed_to` is who received it or where it was sent. `more_dosages` is the number of dosages that
    are left out. `is_for_a_stay`: it belongs to a hospital stay, and is not taken at home."""

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    kind: Kind = Kind.PRESCRIBED
    dosages: tuple[Dosage, ...] = ()
    more_dosages: int = 0
    reasons: tuple[str, ...] = ()
    form: str = ""
    ingredients: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    also_called: tuple[str, ...] = ()
    taken: When = UNDATED
    written_down: When = UNDATED
    ends_at: str = ""
    stopped_because: tuple[str, ...] = ()
    supply: Supply = msgspec.field(default_factory=Supply)
    substitution: Substitution | None = None
    ended: When = UNDATED
    course: str = ""
    warnings: tuple[str, ...] = ()
    fill: str = ""
    handed_to: tuple[str, ...] = ()
    is_for_a_stay: bool = False
    pharmacy: str = ""
    is_patient_reported: bool = False
    recorder: str = ""
    orders: tuple[str, ...] = ()

    @property
    def is_order(self) -> bool:
        """Whether this is a resource that a dispense can refer to by its id. A statement is not, and may have the same
        id."""
        return self.resource_type in _ORDERS


_ORDERS = frozenset({"MedicationOrder", "MedicationRequest"})
# In R4 requests and statements; in DSTU2 orders and statements; in dispenses.
_STATUS_REASONS = ("statusReason", "reasonEnded", "reasonNotTaken", "statusReasonCodeableConcept")
_ORDER_STATUSES = {
    "active": Status.ON_LIST,
    "on-hold": Status.PAUSED,
    "completed": Status.FINISHED,
    "stopped": Status.STOPPED,
    "cancelled": Status.CANCELED,
    "draft": Status.NOT_FINAL,
}
_STATEMENT_STATUSES = {
    **_ORDER_STATUSES,
    "intended": Status.PLANNED,
    "not-taken": Status.NOT_TAKEN,
}
_DISPENSE_STATUSES = {
    "preparation": Status.PREPARING,
    "in-progress": Status.PREPARING,
    "on-hold": Status.WAITING,
    "completed": Status.FILLED,
    "stopped": Status.NOT_FILLED,
    "cancelled": Status.NOT_FILLED,
    "declined": Status.NOT_FILLED,
}
_GROUPS = {
    Status.ON_LIST: Group.CURRENT,
    Status.PAUSED: Group.PAUSED,
    Status.FINISHED: Group.PAST,
    Status.STOPPED: Group.PAST,
    Status.CANCELED: Group.PAST,
    Status.NOT_TAKEN: Group.PAST,
    Status.PLANNED: Group.SUGGESTED,
    Status.SUGGESTED: Group.SUGGESTED,
    Status.NOT_TO_BE_TAKEN: Group.NOT_TO_BE_TAKEN,
    Status.WAS_NOT_TO_BE_TAKEN: Group.PAST,
    Status.NOT_FINAL: Group.UNLISTED,
}
_PRESCRIBING = frozenset({"order", "original-order", "reflex-order", "filler-order", "instance-order"})
_AT_HOME = frozenset({"community", "discharge", "outpatient"})  # categories of medicines taken at home
_OPEN = frozenset({Status.ON_LIST, Status.PAUSED, Status.NOT_GIVEN})
_OVER = frozenset({Status.FINISHED, Status.STOPPED, Status.CANCELED})


def present_order(resource: Element, context: Context) -> MedicationEntry:
    """Read a MedicationOrder (DSTU2) or MedicationRequest (R4)."""
    is_reported = bool(elements.flag(resource, "reportedBoolean") or elements.child(resource, "reportedReference"))
    status = _order_status(resource, is_reported=is_reported)
    prescribed = moments.read(resource, "authoredOn", "dateWritten", means="prescribed")
    request = elements.child(resource, "dispenseRequest")
    return _entry(
        resource,
        context,
        kind=Kind.REPORTED if is_reported else Kind.PRESCRIBED,
        status=status,
        when=prescribed,
        people=("requester", "prescriber"),
        supply=supplies.read(request, "expectedSupplyDuration"),
        pharmacy=naming.name_of(request.get("performer"), context, within=resource),
    )


def present_statement(resource: Element, context: Context) -> MedicationEntry:
    """Read a MedicationStatement of either FHIR version."""
    status = mapped(resource, "status", _STATEMENT_STATUSES) or Status.NOT_GIVEN
    if elements.flag(resource, "wasNotTaken") is True or "n" in status_codes(resource, "taken"):  # DSTU2; STU3
        status = Status.NOT_TAKEN
    taken = moments.read(resource, "effective", means="taken", birth_date=context.birth_date)
    return _entry(
        resource,
        context,
        kind=Kind.REPORTED,
        status=status,
        when=taken or moments.read(resource, "dateAsserted", means="written-down") or taken,
        people=("informationSource",),
        supply=Supply(),
        pharmacy="",
    )


def present_dispense(resource: Element, context: Context) -> MedicationEntry:
    """Read a MedicationDispense of either FHIR version."""
    filled = moments.read(resource, "whenHandedOver", means="filled")
    actors = [elements.child(performer, "actor") for performer in elements.children(resource, "performer")]
    by = naming.names_of((*elements.children(resource, "dispenser"), *actors), context, within=resource)
    return _entry(
        resource,
        context,
        kind=Kind.FILLED,
        status=mapped(resource, "status", _DISPENSE_STATUSES) or Status.NOT_GIVEN,
        when=filled or moments.read(resource, "whenPrepared", means="prepared") or filled,
        people=("dispenser",),
        supply=supplies.read(resource, "daysSupply"),
        pharmacy=naming.name_of(resource.get("location"), context, within=resource) or next(iter(by), ""),
    )


def _order_status(resource: Element, *, is_reported: bool) -> Status:
    """The status of an order, corrected by its intent: if it is not an order, it is only suggested, and without an
    intent that we know, its status counts as not given.

    Orders in DSTU2 have no intent. The intent of a reported medicine means nothing: US Core uses "plan" for it.
    """
    status = mapped(resource, "status", _ORDER_STATUSES) or Status.NOT_GIVEN
    if elements.flag(resource, "doNotPerform") is True and status is not Status.NOT_FINAL:
        return Status.WAS_NOT_TO_BE_TAKEN if status in _OVER else Status.NOT_TO_BE_TAKEN
    if status not in _OPEN:
        return status
    if is_reported or resource.get("resourceType") == "MedicationOrder":
        return status
    if is_suggested(resource):
        return Status.SUGGESTED
    return status if _PRESCRIBING & set(status_codes(resource, "intent")) else Status.NOT_GIVEN


def _entry(
    resource: Element,
    context: Context,
    *,
    kind: Kind,
    status: Status,
    when: When,
    people: tuple[str, ...],
    supply: Supply,
    pharmacy: str,
) -> MedicationEntry:
    product = products.read(resource, context)
    top = head(resource, product.concept)
    if top["is_withdrawn"] or top["is_withheld"]:
        return MedicationEntry(**top, kind=kind, group=Group.FILLED if kind is Kind.FILLED else Group.NOT_GIVEN)
    top["title"] = product.title(top["title"], top["codes"])
    absence = known_absence(top["codes"], top["title"]) if kind is not Kind.FILLED else None
    no_information = says_no_information(top["codes"])
    instructions = dosages.read(resource, form=product.form)
    taken = _taken(resource, instructions, context)
    return MedicationEntry(
        **top,
        when=when or taken or when,
        status=status,
        group=_group(kind, status, is_none=absence is not None, says_nothing=no_information),
        people=_people(resource, context, people),
        said=notes(resource, "note"),
        is_known_absence=absence is not None,
        says_no_information=no_information,
        kind=kind,
        dosages=instructions,
        **_made_of(product, top["title"]),
        taken=taken,
        ends_at=_ends_at(resource, instructions, supply),
        supply=supply,
        pharmacy=pharmacy,
        **_circumstances(resource, context),
    )


def _made_of(product: Product, title: str) -> dict[str, Any]:
    """What the product is, and what else it is called."""
    return {
        "form": product.form,
        "ingredients": product.ingredients,
        "brands": product.brands,
        "also_called": product.others(title),
    }


def _circumstances(resource: Element, context: Context) -> dict[str, Any]:
    """The remaining fields: why it is taken, when it was written down and by whom, which prescriptions it fills, and so
    on."""
    categories = status_codes(resource, "category")
    return {
        "more_dosages": dosages.beyond(resource),
        "reasons": _reasons(resource, context),
        "written_down": moments.read(resource, "dateAsserted", means="written-down"),
        "stopped_because": naming.reasons(resource, context, _STATUS_REASONS, ("statusReasonReference",)),
        "substitution": substitutions.read(
            elements.child(resource, "substitution"), of_dispense=resource.get("resourceType") == "MedicationDispense"
        ),
        "ended": moments.read(resource, "dateEnded", means="ended"),
        "course": courses.read(resource),
        "warnings": naming.names_of(elements.children(resource, "detectedIssue"), context, within=resource),
        "fill": title_of(resource.get("type")),
        "handed_to": naming.reasons(resource, context, (), ("receiver", "destination")),
        "is_for_a_stay": "inpatient" in categories and _AT_HOME.isdisjoint(categories),
        "is_patient_reported": _is_patient_reported(resource),
        "recorder": _recorder(resource, context),
        "orders": naming.own_ids_of(resource, "authorizingPrescription", context, types=_ORDERS),
    }


def _group(kind: Kind, status: Status, *, is_none: bool, says_nothing: bool) -> Group:
    if kind is Kind.FILLED:
        return Group.FILLED
    group = _GROUPS.get(status, Group.NOT_GIVEN)
    if group not in {Group.PAST, Group.UNLISTED} and (is_none or says_nothing):
        return Group.NONE_KNOWN if is_none else Group.NO_INFORMATION
    return Group.REPORTED if group is Group.CURRENT and kind is Kind.REPORTED else group


def _people(resource: Element, context: Context, names: tuple[str, ...]) -> tuple[str, ...]:
    references = [each for name in names for each in elements.children(resource, name)]
    actors = [elements.child(performer, "actor") for performer in elements.children(resource, "performer")]
    return naming.names_of((*references, *filter(None, actors)), context, within=resource)


def _reasons(resource: Element, context: Context) -> tuple[str, ...]:
    coded = ("reasonCode", "reasonCodeableConcept", "reasonForUseCodeableConcept")
    return naming.reasons(resource, context, coded, ("reasonReference", "reasonForUseReference"))


def _taken(resource: Element, instructions: tuple[Dosage, ...], context: Context) -> When:
    """When it is taken: the period of the statement, else the bounds of the first instruction that has any."""
    effective = moments.read(resource, "effective", means="taken", birth_date=context.birth_date)
    bounds = (dosage.timing.bounds for dosage in instructions)
    return effective or next(filter(None, bounds), When(means="taken"))


def _ends_at(resource: Element, instructions: tuple[Dosage, ...], supply: Supply) -> str:
    """The last day on which it is taken: the end that the resource states, else the latest end of its instructions
    (if every instruction has one), else the end of the prescription's validity."""
    said = elements.text(resource, "dateEnded") or moments.read(resource, "effective", means="taken").ends
    ends = [dosage.timing.bounds.ends for dosage in instructions]
    latest = max(ends, key=moments.sort_key) if ends and all(ends) else ""
    return said or latest or supply.valid.ends


def _recorder(resource: Element, context: Context) -> str:
    """Who wrote it down; empty if that is the prescriber, whose name is shown already."""
    recorder = naming.name_of(resource.get("recorder"), context, within=resource)
    return "" if recorder in _people(resource, context, ("requester", "prescriber")) else recorder


def _is_patient_reported(resource: Element) -> bool:
    names = ("informationSource", "reportedReference", "requester")
    return any(naming.is_patient(elements.child(resource, name)) for name in names)


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.ON_LIST: _("On the current list of %(provider)s"),
    Status.PAUSED: _("Paused by the provider"),
    Status.FINISHED: _("Finished"),
    Status.STOPPED: _("Stopped"),
    Status.CANCELED: _("Canceled"),
    Status.PLANNED: _("Planned"),
    Status.SUGGESTED: _("Suggested, not prescribed"),
    Status.NOT_TAKEN: _("Recorded as not taken"),
    Status.NOT_TO_BE_TAKEN: _("Ordered not to be taken"),
    Status.WAS_NOT_TO_BE_TAKEN: _("Was ordered not to be taken; that order is over"),
    Status.NOT_FINAL: _("Not final"),
    Status.NOT_GIVEN: _("Status not given"),
    Status.PREPARING: _("Being prepared"),
    Status.WAITING: _("Waiting at the pharmacy"),
    Status.FILLED: _("Filled"),
    Status.NOT_FILLED: _("Not filled"),
}
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.CURRENT: pgettext_lazy("heading", "Current"),
    Group.PAUSED: _("Paused"),
    Group.REPORTED: _("Reported, not prescribed here"),
    Group.NOT_TO_BE_TAKEN: _("Not to be taken"),
    Group.NOT_GIVEN: _("Status not given"),
    Group.PAST: pgettext_lazy("heading", "Past"),
    Group.SUGGESTED: pgettext_lazy("medicines", "Suggested, not prescribed"),
    Group.NONE_KNOWN: _("Recorded as having none"),
    Group.NO_INFORMATION: _("No information"),
    Group.FILLED: pgettext_lazy("medicines", "Filled at a pharmacy"),
    Group.UNLISTED: pgettext_lazy("heading", "Not final"),
}
