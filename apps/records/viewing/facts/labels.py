"""The labels of entry fields on a page, and which fields a row of a list shows."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.medicines.medications import Status


def status() -> str:
    """For the status."""
    return gettext("Status")


def people() -> str:
    """For the people named."""
    return gettext("Who")


def place() -> str:
    """For where a value stands relative to its range."""
    return gettext("Compared with the usual range")


def interpretation() -> str:
    """For what the laboratory says about a value that has no place in a range."""
    return gettext("What the lab says")


def to_be_taken() -> str:
    """For when a prescribed medicine is to be taken."""
    return gettext("To be taken")


def covers() -> str:
    """For the period of an order that forbids something, such as taking a medicine."""
    return gettext("Covers")


def filled_by() -> str:
    """For who dispensed a medicine."""
    return gettext("Filled by")


def why(status: str) -> str:
    """For why a medicine has this status."""
    return str(_WHY.get(status, _LABELS["stopped_because"]))


def of_field(kind: str, name: str) -> str:
    """The label of a field in entries of that kind; empty if it is not shown."""
    return str(_OF_KIND.get(f"{kind}.{name}", _LABELS.get(name, "")))


def within(kind: str, name: str) -> str:
    """The label of a part of a smaller thing, if its text alone would not say what it is."""
    return str(_WITHIN.get(f"{kind}.{name}", _WITHIN.get(name, "")))


def is_technical(kind: str, name: str) -> bool:
    """Whether a part of a smaller thing is for programs: a code, a reference, an id. A part that has a label is not:
    the number of a dose is not the number of a file."""
    return name in _TECHNICAL and f"{kind}.{name}" not in _WITHIN


def is_date(kind: str, name: str) -> bool:
    """Whether that field, or part of a smaller thing, is a FHIR date as sent although its type does not say so."""
    return f"{kind}.{name}" in _DATES


def is_named_in_rows(kind: str, name: str) -> bool:
    """Whether a row shows the label of that field, because its words alone, such as "High" or "1 of 3", would not be
    clear."""
    return name in _NAMED_IN_ROWS or f"{kind}.{name}" in _NAMED_IN_ROWS


def in_rows(kind: str) -> tuple[str, ...]:
    """The fields that the row of such an entry shows, in this order."""
    return _ROWS.get(kind, ())


def behind_in_rows(kind: str) -> tuple[str, ...]:
    """The fields that the row of such an entry shows after its date, in this order (patient experience 3)."""
    return _ROWS_BEHIND.get(kind, ())


def first_in_rows(kind: str) -> tuple[str, ...]:
    """The fields of which such a row shows the first that is not empty: many plans have no name except that of their
    kind, and are listed one below the other."""
    return _ROWS_FIRST.get(kind, ())


_TECHNICAL: Final = frozenset(
    {
        "codes",
        "category_codes",
        "depth",
        "test",
        "number",
        "url",
        "logical_id",
        "system",
        "udi_groups",
    }
)

_DATES: Final = frozenset({"ImmunizationEntry.expires"})
_NAMED_IN_ROWS: Final = frozenset(
    {
        *("severity", "doses", "reasons_not", "canceled", "is_reported", "is_subpotent", "member_number"),
        *("scanner", "scanner_too", "latex", "safety", "is_for_a_stay", "substitution"),
        *("CarePlanEntry.reasons", "CarePlanEntry.goals"),
    }
)
_ROWS_FIRST: Final[Mapping[str, tuple[str, ...]]] = {"CarePlanEntry": ("description", "activities", "reasons", "goals")}

_ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "AllergyEntry": ("reactions", "criticality"),
    "ReportEntry": ("category", "conclusion"),
    "GoalEntry": ("verdict", "due", "within"),
    "CareTeamEntry": ("reasons",),
    "CoverageEntry": ("payers", "member_number"),
    "DeviceEntry": ("scanner", "scanner_too", "latex", "safety", "model"),
    "FamilyEntry": ("conditions", "life"),
    "DocumentEntry": ("relations", "name"),
    "MedicationEntry": ("is_for_a_stay", "substitution", "dosages"),
    "ConditionEntry": ("severity",),
    "ImmunizationEntry": ("reasons_not", "is_reported", "is_subpotent", "doses", "place"),
    "RecommendationEntry": ("recommendations",),
    "VisitEntry": ("kind", "types"),
    "ProcedureEntry": ("reasons_not", "canceled", "handled"),
    "GenericEntry": ("particulars",),
}

# People recognize these first by what and when, then by who and where.
_ROWS_BEHIND: Final[Mapping[str, tuple[str, ...]]] = {
    "AppointmentEntry": ("places", "people"),
    "DocumentEntry": ("people", "specialties", "custodian", "files"),
    "MedicationEntry": ("people",),
    "ProcedureEntry": ("place", "people"),
    "VisitEntry": ("participants", "people", "clinic", "places"),
}

_LABELS: Final[Mapping[str, str | Promise]] = {
    "value": _("Value"),
    "recommendations": _("What is recommended"),
    "warnings": _("Warnings about it"),
    "ingredients": _("Contains"),
    "brands": _("Brand name"),
    "also_called": _("Also called"),
    "taken": _("Taken"),
    "supply": _("Supply"),
    "substitution": _("Another product in its place"),
    "is_for_a_stay": _("For a hospital stay"),
    "course": _("How long it is meant for"),
    "fill": _("Kind of fill"),
    "handed_to": _("Handed over or sent to"),
    "stopped_because": _("Reason for this status"),
    "is_patient_reported": _("You said so yourself"),
    "began": _("Began"),
    "has_ended": _("Has ended"),
    "ends": _("Expected to end"),
    "is_certainty_unknown": _("How sure"),
    "body_sites": _("Body site"),
    "evidence": _("Signs"),
    "is_reported": _("Reported, given elsewhere"),
    "reported_by": _("Reported by"),
    "is_subpotent": _("A dose that may not protect enough"),
    "subpotent_because": _("Why it may not protect enough"),
    "doses": _("Dose"),
    "amount": _("Amount"),
    "given_by": _("Given by"),
    "reasons_not": _("Why not"),
    "advice": _("Before you come"),
    "performers": _("Done by"),
    "follow_ups": _("Afterwards"),
    "handled": _("Devices put in, taken out or worked on"),
    "devices": _("Devices"),
    "details": _("Details"),
    "canceled": _("Not done of it"),
    "planned": _("Planned for"),
    "schedule": _("How often"),
    "urgency": _("How soon"),
    "types": _("Type of visit"),
    "service": _("Service"),
    "participants": _("Seen by"),
    "clinic": _("Clinic"),
    "hospitalization": _("Hospital stay"),
    "length": _("Length"),
    "priority": _("Priority"),
    "usual_range": _("Usual range"),
    "components": _("Parts"),
    "reported": _("Reported"),
    "method": _("How it was measured"),
    "device": _("Measured with"),
    "at_home": _("Measured at home"),
    "specimen": _("Sample"),
    "body_site": _("Body site"),
    "category": _("Kind"),
    "categories": _("Kind"),
    "kind": _("Kind"),
    "criticality": _("How bad it could become"),
    "reactions": _("Reactions"),
    "noticed": _("First noticed"),
    "last_reaction": _("Last time"),
    "written_down": _("Written down"),
    "recorder": _("Written down by"),
    "asserter": _("Said by"),
    "is_patient_asserted": _("You said so yourself"),
    "is_confirmed": pgettext_lazy("label of a fact", "Confirmed"),
    "ordered_by": _("Ordered by"),
    "conclusion": _("Conclusion"),
    "conclusion_names": _("Conclusion in short"),
    "description": _("Description"),
    "activities": _("What to do"),
    "reasons": _("Why"),
    "goals": _("Goals"),
    "members": _("Members"),
    "organizations": _("Organizations"),
    "verdict": _("So far"),
    "due": _("To be reached by"),
    "within": _("To be reached within"),
    "targets": _("Targets"),
    "payers": _("Who pays"),
    "contacts": _("Contact"),
    "holder": _("In the name of"),
    "relationship": _("How you are covered"),
    "member_number": _("Member number"),
    "classes": _("Plan details"),
    "costs": _("What you pay yourself"),
    "order": _("Pays in this place"),
    "scanner": _("In an MRI scanner"),
    "scanner_too": _("Also sent about an MRI scanner"),
    "latex": _("Latex"),
    "safety": _("Safety"),
    "why": _("Reason for this status"),
    "model": _("Model"),
    "maker": _("Maker"),
    "serial": _("Serial number"),
    "lot": _("Lot number"),
    "udi": _("Device identifier (UDI)"),
    "identifier": _("Identifier"),
    "made": _("Made"),
    "expires": _("Expires"),
    "owner": _("Owner"),
    "name": _("Also called"),
    "sex": _("Sex"),
    "conditions": _("Conditions"),
    "life": _("Living or died"),
    "died": _("Died"),
    "age": _("Age"),
    "is_age_estimated": _("The age is an estimate"),
    "missing_because": _("Why there is not more"),
    "declined": _("Will not take part"),
    "lenses": _("Glasses or contact lenses"),
    "state": _("State of the sample"),
    "fasting": _("Fasting"),
    "fasted_for": _("How long without food"),
    "received": _("Arrived at the lab"),
    "born": _("Born"),
    "written": _("Written down"),
    "custodian": _("Kept by"),
    "attested_by": _("Vouched for by"),
    "about": _("What it is about"),
    "relations": _("Beside other documents"),
    "specialties": _("Specialty"),
    "severity": _("Severity"),
    "stages": _("Stage"),
    "ended": _("Ended"),
    "dosages": _("How to take it"),
    "form": _("Form"),
    "pharmacy": _("Pharmacy"),
    "site": _("Where on the body"),
    "route": _("How it was given"),
    "outcome": _("Outcome"),
    "outcomes": _("Outcome"),
    "complications": _("Complications"),
    "reports": _("Reports about it"),
    "place": _("Where"),
    "places": _("Where"),
    "diagnoses": _("Diagnoses"),
}
_WHY: Final[Mapping[str, str | Promise]] = {
    Status.CANCELED: _("Why it was canceled"),
    Status.FINISHED: _("Why it ended"),
    Status.NOT_FILLED: _("Why it was not filled"),
    Status.NOT_TAKEN: _("Why it was not taken"),
    Status.PAUSED: _("Why it is paused"),
    Status.STOPPED: _("Why it was stopped"),
    Status.WAITING: _("Why it waits"),
}
_OF_KIND: Final[Mapping[str, str | Promise]] = {
    "AllergyEntry.categories": _("Reaction to"),
    "ResultEntry.place": "",
    "ResultEntry.category": "",
    "ResultEntry.members": "",
    "ReportEntry.category": _("Kind of report"),
    "SpecimenEntry.number": _("Number of the sample"),
    "GenericEntry.particulars": _("Details"),  # each has its own label
    "GenericEntry.applies": _("Applies"),
    "GenericEntry.records_of": _("Records of this time"),
    "GenericEntry.due": _("To be done"),
    "GenericEntry.schedule": _("How often and how much"),
    "MedicationEntry.kind": "",
    "ConditionEntry.category": "",
    "ProcedureEntry.advice": _("What to do"),
    "AppointmentEntry.reasons_not": _("Why it was canceled"),
    "FamilyEntry.name": _("Name"),
    "Activity.is_to_avoid": _("Not to do"),
    "RelativesCondition.led_to_death": _("Contributed to the death"),
}
_WITHIN: Final[Mapping[str, str | Promise]] = {
    "Supply.quantity": _("quantity"),
    "Supply.lasts": _("lasts"),
    "Supply.refills": _("refills"),
    "Supply.valid": _("valid"),
    "Supply.first": _("the first time"),
    "Supply.first_lasts": _("the first lasts"),
    "Supply.every": _("again after"),
    "Activity.when": _("planned"),
    "Activity.daily": _("each day"),
    "Activity.quantity": _("quantity"),
    "Activity.also": _("that is"),
    "Activity.reasons": _("because of"),
    "Activity.outcomes": _("what came of it"),
    "Component.usual_range": _("usual range"),
    "Noted.author": _("written down by"),
    "Noted.when": _("written down"),
    "Cost.unless": _("but not"),
    "Lens.sphere": _("sphere"),
    "Lens.cylinder": _("cylinder"),
    "Lens.axis": _("axis"),
    "Lens.prisms": _("prism"),
    "Lens.add": _("addition"),
    "Lens.power": _("power"),
    "Lens.back_curve": _("back curve"),
    "Lens.diameter": _("diameter"),
    "Lens.lasts": _("lasts"),
    "Hospitalization.came_from": _("came from"),
    "Hospitalization.discharged_to": _("went to"),
    "Hospitalization.arrangements": _("needed"),
    "Hospitalization.diets": _("diet"),
    "Recommendation.due": _("from"),
    "Recommendation.until": _("at the latest"),
    "Recommendation.overdue": _("late from"),
    "Recommendation.dose": _("dose"),
    "Recommendation.against": _("not to be given"),
    "severity": _("Past reaction"),
    "certainty": _("How sure"),
    "substance": _("Substance"),
    "route": _("How it came into the body"),
    "on_behalf_of": _("for"),
    "due": _("by"),
    "within": _("within"),
    "onset": _("began"),
}
