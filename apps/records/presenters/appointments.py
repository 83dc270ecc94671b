"""An Appointment of either FHIR version: when, where and with whom, and what became of it (patient experience 3.10).

The passing of time does not change what was sent: if an appointment is still "booked" after its day, we do not know
whether the patient kept or missed it.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from apps.records.presenters import elements, naming
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, mapped, status_codes
from apps.wire import datetimes


class Status(StrEnum):
    """What became of an appointment."""

    ASKED_FOR = "asked-for"
    WAITING = "on-the-waiting-list"
    BOOKED = "booked"
    DATE_PASSED = "date-passed"
    ARRIVED = "arrived"
    DONE = "done"
    CANCELED = "canceled"
    MISSED = "missed"
    NOT_GIVEN = NOT_GIVEN


class Group(StrEnum):
    """The groups of the list. Only an appointment that is plainly over is past."""

    LISTED = "listed"
    PAST = "past"
    NOT_GIVEN = NOT_GIVEN


_STATUSES: Final = {
    "proposed": Status.ASKED_FOR,
    "pending": Status.ASKED_FOR,
    "waitlist": Status.WAITING,
    "booked": Status.BOOKED,
    "arrived": Status.ARRIVED,
    "checked-in": Status.ARRIVED,
    "fulfilled": Status.DONE,
    "cancelled": Status.CANCELED,
    "noshow": Status.MISSED,
}
_GROUPS: Final = {
    Status.NOT_GIVEN: Group.NOT_GIVEN,
    **dict.fromkeys((Status.DONE, Status.CANCELED, Status.MISSED), Group.PAST),
}
_YET_TO_COME: Final = frozenset({Status.ASKED_FOR, Status.WAITING, Status.BOOKED})
_NAMING: Final = ("description", "serviceType", "appointmentType", "type", "specialty", "serviceCategory")


class AppointmentEntry(Entry, frozen=True, kw_only=True, gc=False):
    """An appointment. `people` are those whom the patient will meet, `declined` those who will not come. `advice` is
    what the patient should do before. `length` is how long it takes, if the date does not say so. `status` is the
    provider's; `viewing.current_status` takes today's date into account."""

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    places: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    reasons_not: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    length: Quantity = NO_QUANTITY

    def standing(self, *, today: date) -> Status:
        """The status today: "date passed", if the status says that it is yet to come although its last day is over."""
        said = datetimes.parse(self.when.ends or self.when.starts)
        is_over = said is not None and said.last_day < today
        return Status.DATE_PASSED if is_over and self.status in _YET_TO_COME else self.status


def present(resource: Element, context: Context) -> AppointmentEntry:
    """Read an Appointment."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return AppointmentEntry(**heading)
    reasons = naming.reasons(resource, context, ("reasonCode", "reason"), ("reasonReference", "indication"))
    heading["title"] = first_name((*_names(resource), *reasons))
    status = mapped(resource, "status", _STATUSES) or Status.NOT_GIVEN
    when = _when(resource)
    others, declined = _others(resource)
    places = [actor for actor in others if _is_place(actor, resource, context)]
    return AppointmentEntry(
        **heading,
        when=when,
        status=status,
        group=_GROUPS.get(status, Group.LISTED),
        people=naming.names_of((one for one in others if one not in places), context, within=resource),
        said=notes(resource, "comment"),
        places=naming.names_of(places, context, within=resource),
        declined=naming.names_of(declined, context, within=resource),
        reasons=reasons,
        reasons_not=naming.titles(resource, "cancelationReason"),
        advice=tuple(filter(None, (elements.prose(resource.get("patientInstruction")),))),
        length=NO_QUANTITY if when.ends else quantities.read({"value": resource.get("minutesDuration"), "unit": "min"}),
    )


def _others(resource: Element) -> tuple[list[Element], list[Element]]:
    """The participants other than the patient: those who take part, and those who declined."""
    takes_part, declined = list[Element](), list[Element]()
    for part in elements.children(resource, "participant"):
        actor = elements.child(part, "actor")
        if actor and not naming.is_patient(actor):
            (declined if "declined" in status_codes(part, "status") else takes_part).append(actor)
    return takes_part, declined


def _names(resource: Element) -> Iterator[str]:
    values = (resource.get(name) for name in _NAMING)
    concepts = (one for value in values for one in (value if isinstance(value, list) else (value,)))
    return map(title_of, concepts)


def _when(resource: Element) -> When:
    """When it is, or else in which period it was requested."""
    for period in (resource, *elements.children(resource, "requestedPeriod")):
        if found := moments.of_period(period, means="planned"):
            return found if found.ends else moments.of_text(found.starts or found.text, means="planned")
    return When(means="planned")


def _is_place(actor: Element, resource: Element, context: Context) -> bool:
    found = elements.text(context.find(actor, within=resource), "resourceType")
    written = elements.text(actor, "reference").partition("/_history/")[0].split("/")[-2:-1]
    return "Location" in (found, elements.text(actor, "type"), *written)


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.ASKED_FOR: pgettext_lazy("appointment", "Asked for"),
    Status.WAITING: pgettext_lazy("appointment", "On the waiting list"),
    Status.BOOKED: pgettext_lazy("appointment", "Booked"),
    Status.DATE_PASSED: pgettext_lazy("appointment", "Date passed"),
    Status.ARRIVED: pgettext_lazy("appointment", "Arrived"),
    Status.DONE: pgettext_lazy("appointment", "Done"),
    Status.CANCELED: pgettext_lazy("appointment", "Canceled"),
    Status.MISSED: pgettext_lazy("appointment", "Marked as missed"),
}
