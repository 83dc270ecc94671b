"""What was ordered or planned, and is not a procedure yet (patient experience 3.7).

R4 has ServiceRequest; DSTU2 has ProcedureRequest, DiagnosticOrder and ReferralRequest. All become a `ProcedureEntry` in
the group of orders, whatever their status. If the intent only suggests, an open order becomes a plan.
"""

from collections.abc import Iterator

from apps.records.presenters import elements, naming
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, is_in_place_of_a_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.heads import head, is_suggested, mapped, status_codes
from apps.records.presenters.procedures import Group, ProcedureEntry, Status, Urgency

_MOST = 20  # canceled items; more can only be an error
_NOT_DONE = frozenset({"cancelled", "rejected", "failed"})  # statuses of an item
_URGENCIES = {urgency.value: urgency for urgency in Urgency if urgency is not Urgency.NOT_GIVEN}
_STATUSES = {
    "proposed": Status.PLANNED,
    "draft": Status.PLANNED,
    "planned": Status.PLANNED,
    "active": Status.ORDERED,
    "requested": Status.ORDERED,
    "received": Status.ORDERED,
    "accepted": Status.ORDERED,
    "in-progress": Status.UNDER_WAY,
    "review": Status.UNDER_WAY,
    "on-hold": Status.ON_HOLD,
    "suspended": Status.ON_HOLD,
    "completed": Status.DONE,
    "cancelled": Status.CANCELED,
    "revoked": Status.CANCELED,
    "rejected": Status.CANCELED,
    "aborted": Status.CANCELED,
    "failed": Status.CANCELED,
}


def present(resource: Element, context: Context) -> ProcedureEntry:
    """Read a ServiceRequest, ProcedureRequest, DiagnosticOrder or ReferralRequest."""
    top = head(resource, _concept(resource))
    if top["is_withdrawn"] or top["is_withheld"]:
        return ProcedureEntry(**top, group=Group.ORDERED)
    top["title"] = first_name((top["title"], elements.text(resource, "description")))
    ordered = moments.read(resource, "authoredOn", "orderedOn", "dateSent", "date", means="ordered")
    planned = moments.read(resource, "occurrence", "scheduled", "fulfillmentTime", means="planned")
    people = naming.names_of(_people(resource), context, within=resource)
    return ProcedureEntry(
        **top,
        when=ordered or _requested(resource) or planned or ordered,
        status=_status(resource),
        group=Group.ORDERED,
        people=people,
        said=notes(resource, "note", "notes"),
        advice=tuple(filter(None, (elements.prose(resource.get("patientInstruction")),))),
        category=next(iter(naming.titles(resource, "category")), ""),
        place=", ".join(naming.reasons(resource, context, ("locationCode",), ("locationReference",))),
        reasons=_reasons(resource, context),
        body_sites=naming.titles({"bodySite": _body_sites(resource)}, "bodySite"),
        planned=planned,
        schedule=dosages.of_timing(resource, "occurrenceTiming", "scheduledTiming"),
        amount=quantities.read(elements.child(resource, "quantityQuantity")),
        urgency=mapped(resource, "priority", _URGENCIES) or Urgency.NOT_GIVEN,
        specimen=", ".join(naming.names_of(_specimens(resource), context, within=resource)),
        details=_details(resource, top["title"]),
        canceled=tuple(dict.fromkeys(filter(None, map(_name, _items(resource, are_canceled=True)))))[:_MOST],
    )


def _concept(resource: Element) -> object:
    """What is ordered: the code, the first item of a DiagnosticOrder, or the service or type of a ReferralRequest."""
    item = next(iter((*_items(resource), *_items(resource, are_canceled=True))), {}).get("code")
    service = elements.child(resource, "serviceRequested")
    choices = (resource.get("code"), item, service, resource.get("type"), resource.get("specialty"))
    return next(
        (choice for choice in choices if not is_in_place_of_a_name(title_of(choice))), next(filter(None, choices), None)
    )


def _items(resource: Element, *, are_canceled: bool = False) -> list[Element]:
    """The items of a DiagnosticOrder that are still valid, or else those that are canceled: each has its own status."""
    items = elements.children(resource, "item")
    return [item for item in items if bool(_NOT_DONE & set(status_codes(item, "status"))) is are_canceled]


def _status(resource: Element) -> Status:
    status = mapped(resource, "status", _STATUSES) or Status.NOT_GIVEN
    if elements.flag(resource, "doNotPerform") is True:
        return Status.WAS_NOT_TO_BE_DONE if status in {Status.DONE, Status.CANCELED} else Status.NOT_TO_BE_DONE
    if status not in {Status.ORDERED, Status.ON_HOLD, Status.NOT_GIVEN}:
        return status
    return Status.PLANNED if is_suggested(resource) else status


def _name(item: Element) -> str:
    return title_of(item.get("code")) or elements.words(item.get("code"))


def _body_sites(resource: Element) -> list[Element]:
    parts = (resource, *_items(resource))
    return [site for part in parts for site in elements.children(part, "bodySite")]


def _specimens(resource: Element) -> Iterator[Element]:
    return (found for part in (resource, *_items(resource)) for found in elements.children(part, "specimen"))


def _requested(resource: Element) -> When:
    """The date of a DiagnosticOrder's first dated event; the order itself has no date."""
    dated = (moments.read(event, "dateTime", means="ordered") for event in elements.children(resource, "event"))
    return next(filter(None, dated), When(means="ordered"))


def _people(resource: Element) -> Iterator[Element]:
    names = ("requester", "orderer", "performer", "recipient")
    return (reference for name in names for reference in elements.children(resource, name))


def _reasons(resource: Element, context: Context) -> tuple[str, ...]:
    coded = ("reasonCode", "reasonCodeableConcept", "reason")
    return naming.reasons(resource, context, coded, ("reasonReference",))


def _other_urgency(resource: Element) -> tuple[str, ...]:
    """How soon, in the provider's words (DSTU2), if no code says it."""
    if mapped(resource, "priority", _URGENCIES):
        return ()
    return naming.titles({"priority": list(elements.children(resource, "priority"))}, "priority")


def _details(resource: Element, title: str) -> tuple[str, ...]:
    """What else belongs to the order: its details, further items or services, a description."""
    items = tuple(title_of(item.get("code")) for item in _items(resource))
    said = (
        *_other_urgency(resource),
        *naming.titles(resource, "orderDetail", "serviceRequested", "specialty", "performerType"),
        *items,
        elements.text(resource, "description"),
    )
    return tuple(dict.fromkeys(each for each in said if each and each != title))
